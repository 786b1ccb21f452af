/** Secrets of a run: where they are seen, and that they are written down nowhere. Source: execution-semantics 14.4; reliability P23. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect } from 'chai'
import { launcherFolder } from '../../src/executors/launcher-folder.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine, seen, textOf } from '../support/live.ts'
import { eventually, WHEN_BUSY } from '../support/waiting.ts'

const MASK = '*******'
const canary = () => `canary-${randomBytes(12).toString('hex')}`

/** Content of every file below a folder, by path. */
function filesIn(folder: string): { path: string; bytes: Buffer }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => ({ path, bytes: existsSync(path) ? readFileSync(path) : Buffer.alloc(0) }))
}

/** Paths of files that hold a value, plain, as JSON has it, or as UTF-16. */
const leaks = (folder: string, value: string): string[] =>
  filesIn(folder)
    .filter(({ bytes }) =>
      [Buffer.from(value), Buffer.from(JSON.stringify(value).slice(1, -1)), Buffer.from(value, 'utf16le')].some(
        (form) => bytes.includes(form)
      )
    )
    .map(({ path }) => path)

describe('secrets', () => {
  const token = canary()
  const line = canary()
  const key = `"first\\ ${line}"\nsecond ${line}\nxyz\n`
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'key.pem'), `${key}\n`)
  process.env.E2E_TOKEN = token
  process.env.E2E_PREFIX = token.slice(0, 12)
  process.env.E2E_QUOTED = `${canary()}"\\ '${canary()}`
  after(() => {
    delete process.env.E2E_QUOTED
    delete process.env.E2E_TOKEN
    delete process.env.E2E_PREFIX
  })
  const live = liveEngine()
  const dag = (steps: string, more = '') => `
      workingDir: ${folder}
      type: graph
      secrets:
        - {name: TOKEN, provider: env, key: E2E_TOKEN}
        - {name: PREFIX, provider: env, key: E2E_PREFIX}
        - {name: KEY, provider: file, key: key.pem}
${more}
      steps:
${steps}
`

  it('14.4.5 a secret is in the environment of steps and handlers, and ${NAME} at run time; 14.4.6 it is masked in both logs', async () => {
    const run = await live.run(
      dag(
        `
        - name: sees
          env: [{COPY: "<\${TOKEN}>"}]
          command: test "$TOKEN" = ${token.slice(0, 20)}"${token.slice(20)}" && echo "$TOKEN \${TOKEN} $COPY" && echo "err $TOKEN" >&2
      `,
        `      handlerOn:
        exit: {command: "echo handler $TOKEN"}`
      )
    )
    expect(run.status).to.equal('succeeded')
    expect(run.out('sees')).to.equal(`${MASK} ${MASK} <${MASK}>\n`)
    expect(run.err('sees')).to.equal(`err ${MASK}\n`)
    expect(run.out('onExit')).to.equal(`handler ${MASK}\n`)
  })

  it('14.4.6 a value split over two writes 200 ms apart, a prefix of another, a value of several lines', async () => {
    const run = await live.run(
      dag(`
        - {name: split, command: 'printf %s "\${TOKEN%??????}"; sleep 0.2; printf "%s\\n" "\${TOKEN#"\${TOKEN%??????}"}"'}
        - {name: prefix, command: 'echo "$PREFIX-$TOKEN-$PREFIX"'}
        - {name: lines, command: 'echo "$KEY"; cat key.pem; sed -n 2p key.pem; printf "xyz\\n"'}
      `)
    )
    expect(run.out('split')).to.equal(`${MASK}\n`)
    expect(run.out('prefix')).to.equal(`${MASK}-${MASK}-${MASK}\n`)
    expect(run.out('lines')).to.equal(`${MASK}\n${MASK}\n${MASK}\nxyz\n`)
  })

  it('14.4.6 stdout: and stderr: files are masked, and complete when the next step reads them', async () => {
    const run = await live.run(
      dag(`
        - {name: copied, command: 'seq 20000; echo $TOKEN; echo "e $TOKEN" >&2', stdout: out.txt, stderr: err.txt}
        - {name: reads, depends: copied, command: tail -n 1 out.txt}
      `)
    )
    expect(run.out('reads')).to.equal(`${MASK}\n`)
    expect(textOf(join(folder, 'err.txt'))).to.equal(`e ${MASK}\n`)
    expect(statSync(join(folder, 'out.txt')).mode & 0o777).to.equal(0o600)
  })

  it('exit codes, signals, the group and $$ of a masked step are those of any other', async function () {
    this.retries(WHEN_BUSY)
    const run = await live.run(
      dag(`
        - {name: code, command: exit 143, continueOn: {failure: true}}
        - {name: signal, command: kill -TERM $$, continueOn: {failure: true}}
        - {name: group, command: 'test $(cut -d" " -f5 /proc/$$/stat) = $$ && test $(cut -d" " -f6 /proc/$$/stat) = $$'}
        - {name: fds, command: 'ls /proc/self/fd'}
        - {name: holder, command: 'sleep 30 & echo $!'}
      `)
    )
    expect(run.node('code')).to.include({ exitCode: 143 }).and.not.have.property('signal')
    expect(run.node('signal')).to.include({ exitCode: -1, signal: 'terminated' })
    expect(run.node('group')).to.include({ exitCode: 0 })
    const plain = await live.run('steps: [{name: fds, command: ls /proc/self/fd}]')
    expect(run.out('fds')).to.equal(plain.out('fds'))
    const { startedAt = 0, finishedAt = 0 } = run.node('holder')
    expect(finishedAt - startedAt, 'the pipes are drained for two seconds').to.be.within(1_900, 6_000)
    process.kill(Number(run.out('holder')))
  })
  it('4.5.3 stdout and stderr may name the same file; binary output passes unchanged', async () => {
    const bytes = randomBytes(300_000)
    writeFileSync(join(folder, 'bytes'), bytes)
    const run = await live.run(
      dag(`
        - {name: same, command: 'echo $TOKEN; echo $TOKEN >&2', stdout: same.txt, stderr: same.txt}
        - {name: bytes, command: 'cat bytes'}
      `)
    )
    expect(textOf(join(folder, 'same.txt'))).to.equal(`${MASK}\n${MASK}\n`)
    expect(readFileSync(run.node('bytes').stdout ?? '')).to.deep.equal(bytes)
  })

  it('14.4.8 a captured output is clear for later steps and handlers, and masked in the record', async () => {
    const run = await live.run(
      dag(
        `
        - {name: makes, command: 'printf "  %s|%s\\n\\n" "$TOKEN" "$KEY"; echo "*******"', output: OUT}
        - {name: uses, depends: makes, command: 'test "\${OUT%%|*}" = "$TOKEN"'}
        - {name: raw, depends: makes, command: 'printf %s "\${OUT}" >raw.txt'}
        - {name: json, depends: makes, command: 'printf "{\\"a\\": {\\"b\\": \\"%s\\"}}" "$TOKEN"', output: JSON}
        - {name: path, depends: json, env: [{AB: "\${JSON.a.b}"}], command: 'test "$AB" = "$TOKEN"'}
        - {name: python, depends: json, env: [{AB: "\${JSON.a.b}"}], shell: "python3", script: 'import os; assert os.environ["AB"] == os.environ["TOKEN"]'}
      `,
        `      handlerOn:
        exit: {command: 'test "$OUT" = "$(cat raw.txt)"'}`
      )
    )
    expect(run.statuses).to.deep.equal(Array.from({ length: 6 }, () => 'succeeded'))
    expect(run.node('onExit').status).to.equal('succeeded')
    expect(readFileSync(join(folder, 'raw.txt'), 'utf8')).to.equal(`${token}|${key}\n\n${MASK}`)
    expect(run.node('makes').output).to.equal(`${MASK}|${MASK}\n\n${MASK}`)
    expect(JSON.stringify(run)).to.not.contain(token)
  })

  it('4.5.6 maxOutputSize counts the bytes that the step wrote, not those of the masks', async () => {
    const sized = (size: number) =>
      live.run(
        dag(`\n        - {name: out, command: 'printf %s "$TOKEN"', output: OUT}`, `      maxOutputSize: ${size}`)
      )
    expect((await sized(token.length)).status).to.equal('succeeded')
    expect((await sized(token.length - 1)).node('out').error).to.contain('output exceeded maximum size limit')
  })

  it('3.3.3 a secret is never put into a command line or script: the shell puts it in, or the step fails and says why', async () => {
    const run = await live.run(
      dag(`
        - {name: makes, command: 'echo "$TOKEN"', output: OUT}
        - {name: shown, depends: makes, command: 'tr "\\0" " " </proc/$$/cmdline; echo "\${OUT} \${TOKEN}"'}
        - {name: quoted, depends: makes, command: "echo '-\${OUT}-'", continueOn: {failure: true}}
        - {name: words, command: echo, args: ["\${TOKEN}"], continueOn: {failure: true}}
        - {name: script, depends: makes, shell: python3, script: 'print("\${OUT}")', continueOn: {failure: true}}
        - {name: odd, env: [{my-var: "\${TOKEN}"}], command: 'true', continueOn: {failure: true}}
      `)
    )
    expect(run.out('shown')).to.match(/echo "\$\{OUT\} \$\{TOKEN\}" \*{7} \*{7}\n$/)
    for (const [name, reference] of [
      ['quoted', '${OUT}'],
      ['words', '${TOKEN}'],
      ['script', '${OUT}']
    ] as const)
      expect(run.node(name).error).to.contain(`${reference} holds a secret`)
    expect(run.node('odd').error).to.contain('the variable my-var holds a secret')
  })

  it('14.4.9 node errors, condition errors and messages are masked', async () => {
    const run = await live.run(
      dag(`
        - {name: fails, command: 'echo "no $TOKEN" >&2; exit 1', continueOn: {failure: true}}
        - name: skipped
          command: 'true'
          preconditions: [{condition: "\${TOKEN}", expected: other}]
          continueOn: {skipped: true}
        - {name: ticks, env: [{X: "\`echo $TOKEN >&2; exit 3\`"}], command: 'true', continueOn: {failure: true}}
        - {name: demands, env: [{X: "\${NONE:?\${TOKEN}}"}], command: 'true', continueOn: {failure: true}}
        - {name: calls, call: "\${TOKEN}", continueOn: {failure: true}}
      `)
    )
    expect(run.node('fails').error).to.contain(`no ${MASK}`)
    expect(run.node('skipped').conditions?.[0]?.error).to.contain(`got "${MASK}"`)
    expect(run.node('ticks').error).to.contain(MASK)
    expect(run.node('demands').error).to.contain(MASK)
    expect(run.node('calls').error).to.contain(MASK)
    const written = JSON.stringify(run) + textOf(run.run.log) + run.err('ticks') + run.err('calls')
    expect(written).to.not.contain(token)
  })

  it('3.5.5 a call whose params or items hold a secret fails, whatever the quotes that its characters need', async () => {
    const run = await live.run(`
      type: graph
      secrets: [{name: QUOTED, provider: env, key: E2E_QUOTED}]
      steps:
        - {name: params, call: kid, params: "P=\${QUOTED} Q=x", continueOn: {failure: true}}
        - {name: items, call: kid, parallel: ["a", "\${QUOTED}"], params: "P=\${ITEM}", continueOn: {failure: true}}
        - {name: json, call: kid, params: '{"Q":{"k":["\${QUOTED}"]}}', continueOn: {failure: true}}
        - {name: each, call: kid, parallel: [a, b], params: "P=\${QUOTED}", continueOn: {failure: true}}
        - {name: bare, call: kid, parallel: ["\${QUOTED}"], continueOn: {failure: true}}
        - {name: nested, call: kid, params: {P: {a: "\${QUOTED}"}}, continueOn: {failure: true}}
        - {name: map, call: kid, parallel: [{P: "\${QUOTED}"}], continueOn: {failure: true}}
---
name: kid
params: P=x
steps: ['true']
`)
    for (const [name, where] of [
      ['params', 'P'],
      ['json', 'Q'],
      ['items', 'item 2 of 2'],
      ['bare', 'item 1 of 1'],
      ['each', 'P, item 1 of 2'],
      ['nested', 'P'],
      ['map', 'item 1 of 1']
    ] as const)
      expect(run.node(name).error, name).to.equal(
        `params of a sub workflow hold a secret (${where}): name it under \`secrets\` of the sub workflow instead`
      )
    expect(live.engine.subRuns(run.run)).to.deep.equal([])
  })

  it('14.4.4 a secret that cannot be resolved fails the run: no steps, no handlers', async () => {
    for (const [secret, reason] of [
      ['{name: A, provider: env, key: E2E_NONE}', 'variable E2E_NONE'],
      ['{name: A, provider: file, key: none.pem}', `there is no file ${folder}/none.pem`],
      ['{name: A, provider: file, key: /dev}', 'it is not a regular file']
    ] as const) {
      const run = await live.run(`
        workingDir: ${folder}
        secrets: [{name: T, provider: env, key: E2E_TOKEN}, ${secret}]
        steps: [{name: never, command: touch ${folder}/never}]
        handlerOn: {exit: {command: touch ${folder}/never}}
      `)
      expect(run.status).to.equal('failed')
      expect(run.run.error).to.contain('failed to resolve secrets: secret "A"').and.contain(reason)
      expect(run.statuses).to.deep.equal(['not_started'])
      expect(readdirSync(folder)).to.not.include('never')
    }
  })
})

