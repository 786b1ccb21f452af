/** Data stays data: values of callers, outputs and items in the commands of real runs. Source: execution-semantics 3.1.5. */
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { oneIn } from '../../support/long.ts'

describe('data stays data (3.1.5)', () => {
  const live = liveEngine()
  const folder = temporaryFolder()
  const file = join(folder, 'ran')
  const PAYLOADS = [
    `; touch ${file}`,
    `$(touch ${file})`,
    `\`touch ${file}\``,
    `x\ntouch ${file}`,
    `| touch ${file}`,
    `&& touch ${file}`
  ]

  const steps: [where: string, step: string][] = [
    ['in a command', 'command: echo ${X}'],
    ['in a script', 'script: echo ${X}'],
    ['in a script for a shell that it names', 'script: "#!/usr/bin/env bash\\necho ${X}"'],
    ['in a script that is passed to a command', 'command: bash -e\n  script: echo ${X}'],
    ['for a shell behind another program', 'shell: env bash\n  command: echo ${X}'],
    ['in a list', 'command: [echo, "${X}", "a${X}b", "${X} c"]'],
    ['in args', 'command: echo\n  args: ["${X}"]'],
    ['in env of the step', 'env: {Y: "a ${X}", Z: "${Y}"}\n  command: echo ${Z}'],
    ['in a backtick command', 'command: echo `echo ${X}`'],
    ['in a backtick command of a field', 'env: {Y: "`echo ${X}`"}\n  command: echo ${Y}'],
    ['in a precondition', 'preconditions: ["echo ${X}"]\n  command: echo'],
    [
      'in a condition of repeatPolicy',
      'repeatPolicy: {repeat: until, condition: "echo ${X}", limit: 2}\n  command: echo'
    ],
    ['in a part of JSON', 'env: {J: "{\\"k\\": ${Q}}"}\n  command: echo ${J.k}'],
    ['as an output', 'command: printf %s "${X}"\n  output: OUT\n- command: echo ${OUT} a$OUT'],
    [
      'of a sub workflow, by its output',
      'call: kid\n  params: {X: "${X}"}\n  output: SUB\n- command: echo ${SUB.outputs.SAID}'
    ],
    ['of a sub workflow, by an item', 'call: kid\n  parallel: ["${X}"]\n  params: {X: "${ITEM}"}'],
    ['of a sub workflow, by what it sees of its caller', 'env: {GIVEN: "${X}"}\n  call: heir']
  ]
  const kids =
    '---\nname: kid\nsteps:\n- {command: "echo ${X}", output: SAID}\n---\nname: heir\nenv: {A: "${GIVEN}", B: "`echo ${GIVEN}`"}\nsteps:\n- {env: {Y: "${A}", Z: "${B}"}, command: "echo ${Y} ${Z} `echo ${A}`"}'
  for (const [where, step] of oneIn(3, steps))
    it(`a param of a caller is no command ${where}`, async () => {
      for (const X of PAYLOADS) {
        const params = JSON.stringify({ X, Q: JSON.stringify(X) })
        const run = await live.run(
          `workingDir: ${folder}\nhandlerOn: {exit: "echo \${X}"}\nsteps:\n- ${step}\n${kids}`,
          { params }
        )
        expect(run.status, X).to.equal('succeeded')
        expect(existsSync(file), X).to.equal(false)
      }
    })
  it('a file name, a folder and a redirection take it as one', async () => {
    const X = "a'b; touch ran"
    const run = await live.run(
      `workingDir: ${folder}\nsteps:\n- {name: a, dir: "\${X}", command: 'echo $PWD; pwd'}\n- {name: b, stdout: "\${X}.log", command: echo b}`,
      { params: JSON.stringify({ X }) }
    )
    expect(run.status).to.equal('succeeded')
    expect(run.out('a')).to.equal(`${folder}/${X}\n${folder}/${X}\n`)
    expect(existsSync(join(folder, `${X}.log`))).to.equal(true)
    expect(existsSync(file)).to.equal(false)
  })
  it('a secret that a step names is words, too', async () => {
    writeFileSync(join(folder, 'secret'), `a; touch ${file}`)
    const run = await live.run(
      `workingDir: ${folder}\nsecrets: [{name: S, provider: file, key: secret}]\nsteps: [{name: a, env: {Y: "\${S}"}, command: "echo \${Y} \${S}"}]`
    )
    expect(run.status).to.equal('succeeded')
    expect(run.out('a')).to.equal('******* *******\n')
    expect(existsSync(file)).to.equal(false)
  })
  it('an output that is larger than a variable of a process may be: its words', async () => {
    const run = await live.run(
      'steps:\n- {command: "seq 1 60000", output: BIG}\n- {name: counts, command: "n=0; for one in ${BIG}; do n=$((n + 1)); done; echo $n $one"}'
    )
    expect(run.out('counts')).to.equal('60000 60000\n')
  })
  it('a loop over an output of several lines', async () => {
    const run = await live.run(
      `steps:\n- {command: "printf '%s\\\\n' a.csv 'b;c.csv'", output: FILES}\n- name: loops\n  script: |\n    for f in \${FILES}; do\n      echo "<$f>"\n    done`
    )
    expect(run.out('loops')).to.equal('<a.csv>\n<b;c.csv>\n')
  })

  describe('what is written is text', () => {
    const spec =
      'params: [A: "| tr a b", B: "${A} | tr b c"]\nsteps: [{name: a, env: {C: "${B} | tr c d"}, command: "echo a ${C}; echo a ${A}; echo a ${X}"}]'
    it('params defaults, and what is made of them and env; beside data', async () => {
      const run = await live.run(spec, { params: 'X="| tr a x"' })
      expect(run.out('a')).to.equal('d\nb\na | tr a x\n')
    })
    it('a default that a caller sends back is the author’s; another value of the name is not', async () => {
      const run = await live.run(spec, { params: 'A="| tr a b" X=' })
      expect(run.out('a')).to.equal('d\nb\na\n')
      const other = await live.run(spec, { params: 'A="| tr a z" X=' })
      expect(other.out('a')).to.equal('d\na | tr a z\na\n')
    })
    it('params passed on the command line, also after a retry; those of other callers stay data', async () => {
      const failing = spec.replace('echo a ${X}', 'echo a ${X}; test ! -e ${F}')
      for (const [request, wanted] of [
        [{ evaluateParams: true }, 'x\n'],
        [{}, 'a | tr a x\n']
      ] as const) {
        const first = await live.run(failing, { params: `X="| tr a x" F=${folder}`, ...request })
        expect(first.status).to.equal('failed')
        expect(first.out('a')).to.equal(`d\nb\n${wanted}`)
        const again = await live.ended(await live.engine.retry(first.run))
        expect(again.out('a')).to.equal(`d\nb\n${wanted}`)
        const other = await live.ended(await live.engine.retry(first.run, { dagRunId: `other-${wanted.length}` }))
        expect(other.out('a')).to.equal(`d\nb\n${wanted}`)
      }
    })
    it('params of a call: what its author wrote is text, what is made of data is data', async () => {
      const run = await live.run(
        'steps:\n- name: calls\n  call: kid\n  params: {P: "| tr a b", Q: "${X}", R: "-${X}"}\n  output: SUB\n- {name: a, command: "echo \\"${SUB.outputs.SAID}\\""}\n---\nname: kid\nsteps: [{command: "echo a ${P}; echo a ${Q} ${R}", output: SAID}]',
        { params: 'X="| tr a c"' }
      )
      expect(run.out('a')).to.equal('b\na | tr a c -| tr a c\n')
    })
    it('shellExpansion: text inserts everything as text', async () => {
      const run = await live.run(
        'shellExpansion: text\nsteps: [{command: "echo \'| tr a b\'", output: O}, {name: a, command: "echo a ${O} ${X}; echo `echo \'a | tr a c\'`"}]',
        {
          params: 'X="| tr b c"'
        }
      )
      expect(run.out('a')).to.equal('c\nc\n')
    })
    it('shellExpansion: text of a caller does not make text of data in what it calls', async () => {
      const run = await live.run(
        'shellExpansion: text\nsteps:\n- {name: calls, call: kid, env: {E: "${X}"}, params: {P: "${X}", Q: "| tr a c"}, output: SUB}\n- {name: a, command: "echo \\"${SUB.outputs.SAID}\\""}\n---\nname: kid\nenv: {F: "${E}"}\nsteps: [{env: {G: "${F}"}, command: "echo a ${P} ${G}; echo a ${Q}", output: SAID}]',
        { params: 'X="| tr a b"' }
      )
      expect(run.out('a')).to.equal('a | tr a b | tr a b\nc\n')
    })
    it('a command that is nothing but one reference is a command line', async () => {
      const run = await live.run('steps:\n- {name: a, command: "${X}"}\n- {name: b, command: $1}', {
        params: JSON.stringify({ X: 'echo a | tr a b', '1': 'echo c && echo d' })
      })
      expect(run.out('a') + run.out('b')).to.equal('b\nc\nd\n')
    })
    it('another interpreter receives values raw, and finds them in its environment', async () => {
      const run = await live.run(
        `steps:\n- name: a\n  script: |\n    #!/usr/bin/env python3\n    import os\n    print(\${N} + 1, os.environ["X"])`,
        { params: JSON.stringify({ N: '41', X: '"); import os #' }) }
      )
      expect(run.out('a')).to.equal('42 "); import os #\n')
    })
  })
})
