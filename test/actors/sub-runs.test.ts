/** Sub DAG runs on behalf of those who call them. Source: execution-semantics 9.5, 13.5. */
import { expect } from 'chai'
import { runId } from '../../machines/engine.ts'
import { passing } from '../../machines/policy/passing.ts'
import type { OpenRun } from '../../src/actors/open-run.ts'
import { openSubRuns, type SubRunParts } from '../../src/actors/sub-runs.ts'
import { key } from '../support/plans.ts'
import { simulatedClock } from '../support/simulated-clock.ts'

describe('actors › sub runs', () => {
  const sub = key('sub')
  /** What an engine that opens its runs again is told. */
  function stage() {
    const runs = passing<OpenRun>()
    const sent: string[] = []
    const said: { type: string; again?: boolean }[] = []
    let recovered = () => {}
    const subRuns = openSubRuns({
      clock: simulatedClock(),
      runs,
      recovered: new Promise<void>((resolve) => {
        recovered = resolve
      }),
      send: (event: { type: string }) => {
        sent.push(event.type)
        said.push(event)
      }
    } as unknown as SubRunParts) // what a stop uses of them
    return {
      runs,
      sent,
      said,
      subRuns,
      recovered: () => recovered(),
      opened: () => runs.set(runId(sub), {} as OpenRun)
    }
  }
  const told = () => new Promise((resolve) => setImmediate(resolve))

  it('9.5.5 a stop reaches a sub run that is open', () => {
    const { opened, sent, subRuns } = stage()
    opened()
    subRuns.stop(sub, false)
    subRuns.kill(sub)
    expect(sent).to.deep.equal(['run.stop', 'run.kill'])
  })
  it('13.5.4 a stop that comes before the sub run is open again reaches it when it is', async () => {
    const { opened, recovered, sent, subRuns } = stage()
    subRuns.stop(sub, false)
    opened()
    expect(sent).to.deep.equal([])
    recovered()
    await told()
    expect(sent).to.deep.equal(['run.stop'])
  })
  it('9.5.5 a stop of after a restart says that it may have been heard before', () => {
    const { opened, said, subRuns } = stage()
    opened()
    subRuns.stop(sub, false)
    subRuns.stop(sub, true)
    expect(said.map(({ again }) => again)).to.deep.equal([undefined, true])
  })
  it('one that is over is told nothing', async () => {
    const { recovered, sent, subRuns } = stage()
    subRuns.kill(sub)
    recovered()
    await told()
    expect(sent).to.deep.equal([])
  })
})