describe('secrets at rest', () => {
  const canaries = { plain: canary(), odd: `"${canary()}\\\n${canary()}'` }
  before(() => {
    process.env.REST_PLAIN = canaries.plain
    process.env.REST_ODD = canaries.odd
  })
  after(() => {
    delete process.env.REST_PLAIN
    delete process.env.REST_ODD
  })

  it('P23 no value is in the store, the write-ahead file, any log, any answer, or the command line of any process', async () => {
    const home = temporaryFolder()
    const engine: Engine = await createEngine({ home, defaultShell: 'sh' })
    const shown: string[] = []
    try {
      engine.subscribe((event) => shown.push(JSON.stringify(event)))
      const dagRunId = 'r1'
      const name = 'rest'
      await engine.start({
        dagRunId,
        spec: `
name: ${name}
type: graph
secrets:
  - {name: PLAIN, provider: env, key: REST_PLAIN}
  - {name: ODD, provider: env, key: REST_ODD}
params: [{P: x}]
handlerOn:
  failure: {command: 'echo "$PLAIN \${OUT}"', output: HANDLED}
steps:
  - {name: out, command: 'printf "%s\\n" "$PLAIN" "$ODD" "$ODD" | tee /dev/stderr', output: OUT, stdout: out.txt, stderr: err.txt}
  - {name: script, depends: out, script: "echo \${OUT}\\nsleep 1"}
  - {name: slow, command: 'echo "$PLAIN"; sleep 1'}
  - {name: fails, depends: out, command: 'echo "\${OUT}" >&2; exit 3'}
  - {name: unmet, preconditions: [{condition: "\${ODD}", expected: x}], command: 'true'}
`
      })
      const arguments_: string[] = []
      while (engine.record({ name, dagRunId })?.status === 'running') {
        for (const pid of readdirSync('/proc').filter((entry) => /^\d+$/.test(entry)))
          try {
            arguments_.push(textOf(`/proc/${pid}/cmdline`))
          } catch {
            // it has ended since
          }
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
      const run = seen(await engine.result({ name, dagRunId }))
      expect(run.status).to.equal('failed')
      expect(run.out('slow')).to.equal(`${MASK}\n`)
      const texts = [...arguments_, ...shown, JSON.stringify(run)].join('\n')
      for (const value of [canaries.plain, ...canaries.odd.split('\n')])
        expect(texts.includes(value) || texts.includes(JSON.stringify(value).slice(1, -1))).to.equal(false)
      for (const folder of [home, launcherFolder(join(home, 'data'))])
        expect(leaks(folder, canaries.plain), 'while the engine is open').to.deep.equal([])
    } finally {
      await engine.close()
    }
    for (const value of [canaries.plain, ...canaries.odd.split('\n'), canaries.odd]) {
      expect(leaks(home, value)).to.deep.equal([])
    }
  })
})

const child = fileURLToPath(new URL('../support/engine-child.js', import.meta.url))

describe('kill -9 of the engine while steps with secrets run', () => {
  it('14.4.6, 14.4.8 the step goes on, stays masked, and its output is clear for later steps of the next engine', async () => {
    const token = canary()
    const home = temporaryFolder()
    writeFileSync(
      join(home, 'spec.yaml'),
      `
name: killed
secrets: [{name: TOKEN, provider: env, key: KILL_TOKEN}]
handlerOn:
  exit: {command: 'test "$BEFORE $DURING" = "$TOKEN $TOKEN!"'}
steps:
  - {name: before, command: echo $TOKEN, output: BEFORE}
  - name: during
    script: |
      printf '%s' "\${TOKEN%????}"
      touch ${home}/began
      while [ ! -e ${home}/go ]; do sleep 0.05; done
      echo "\${TOKEN#"\${TOKEN%????}"}!"
      echo "$TOKEN" >&2
    output: DURING
  - {name: after, command: 'test "\${BEFORE} \${DURING}" = "$TOKEN $TOKEN!"'}
`.replaceAll('\\$', '$')
    )
    process.env.KILL_TOKEN = token
    const dead = spawn(process.execPath, [child, home, join(home, 'spec.yaml'), 'r1'], {
      stdio: ['ignore', 'pipe', 'inherit']
    })
    await once(dead.stdout, 'data')
    await eventually('the step', () => (existsSync(join(home, 'began')) ? true : undefined))
    dead.kill('SIGKILL')
    await once(dead, 'exit')
    const engine = await createEngine({ home })
    try {
      writeFileSync(join(home, 'go'), '')
      const run = seen(await engine.result({ name: 'killed', dagRunId: 'r1' }))
      expect(run.status).to.equal('succeeded')
      expect(run.statuses).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
      expect(run.node('onExit').status).to.equal('succeeded')
      expect([run.node('before').output, run.err('during')]).to.deep.equal([MASK, `${MASK}\n`])
      const logs = dirname(run.node('before').stdout ?? '')
      await eventually(
        'no records left',
        () => !readdirSync(logs).some((name) => /\.(state|marks)$/.test(name)) || undefined
      )
      expect(leaks(home, token)).to.deep.equal([])
    } finally {
      delete process.env.KILL_TOKEN
      await engine.close()
    }
  })
})
