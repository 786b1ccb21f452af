/** What is captured of a step: its value, its limits, and where it does not fit. Source: execution-semantics 4.5. */
import { expect } from 'chai'
import { liveEngine, textOf } from '../../support/engine/live.ts'

describe('captured output', () => {
  const live = liveEngine()

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
