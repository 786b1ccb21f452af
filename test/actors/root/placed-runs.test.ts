/** What the engine says of placed runs to their workers. Source: distribution 1 (slots), 5. */
import { expect } from 'chai'
import { runId } from '../../../machines/engine.ts'
import { churnMap } from '../../../machines/tables/churn-map.ts'
import type { Caller, Placement } from '../../../machines/vocabulary.ts'
import type { OpenRun } from '../../../src/actors/root/open-run.ts'
import { placedRuns } from '../../../src/actors/root/placed-runs.ts'
import type { Services } from '../../../src/actors/root/services.ts'
import { key } from '../../support/charts/plans.ts'

/** Each run calls the next one. */
function slotsOf(...placements: Partial<Placement>[]) {
  const runs = churnMap<OpenRun>()
  for (const [index, placement] of placements.entries()) {
    const above: Caller = {
      root: key('r0'),
      parent: key(`r${index - 1}`),
      step: 'call',
      runAttempt: 1,
      attempt: 1,
      depth: index
    }
    const record = { ...key(`r${index}`), placement, ...(index > 0 ? { caller: above } : {}) }
    runs.set(runId(record), { record } as unknown as OpenRun)
  }
  const { inheritedBy } = placedRuns({} as Services, runs) // callers are placed: nothing is inherited here
  return Promise.all(placements.map(async (_, index) => (await inheritedBy(key(`r${index}`))).slot))
}

describe('placed runs › which slot a worker is told that a run uses', () => {
  it('that of a run that it is called from, however far above, when that is on the same worker; its own otherwise', async () => {
    expect(await slotsOf({ home: 'a' }, { home: 'b' }, { home: 'a' }, { home: 'c' })).to.deep.equal([
      undefined,
      undefined,
      'shared',
      undefined
    ])
  })
  it('none that is free, when it goes in the place of another one', async () => {
    const slots = await slotsOf({ home: 'a' }, { home: 'b', extra: true }, { home: 'b', extra: true })
    expect(slots).to.deep.equal([undefined, 'extra', 'shared'])
  })
})
