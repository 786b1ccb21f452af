/** When only a restart of the process helps. Decision D1411. */
import { expect } from 'chai'
import { failureOf } from '../../../src/actors/root/root-state.ts'
import { dag, given, minutes } from '../../support/simulated/given-schedules.ts'

/** A root in a state that it is hard to bring it into. */
const root = (status: string, children: object) =>
  ({ getSnapshot: () => ({ status, children }) }) as unknown as Parameters<typeof failureOf>[0]

describe('root › what only a restart helps against', () => {
  it('a scheduler that fails now and then, or does not tick, is none', async () => {
    const { until, system, files } = await given({ a: dag('"*/5 * * * *"') })
    files.broken = new Error('Invalid time zone specified: Etc/Unknown')
    await until(minutes(3))
    expect(system.schedulerFault()).not.to.equal(undefined)
    expect(system.failed()).to.equal(undefined)
  })

  it('a scheduler that was given up, and a root that has failed', () => {
    expect(failureOf(root('active', { scheduler: {} }))).to.equal(undefined)
    expect(failureOf(root('active', {}))).to.match(/^scheduler has failed repeatedly and is stopped/)
    expect(failureOf(root('error', { scheduler: {} }))).to.match(/^the engine has failed and is stopped/)
  })
})
