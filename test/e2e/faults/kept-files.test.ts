/** Steps do not get the engine's files. Source: reliability P23. */
import { expect } from 'chai'
import { liveEngine } from '../../support/engine/live.ts'

describe('steps › files of the engine', () => {
  const live = liveEngine()
  it('the store is not open in a step', async function () {
    if (process.platform !== 'linux') return this.skip()
    const run = await live.run("steps: ['ls -l /proc/self/fd']")
    expect(run.out('cmd_1')).to.contain('cmd_1.out').and.not.contain('troupe.mdb')
  })
})
