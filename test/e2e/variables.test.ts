/** What steps see, and which value wins. Source: execution-semantics 3. */
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

describe('precedence and visibility of variables', () => {
  const live = liveEngine()

  it('3.4 step env, params, outputs, special variables, DAG env, base environment: highest first, for expansion and environment alike', async () => {
    const run = await live.run(`
      env: [{A: dag}, {B: dag}, {C: dag}, {D: dag}, {DAG_RUN_STEP_NAME: dag}, {HOME: dag}]
      params: A=param B=param C=param
      steps:
        - name: makes
          command: echo output
          output: B
        - name: makes more
          command: echo output
          output: D
        - name: shows
          env: {A: step}
          command: echo "\${A} \${B} \${C} \${D} \${DAG_RUN_STEP_NAME} \${HOME}"; sh -c 'echo "$A $B $C $D $DAG_RUN_STEP_NAME $HOME"'
          script: ""
    `)
    const values = 'step param param output shows dag\n'
    expect(run.out('shows')).to.equal(values + values)
  })

  it('3.4 the nearest predecessor first when two steps use one output name', async () => {
    const run = await live.run(`
      steps:
        - {name: far, command: echo far, output: X}
        - {name: near, command: echo near, output: X}
        - {name: shows, command: 'echo \${X}'}
    `)
    expect(run.out('shows')).to.equal('near\n')
  })

  it('3.4.2 a later env entry replaces an earlier one; an entry may refer to its own earlier value; 3.4.5 step env sees earlier entries', async () => {
    const run = await live.run(`
      env:
        - PATH: "/first:\${PATH}"
        - PATH: "\${PATH}:/last"
        - SAME: one
        - SAME: "\${SAME} two"
        - "TEXT=k=v"
      steps:
        - name: shows
          env:
            - SAME: "\${SAME} three"
            - NEXT: "\${SAME} four"
          command: 'echo "$SAME|$NEXT|$TEXT|$PATH"'
    `)
    expect(run.out('shows')).to.equal(`one two three|one two three four|k=v|/first:${process.env.PATH}:/last\n`)
  })

  it('3.4.3 outputs are visible to transitive dependents only, plus all handlers', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: makes, command: echo value, output: X}
        - {name: direct, depends: makes, command: "true"}
        - {name: transitive, depends: direct, command: 'echo "<\${X:-}>"'}
        - {name: apart, command: 'echo "<\${X:-}>"'}
        - {name: later but apart, depends: apart, command: 'echo "<$X>"'}
      handlerOn:
        exit: {command: 'echo "<\${X}>"'}
    `)
    expect(run.out('transitive')).to.equal('<value>\n')
    expect(run.out('apart') + run.out('later but apart')).to.equal('<>\n<>\n')
    expect(run.out('onExit')).to.equal('<value>\n')
  })

  it('3.4.3 a step after a `depends: []` step in a chain has lost the path', async () => {
    const run = await live.run(`
      steps:
        - {name: makes, command: echo value, output: X}
        - {name: apart, depends: [], command: "true"}
        - {name: shows, command: 'echo "<$X>"'}
    `)
    expect(run.out('shows')).to.equal('<>\n')
  })

  it("3.4.4 a failed step's captured output is set and visible too", async () => {
    const run = await live.run(`
      steps:
        - {name: fails, command: 'echo value; exit 3', output: X, continueOn: {failure: true}}
        - {name: shows, command: 'echo "\${X}"'}
      handlerOn: {exit: 'echo "\${X}"'}
    `)
    expect(run.out('shows') + run.out('onExit')).to.equal('value\nvalue\n')
  })
})

describe('environment of step processes', () => {
  const foreign = {
    TROUPE_TEST_FOREIGN: 'foreign',
    LC_TROUPE: 'lc',
    DAG_TROUPE: 'dag',
    ENGINE_TROUPE: 'engine',
    ENGINE_AUTH_TOKEN: 'hidden',
    ENGINE_AUTH_BASIC_USERNAME: 'hidden',
    ENGINE_AUTH_BASIC_PASSWORD: 'hidden',
    LD_LIBRARY_PATH: '/hidden'
  }
  before(() => Object.assign(process.env, foreign))
  after(() => {
    for (const name of Object.keys(foreign)) delete process.env[name]
  })
  const live = liveEngine()

  it('3.5.1 only PATH HOME LANG TZ SHELL and the prefixes ENGINE_ LC_ DAG_ reach step processes; 3.5.3 ENGINE_AUTH_* are dropped', async () => {
    const run = await live.run(`
      name: filtered
      params: P=p one
      env: {OWN: own}
      steps:
        - {name: shows, command: tr '\\0' '\\n' </proc/$$/environ, env: {STEP: step}}
    `)
    const names = run
      .out('shows')
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0] ?? '')
      .sort()
    const allowed = Object.keys(process.env).filter((name) =>
      /^(PATH|HOME|LANG|TZ|SHELL|ENGINE_(?!AUTH_).*|LC_.*|DAG_.*)$/.test(name)
    )
    const special = [
      'DAG_NAME',
      'DAG_RUN_ID',
      'DAG_RUN_LOG_FILE',
      'DAG_RUN_STEP_NAME',
      'DAG_RUN_STEP_STDERR_FILE',
      'DAG_RUN_STEP_STDOUT_FILE'
    ]
    expect(names).to.deep.equal([...allowed, ...special, 'PWD', 'P', '2', 'OWN', 'STEP'].sort())
    expect(names).to.include.members(['LC_TROUPE', 'DAG_TROUPE', 'ENGINE_TROUPE'])
    expect(names, '3.5.2 the list is closed').not.to.include('LD_LIBRARY_PATH')
  })

  it('3.5.1 holds for backticks of a step, conditions and handlers as well', async () => {
    const hidden = 'echo "$TROUPE_TEST_FOREIGN$ENGINE_AUTH_TOKEN$LD_LIBRARY_PATH"'
    const run = await live.run(`
      preconditions: ['test -z "$TROUPE_TEST_FOREIGN$ENGINE_AUTH_TOKEN"']
      steps:
        - {name: backtick, command: 'echo "<\`${hidden}\`>"'}
        - {name: condition, command: "true", preconditions: ['test -z "$TROUPE_TEST_FOREIGN"']}
        - {name: unset at run time, command: 'echo "<\${TROUPE_TEST_FOREIGN}>"', env: {E: "<\${ENGINE_AUTH_TOKEN}>"}}
      handlerOn: {exit: '${hidden.replaceAll("'", "''")}'}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'succeeded', 'succeeded'])
    expect(run.out('backtick') + run.out('unset at run time') + run.out('onExit')).to.equal('<>\n<>\n\n')
  })

  it('3.5.4 the full server environment is available to ${VAR} at load (env, params, paths) and to backticks there, not at run time', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      workingDir: ${folder}/\${TROUPE_TEST_FOREIGN}
      env: [{E: "\${TROUPE_TEST_FOREIGN} \`echo $TROUPE_TEST_FOREIGN\`"}]
      params: ["P=\${TROUPE_TEST_FOREIGN}", "Q=\`echo $TROUPE_TEST_FOREIGN\`"]
      steps:
        - name: shows
          env: {S: "<\${TROUPE_TEST_FOREIGN}>"}
          command: 'echo "$E|$P|\${Q}|$S|\${TROUPE_TEST_FOREIGN}|\`echo $TROUPE_TEST_FOREIGN\`"; pwd'
    `)
    expect(run.out('shows')).to.equal(`foreign foreign|foreign|foreign|<>||\n${folder}/foreign\n`)
  })

  it('3.6 special variables: names, run id, log files, working directory; DAG_RUN_STATUS in handlers', async () => {
    const folder = temporaryFolder()
    const run = await live.run(
      `
      name: specials
      workingDir: ${folder}
      params: DAG_RUN_ID=mine
      steps:
        - name: a step
          command: 'echo "$DAG_NAME|\${DAG_RUN_ID}|\${DAG_RUN_STEP_NAME}|$DAG_RUN_LOG_FILE|\${DAG_RUN_STEP_STDOUT_FILE}|$DAG_RUN_STEP_STDERR_FILE|$PWD|$DAG_RUN_STATUS"'
        - {name: overrides, command: echo mine, output: DAG_RUN_LOG_FILE}
      handlerOn:
        exit: 'echo "$DAG_NAME|$DAG_RUN_ID|$DAG_RUN_STEP_NAME|$DAG_RUN_LOG_FILE|$DAG_RUN_STEP_STDOUT_FILE|$DAG_RUN_STEP_STDERR_FILE|$PWD|\${DAG_RUN_STATUS}"'
      `,
      { dagRunId: 'special-1' }
    )
    const { log } = run.run
    const files = (name: string) => `${run.node(name).stdout}|${run.node(name).stderr}`
    expect(run.out('a step')).to.equal(`specials|special-1|a step|${log}|${files('a step')}|${folder}|\n`)
    expect(run.out('onExit')).to.equal(`specials|special-1|onExit|${log}|${files('onExit')}|${folder}|succeeded\n`)
    expect(textOf(log)).to.contain('msg="run started"')
  })
})
