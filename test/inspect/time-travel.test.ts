/** Travel back in time is exact: what the journal is read back to is what was stored with each event. Source: docs/inspect.md. */
import { expect } from 'chai'
import type { Plan } from '../../machines/vocabulary.ts'
import { placesOf, storedContext } from '../../src/inspect/contexts.ts'
import { nodeIn, nothingYet, take } from '../../src/inspect/replay.ts'
import { walk } from '../machines/walks/random-walk.ts'
import { ADDRESS, type NotedRun, notedRun, type Written } from '../support/store/noted-run.ts'

const SEEDS = 150

describe('inspect › time travel', () => {
  it('for every event of random runs with stops, retries, repeats, faults and restarts, the state read back is the one stored then', () => {
    let events = 0
    let restarts = 0
    for (let seed = 1; seed <= SEEDS; seed++) {
      const noted: { run?: NotedRun; plan?: Plan } = {}
      restarts += walk(seed, (plan, stage) => {
        noted.plan = plan
        noted.run = notedRun(plan, stage)
        return noted.run.recorders
      }).restarts
      const { run, plan } = noted
      if (!run || !plan) throw new Error('the walk has no run')
      const { places } = placesOf(plan, ADDRESS)
      const state = nothingYet()
      const stored = new Map<string, Written>()
      for (const record of run.journal()) {
        take(state, record)
        events++
        const then = run.written.get(record.seq)
        if (then) stored.set(then.address, then)
        else stored.delete(record.actor) // it has thrown, and its run has settled the node
        // All actors there are, not only the one that moved.
        const actors = [...state.actors.values()].flatMap(({ address, isGone }) => (isGone ? [] : [address]))
        expect(actors.sort(), `seed ${seed}, event ${record.seq}`).to.deep.equal([...stored.keys()].sort())
        for (const [address, written] of then ? [[then.address, then] as const] : stored) {
          const actor = state.actors.get(address)
          if (!actor) throw new Error(`no actor ${address}`)
          const placed = places.find((placed) => placed.address === address)
          const isRun = address === ADDRESS
          const read = {
            address,
            path: actor.path,
            ...(written.context ? { context: storedContext(actor, plan, placed) } : {}),
            record: isRun ? { status: state.status } : { ...nodeIn(state, address) }
          }
          expect(read, `seed ${seed}, event ${record.seq} (${record.event})`).to.deep.equal(written)
        }
      }
    }
    expect(events).to.be.greaterThan(SEEDS * 10)
    expect(restarts).to.be.greaterThan(SEEDS / 4)
  })
})
