/** Params: declared, overridden, seen by steps. Source: execution-semantics 2. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('params', () => {
  const live = liveEngine()
  const show = 'steps: [{name: shows, command: "printf \'<%s>\' \\"$1\\" \\"${2}\\" \\"$3\\" \\"${NAME}\\""}]'

  it('api-semantics 4.4 the command line has its params evaluated: backticks, variables, the defaults', async () => {
    const run = await live.run(`env: {E: env}\nparams: NAME=default\n${show}`, {
      params: 'NAME="`echo $E`-${NAME}" "$E"',
      evaluateParams: true
    })
    expect(run.out('shows')).to.equal('<><env><><env-default>')
  })
})
