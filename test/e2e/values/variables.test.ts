/** What becomes of references and backticks in the fields of a step. Source: execution-semantics 3.1, 3.3. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

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
