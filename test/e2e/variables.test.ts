/** What becomes of references and backticks in the fields of a step. Source: execution-semantics 3.1 to 3.3. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { liveEngine, textOf } from '../support/live.ts'

describe('variables in the fields of a step', () => {
  const live = liveEngine()

  it('3.1.1 ${NAME} and $NAME, case-sensitive; 3.1.6 an undefined name stays for the shell in commands, is empty elsewhere', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      params: NAME=n
      workingDir: ${folder}
      steps:
        - name: command
          command: echo "\${NAME}$NAME-\${name}-\${UNDEFINED:-shell default}"
        - name: strict
          shell: sh -u
          command: echo "\${UNDEFINED}"
          continueOn: {failure: true}
        - name: field
          env: {E: "<\${UNDEFINED}><\${UNDEFINED:-default}><\${NAME:+set}>"}
          command: printenv E
          stdout: x\${UNDEFINED}y
    `)
    expect(run.out('command')).to.equal('nn--shell default\n')
    expect(run.node('strict').error).to.contain('UNDEFINED')
    expect(run.out('field')).to.equal('<><default><set>\n')
    expect(textOf(join(folder, 'xy'))).to.equal('<><default><set>\n')
  })

  it("3.1.2 `cmd` is run by the default shell in the step's environment, its output trimmed; a failing one is an evaluation error", async () => {
    const run = await live.run(`
      type: graph
      params: P=param
      steps:
        - name: runs
          env: {E: step}
          command: echo "<\`printf '  %s %s  ' "$E" "\${P}"; echo no >&2\`>"
        - name: fails
          command: echo "\`echo why >&2; exit 3\`"
        - name: large
          command: echo "\`head -c 1048577 /dev/zero\`"
        - name: empty
          command: echo 'a\`\`b'
    `)
    expect(run.out('runs')).to.equal('<step param>\n')
    expect(run.node('fails')).to.include({ status: 'failed', exitCode: 1 })
    expect(run.node('fails').error).to.contain('failed to execute command "echo why >&2; exit 3": exit status 3\nwhy')
    expect(run.node('large').error).to.contain('output exceeded maximum size limit of 1048576 bytes')
    expect(run.out('empty')).to.equal('a``b\n')
  })

  it('3.1.3 \\` is never a substitution, \\$ never an expansion; 3.1.4 single quotes that touch a reference keep it', async () => {
    const run = await live.run(`
      params: X=value
      steps:
        - name: escapes
          command: echo "\\\`echo no\\\` \\\${X} \\$X" '\${X}' '$X' 'x\${X}'
    `)
    expect(run.out('escapes')).to.equal('`echo no` ${X} $X ${X} $X xvalue\n')
  })

  it('3.1.5 inside double quotes a value arrives unchanged; unquoted it is inserted raw', async () => {
    const nasty = `it's "q" \\ $HOME \`date\` \${X} *\nsecond`
    const run = await live.run(
      `
      steps:
        - name: quoted
          command: printf %s "\${NASTY}"
        - name: part
          command: printf '<%s>' "a\${NASTY}b" x"$NASTY"y
        - name: script
          script: |
            printf '<%s>' "\${NASTY}" "a $NASTY b"
        - name: raw
          command: \${LINE}
      `,
      { params: JSON.stringify({ NASTY: nasty, LINE: 'echo one; echo two | tr a-z A-Z' }) }
    )
    expect(run.out('quoted')).to.equal(nasty)
    expect(run.out('part')).to.equal(`<a${nasty}b><x${nasty}y>`)
    expect(run.out('script')).to.equal(`<${nasty}><a ${nasty} b>`)
    expect(run.out('raw')).to.equal('one\nTWO\n')
  })

  it('3.1.8 replaced text is not scanned again: values of params, env and outputs that hold $Y or a backtick are literal', async () => {
    const folder = temporaryFolder()
    const run = await live.run(
      `
      workingDir: ${folder}
      env:
        - SECRET: s3cret
        - E: 'a \\$SECRET'
        - COPY: "\${E}"
      steps:
        - name: makes
          command: printf '%s' '\${SECRET} \`touch \${MADE}\`'
          output: OUT
        - name: shows
          command: printf '%s|' "\${OUT}" "\${P}" "\${E}" "\${COPY}" "\${STEP}"
          env: {STEP: "\${OUT} \${P}"}
          stdout: "\${P}.txt"
          preconditions:
            - {condition: "\${P}", expected: '$SECRET\`touch x\`'}
      `,
      { params: '{"P": "$SECRET`touch x`"}' }
    )
    expect(run.status).to.equal('succeeded')
    const output = '${SECRET} `touch ${MADE}`'
    expect(run.out('makes')).to.equal(output)
    expect(run.out('shows')).to.equal(`${output}|$SECRET\`touch x\`|a $SECRET|a $SECRET|${output} $SECRET\`touch x\`|`)
    expect(textOf(join(folder, '$SECRET`touch x`.txt'))).not.to.equal('')
  })

  it('3.1.9 ~ at the start of dir, stdout and stderr is the home directory', async () => {
    const run = await live.run(
      "steps: [{name: home, dir: '~', command: 'echo \"$PWD\"; echo ~', stdout: '~/../dev/null'}]"
    )
    expect(run.out('home').split('\n')[1]).to.equal(homedir())
  })

  it('3.2 JSON paths: string raw, number and boolean as JSON, object and array compact, null and missing empty', async () => {
    const json =
      '{"a":{"b":"text","n":12345678901234567890,"t":true,"o":{"x":[1,2]},"z":null},"l":["p",{"q":"r"}],"x y":"blank"}'
    const run = await live.run(`
      steps:
        - name: makes
          script: |
            cat <<'END'
            ${json}
            END
          output: DATA
        - name: shows
          command: printf '%s|' "\${DATA.a.b}" "\${DATA.a.n}" "\${DATA.a.t}" "\${DATA.a.o}" "\${DATA.a.z}" "\${DATA.no}"
            "\${DATA.l[0]}" "\${DATA.l[-1].q}" "\${DATA.l[1:2]}" "$DATA.a.b" "\${DATA.["x y"]}" "\${DATA.a}"
        - name: not JSON
          env: {E: "\${PLAIN.a}"}
          command: printenv E
      params: PLAIN=text
    `)
    expect(run.out('shows')).to.equal(
      'text|12345678901234567890|true|{"x":[1,2]}|||p|r|[{"q":"r"}]|text|blank|{"b":"text","n":12345678901234567890,"t":true,"o":{"x":[1,2]},"z":null}|'
    )
    expect(run.out('not JSON'), '3.2.3 the reference stays as written').to.equal('${PLAIN.a}\n')
    expect(textOf(run.run.log), 'one warning in the run log').to.match(/level=WARN.*\$\{PLAIN\.a\}/)
  })

  it('3.2.4 ${id.stdout}, ${id.stderr}: paths of the log files; ${id.exitCode}; 3.2.5 slices', async () => {
    const run = await live.run(`
      steps:
        - {name: first step, id: one, command: 'echo out; echo err >&2; exit 3', continueOn: {exitCode: 3}}
        - name: shows
          command: cat "\${one.stdout}" "\${one.stderr}"; echo "\${one.exitCode} \${one.exit_code} \${one.stdout:0:5} \${one.stdout:1}"
    `)
    const { stdout = '' } = run.node('first step')
    expect(run.out('shows')).to.equal(`out\nerr\n3 3 ${stdout.slice(0, 5)} ${stdout.slice(1)}\n`)
  })

  it('3.2.6 before the step ran all three stay as text; 3.2.7 other properties fall through to the variable; 1.5.7 ids with a dash', async () => {
    const run = await live.run(`
      type: graph
      params:
        - one: '{"key": "value"}'
      steps:
        - name: early
          env: {E: "\${later-on.stdout} \${later-on.exitCode}"}
          command: printenv E
        - {id: later-on, name: late, depends: early, command: echo late}
        - {id: one, name: first, depends: late, command: exit 0}
        - name: shows
          depends: first
          command: cat "\${later-on.stdout}"; echo "\${one.exitCode} \${one.key}"
    `)
    expect(run.out('early')).to.equal('${later-on.stdout} ${later-on.exitCode}\n')
    expect(run.out('shows')).to.equal('late\n0 value\n')
  })

  it('3.2.8 a reference to a step that is no predecessor logs a warning, once per node; others log none', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: first, id: behind, command: echo out}
        - {name: between, depends: first, command: "true"}
        - {name: apart, id: beside, command: echo out}
        - name: refers
          id: self
          depends: between
          env: {E: "\${beside.stdout} \${behind.stdout}"}
          command: echo "\${beside.exitCode} \${behind.exitCode} \${self.stdout}"; exit 1
          retryPolicy: {limit: 2}
          continueOn: {failure: true, markSuccess: true}
        - {name: last, id: after, depends: refers, command: 'echo "\${self.exitCode} \${after.stdout} \${beside.stdout}"'}
      handlerOn: {exit: 'cat "\${beside.stdout}"'}
    `)
    expect(run.out('onExit')).to.equal('out\n')
    const warned = Array.from(
      textOf(run.run.log).matchAll(
        /msg="the step with the id (\w+) is referred to, and is no predecessor" step=(\w+)/g
      ),
      ([, id, step]) => `${step}: ${id}`
    )
    expect(warned.sort()).to.deep.equal(['last: beside', 'refers: beside'])
  })

  it('3.3 what is never expanded: names, output, continueOn patterns, expected', async () => {
    const run = await live.run(`
      params: X=value
      steps:
        - name: is \${X}
          description: has \${X}
          command: "echo '\${X}'; false"
          continueOn: {output: "\${X}", markSuccess: true}
        - name: expected
          command: echo no
          preconditions: [{condition: "\${X}", expected: "\${X}"}]
    `)
    expect(run.nodes[0]?.step).to.include({ name: 'is ${X}', description: 'has ${X}' })
    expect(run.statuses).to.deep.equal(['succeeded', 'skipped'])
  })

  it('3.3.1 command, args and script are evaluated before every execution', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: again
          command: echo \`echo x >>n; wc -l <n\`; [ $(wc -l <n) -ge 3 ]
          retryPolicy: {limit: 5}
    `)
    expect(run.out('again')).to.equal('1\n2\n3\n')
  })

  it('backticks of a step whose precondition does not hold are not run', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}
      steps:
        - name: skipped
          command: echo \`touch ran\`
          args: ["\`touch ran\`"]
          stdout: "\`touch ran; echo copy\`"
          preconditions: ["false"]
        - name: looks
          depends: []
          command: ls
    `)
    expect(run.statuses).to.deep.equal(['skipped', 'succeeded'])
    expect(run.out('looks')).to.equal('')
  })
})
