/** Sub DAG runs on behalf of their callers. Source: execution-semantics 9.5, 13.5. */
import { expect } from 'chai'
import { runId } from '../../../machines/engine.ts'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { OpenRun } from '../../../src/actors/root/open-run.ts'
import { openSubRunIds } from '../../../src/actors/sub-runs/sub-run-ids.ts'
import { openSubRuns, type SubRunParts } from '../../../src/actors/sub-runs/sub-runs.ts'
import { subRunId } from '../../../src/definition/steps/sub-run-id.ts'
import type { Store } from '../../../src/store/open.ts'
import { key } from '../../support/charts/plans.ts'
import { simulatedClock } from '../../support/simulated/simulated-clock.ts'

describe('actors › sub runs', () => {
  const sub = key('sub')
  /** Commands to an engine that restores its runs. */
  function stage() {
    const runs = churnMap<OpenRun>()
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
    subRuns.stop(sub)
    subRuns.kill(sub, false)
    expect(sent).to.deep.equal(['run.stop', 'run.kill'])
  })
  it('13.5.4 a stop that comes before the sub run is open again reaches it when it is', async () => {
    const { opened, recovered, sent, subRuns } = stage()
    subRuns.stop(sub)
    opened()
    expect(sent).to.deep.equal([])
    recovered()
    await told()
    expect(sent).to.deep.equal(['run.stop'])
  })
  it('7.3.6 force reaches a sub run that is open as such', () => {
    const { opened, sent, subRuns } = stage()
    opened()
    subRuns.kill(sub, true)
    expect(sent).to.deep.equal(['run.force'])
  })
  it('one that has ended receives nothing', async () => {
    const { recovered, sent, subRuns } = stage()
    subRuns.kill(sub, false)
    recovered()
    await told()
    expect(sent).to.deep.equal([])
  })

  it('9.5.1 ids that are set aside for a call are not given to another until its run has ended; what a restart has found is kept too', () => {
    const runs = churnMap<OpenRun>()
    const store = { runs: { get: () => undefined } }
    const ids = openSubRunIds(store as unknown as Store, runs) // what it reads of one
    const [one, two, three] = ['one', 'two', 'three'].map((name) => ({ name, dagRunId: 'r' })) as [
      RunKey,
      RunKey,
      RunKey
    ]
    for (const run of [one, two, three]) runs.set(runId(run), { record: { ...run, createdAt: 5 } } as OpenRun)
    const idOf = (run: RunKey) => ids.idOf(run, 's', 'sub', '')
    const given = [one, two, three, two, one].map(idOf)
    expect(new Set(given)).to.have.length(3)
    expect([given[3], given[4]]).to.deep.equal([given[1], given[0]])
    expect(given[0]).to.equal(subRunId('r', 's', ''))
    expect(() => ids.checkOwn(two, { name: 'sub', dagRunId: given[0] ?? '' })).to.throw('none of this run')
    expect(idOf({ name: 'one', dagRunId: 'r2' })).to.equal(subRunId('r2', 's', ''))

    runs.delete(runId(one))
    expect(idOf(two), 'the id that has become free is not taken for its own').to.equal(given[1])
    expect(idOf({ name: 'four', dagRunId: 'r' })).to.equal(given[0])
    const after = openSubRunIds(store as unknown as Store, runs)
    after.keep(two, 's', [{ name: 'sub', dagRunId: given[0] ?? '' }])
    expect(after.idOf(three, 's', 'sub', '')).to.equal(given[1])
  })

  it('9.5.1 two steps of a run whose concatenated names and params are equal have separate sub runs', () => {
    const runs = churnMap<OpenRun>()
    const ids = openSubRunIds({ runs: { get: () => undefined } } as unknown as Store, runs)
    const run = { name: 'one', dagRunId: 'r' }
    runs.set(runId(run), { record: { ...run, createdAt: 5 } } as OpenRun)
    const idOf = (step: string, params: string) => ids.idOf(run, step, 'sub', params)
    const given = [idOf('deploy', 'eu:X'), idOf('deploy:eu', 'X')]
    expect(given[0]).to.equal(subRunId('r', 'deploy', 'eu:X'))
    expect(given[1]).not.to.equal(given[0])
    expect([idOf('deploy', 'eu:X'), idOf('deploy:eu', 'X')]).to.deep.equal(given)
  })
})
