/** Which shell runs a step, with which flags. Source: execution-semantics 4.2. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('shells of steps', () => {
  const live = liveEngine()
  const wordy = liveEngine({ defaultShell: 'bash -u' })

  it('4.2.1 which shell: step shell, DAG shell, the default', async () => {
    const named = await live.run(`
      shell: bash
      steps:
        - {name: of the DAG, command: 'echo "$0" \${BASH_VERSION:+bash}'}
        - {name: of the step, shell: dash, command: 'echo "$0" \${BASH_VERSION:+bash}'}
    `)
    expect(named.out('of the DAG')).to.equal('bash bash\n')
    expect(named.out('of the step')).to.equal('dash\n')
    const expanded = await live.run(`
      env: {NAMED: bash}
      params: OTHER=dash
      shell: "\${NAMED} -u"
      steps:
        - {name: of the DAG, command: 'echo "$0" $-'}
        - {name: of the step, shell: ["\${OTHER}"], command: 'echo "$0"'}
    `)
    expect(expanded.out('of the DAG')).to.match(/^bash \w*u/)
    expect(expanded.out('of the step')).to.equal('dash\n')
    const none = await live.run("steps: [{name: default, command: 'echo $0'}]")
    expect(none.out('default')).to.equal('sh\n')
  })

  it('4.2.2 -e is added when neither step nor DAG names a shell; one that is named is used exactly as written, without -e', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: default, command: false; echo reached}
        - {name: named, shell: sh, command: false; echo reached}
        - name: default script
          script: |
            false
            echo reached
        - name: named script
          shell: bash
          script: |
            false
            echo reached
    `)
    expect(run.statuses).to.deep.equal(['failed', 'succeeded', 'failed', 'succeeded'])
    expect(run.out('default') + run.out('default script')).to.equal('')
    expect(run.out('named') + run.out('named script')).to.equal('reached\nreached\n')
  })

  it('4.2.3 the string form is split like a command line: bash -euo pipefail; a list is program and flags verbatim', async () => {
    const run = await live.run(`
      type: graph
      steps:
        - {name: text, shell: bash -euo pipefail, command: false | true; echo reached}
        - {name: list, shell: [bash, -o, pipefail], command: false | true; echo $?}
        - {name: with -c, shell: [bash, -uc], command: 'echo "$0"'}
        - name: file
          shell: bash -uc
          script: echo "\${UNSET_NAME:-unset}"
    `)
    expect(run.node('text')).to.include({ status: 'failed', exitCode: 1 })
    expect(run.out('list')).to.equal('1\n')
    expect(run.out('with -c')).to.equal('bash\n')
    expect(run.out('file')).to.equal('unset\n')
  })

  it('4.2.3 a default shell with flags serves steps, conditions, params and backticks', async () => {
    const run = await wordy.run(`
      params: ["P=\`echo param\`"]
      env: ["E=\`echo env\`"]
      preconditions: ['test 1 = 1']
      steps:
        - name: all
          command: echo $P $E \`echo tick\` \${BASH_VERSION:+bash}
          preconditions:
            - condition: "\`echo condition\`"
              expected: condition
        - {name: unset, command: 'echo $UNSET_NAME'}
    `)
    expect(run.out('all')).to.equal('param env tick bash\n')
    expect(run.node('unset').error).to.contain('unbound variable')
  })
})
