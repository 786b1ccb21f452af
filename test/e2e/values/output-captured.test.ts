/** What is captured of a step: its value, its limits, and where it does not fit. Source: execution-semantics 4.5. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'
import { temporaryFolder } from '../../support/homes.ts'

describe('captured output', () => {
  const live = liveEngine()

  it('4.5.4 output: NAME is stdout, trimmed of leading and trailing white space, inner newlines kept; a leading $ is dropped; stderr is not captured', async () => {
    const run = await live.run(`
      steps:
        - name: makes
          command: printf '\\n\\t a\\n\\n b \\n\\n'; echo no >&2
          output: $TEXT
        - name: shows
          command: printf '<%s>' "\${TEXT}" "$TEXT"
          output: SHOWN
    `)
    expect(run.node('makes').output).to.equal('a\n\n b')
    expect(run.out('shows')).to.equal('<a\n\n b><a\n\n b>')
    expect(run.out('makes'), 'the log keeps all').to.equal('\n\t a\n\n b \n\n')
  })

  it("4.5.5 with retries only the last attempt's stdout is the value; the log keeps all attempts", async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      steps:
        - name: counts
          command: echo x >>${folder}/n; wc -l <${folder}/n; [ $(wc -l <${folder}/n) -eq 3 ]
          output: N
          retryPolicy: {limit: 5}
        - name: shows
          command: echo "\${N}"
    `)
    expect(run.node('counts')).to.include({ output: '3', retryCount: 2 })
    expect(run.out('counts')).to.equal('1\n2\n3\n')
    expect(run.out('shows')).to.equal('3\n')
  })

  it('4.5.6 exactly maxOutputSize bytes is fine; one more fails the step, the variable is not set, log files are complete', async () => {
    const folder = temporaryFolder()
    const run = await live.run(`
      maxOutputSize: 10
      steps:
        - {name: exact, command: printf 0123456789, output: EXACT}
        - name: more
          command: printf 0123456789a; touch ${folder}/ran-to-its-end
          output: MORE
          continueOn: {failure: true}
        - {name: unlimited, command: printf 0123456789abc}
        - name: shows
          command: echo "\${EXACT} \${MORE-unset}"
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed', 'succeeded', 'succeeded'])
    expect(run.node('exact').output).to.equal('0123456789')
    expect(run.node('more').error).to.equal('failed to capture output: output exceeded maximum size limit of 10 bytes')
    expect(run.node('more')).not.to.have.property('output')
    expect(existsSync(join(folder, 'ran-to-its-end'))).to.equal(true)
    expect(run.out('more')).to.equal('0123456789a')
    expect(run.out('shows')).to.equal('0123456789 unset\n')
    expect(run.status).to.equal('partially_succeeded')
  })

  it('4.5.7 maxOutputSize also bounds one line searched by continueOn.output and expected', async () => {
    const run = await live.run(`
      maxOutputSize: 20
      type: graph
      steps:
        - {name: within, command: "echo 0123456789 needle; false", continueOn: {output: needle}}
        - {name: beyond, command: "echo 0123456789 0123456789 needle; false", continueOn: {output: needle}}
        - {name: next line, command: "echo 0123456789 0123456789; echo needle; false", continueOn: {output: needle}}
        - name: expected
          command: echo ran
          preconditions:
            - {condition: "0123456789 0123456789 needle", expected: "re:needle"}
    `)
    expect(run.nodes.map(({ node }) => node.continues ?? false)).to.deep.equal([true, false, true, false])
    expect(run.node('expected').status).to.equal('skipped')
  })

  it('4.5.8 empty output sets the variable to the empty string', async () => {
    const run = await live.run(`
      env: {NOTHING: from env}
      steps:
        - {name: silent, command: "true", output: NOTHING}
        - name: shows
          command: echo "<\${NOTHING}>" "<\${NOTHING-unset}>"
    `)
    expect(run.node('silent').output).to.equal('')
    expect(run.out('shows')).to.equal('<> <>\n')
  })

  it('4.5.11 invalid UTF-8 in captured values is replaced by U+FFFD, logs keep bytes', async () => {
    const run = await live.run(`
      steps:
        - {name: bytes, command: "printf 'a\\\\377b'", output: BYTES}
        - name: shows
          command: printf %s "\${BYTES}"
    `)
    expect(run.node('bytes').output).to.equal('a\uFFFDb')
    expect([...readFileSync(run.node('bytes').stdout ?? '')]).to.deep.equal([0x61, 0xff, 0x62])
    expect(run.out('shows')).to.equal('a\uFFFDb')
  })

  it('1.8 maxOutputSize is 1048576 bytes unless it is set', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: exact, command: head -c 1048576 /dev/zero, output: A}
        - {name: more, command: head -c 1048577 /dev/zero, output: B}
    `)
    expect(run.statuses).to.deep.equal(['succeeded', 'failed'])
    expect(run.node('more').error).to.contain('limit of 1048576 bytes')
  })

  it('an output with a NUL character fails no step that does not use it: it is left out of environments, with a warning', async () => {
    const run = await live.run(`
      steps:
        - {name: files, command: "printf 'a\\\\0b'", output: FILES}
        - {name: on, command: 'echo "<$(printenv FILES)>"', preconditions: [{condition: '\`echo yes\`', expected: 'yes'}, 'true']}
        - {name: uses, command: 'echo "\${FILES}"', continueOn: {failure: true}}
      handlerOn: {exit: echo bye}
    `)
    expect(run.out('on')).to.equal('<>\n')
    expect(run.out('onExit')).to.equal('bye\n')
    expect(run.node('uses').error).to.contain('its command holds a NUL character')
    expect(textOf(run.run.log)).to.contain('FILES holds a NUL character, and is not in the environment of a process')
  })

  it('a DAG env entry with a NUL character is left out too, with a warning, for the preconditions of the DAG as well', async () => {
    const run = await live.run(`
      env: [{A: '\`printf "a\\\\0b"\`'}, {B: '\`echo b\`'}]
      preconditions: ['test "$B" = b', {condition: '\`echo yes\`', expected: 'yes'}]
      steps: ['echo "<$A>"']
    `)
    expect(run.out('cmd_1')).to.equal('<>\n')
    expect(textOf(run.run.log).match(/A holds a NUL character/g)).to.have.length(2) // one is of the step
  })

  it('an output of 128 KiB or more does not fit into an environment: scripts can use it, other steps run without it', async () => {
    const run = await live.run(`
      steps:
        - {name: fits, command: "head -c 131063 /dev/zero | tr '\\\\0' x", output: FITTING}
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: other, command: 'echo "\${#FITTING} \${LARGE-unset}"'}
        - name: script
          script: |
            printf '%s' "\${LARGE}" | wc -c
    `)
    expect(run.status).to.equal('succeeded')
    expect(run.out('other')).to.equal('131063 unset\n')
    expect(run.out('script')).to.equal('300000\n')
    expect(textOf(run.run.log)).to.match(/level=WARN msg="LARGE is too large/)
  })

  it('a command that its values make longer than an argument may be is run from a file, by the same shell and flags', async () => {
    const run = await live.run(`
      steps:
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: text, command: 'printf %s "\${LARGE}" | wc -c; false; echo on', continueOn: {failure: true}}
        - {name: named, shell: bash -uc, command: 'printf %s "\${LARGE}" | wc -c; echo $-; false; echo on'}
        - {name: list, command: [printf, '%.3s', '\${LARGE}']}
        - {name: words, command: "printf '%.5s'", args: ['\${LARGE}']}
    `)
    expect(run.out('text')).to.equal('300000\n')
    expect(run.out('named')).to.match(/^300000\n[a-zA-Z]*u[a-zA-Z]*\non\n$/)
    expect(run.out('list')).to.equal('xxx')
    expect(run.out('words')).to.equal('xxxxx')
  })

  it('5.6.8 a condition of that length cannot be evaluated: not met, also when it is negated, and the error says why', async () => {
    const run = await live.run(`
      steps:
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: tested, command: echo no, preconditions: [{condition: 'test -n "\${LARGE}"', negate: true}]}
    `)
    const { status, error } = run.node('tested')
    expect(status).to.equal('skipped')
    expect(error).to.equal(
      'the condition `test -n "${LARGE}"` has 300010 bytes with its values, and a process takes at most 131071 in one text: use a `script` instead'
    )
  })

  it('a text of that length for a program that no shell starts, or for backticks, fails the step, and the error says why', async () => {
    const run = await live.run(`
      steps:
        - {name: large, command: "head -c 300000 /dev/zero | tr '\\\\0' x", output: LARGE}
        - {name: direct, command: 'env A=\${LARGE} sh', script: 'true', continueOn: {failure: true}}
        - {name: ticks, command: 'echo \`printf %s "\${LARGE}"\`'}
    `)
    for (const name of ['direct', 'ticks'])
      expect(run.node(name).error, name).to.match(
        /has 3000\d\d bytes .* at most 131071 in one text: use a `script` instead$/
      )
  })
})
