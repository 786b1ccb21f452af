/** Which shell runs a step, with which flags. Source: execution-semantics 4.2. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('shells of steps', () => {
  const wordy = liveEngine({ defaultShell: 'bash -u' })

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
