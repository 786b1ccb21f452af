/** What the scheduler decided, in parts. Source: execution-semantics 11; docs/scheduling.md. */
import { expect } from 'chai'
import type { ScheduleDecision } from '../../machines/vocabulary.ts'
import type { DecisionsPart, Facts } from '../../src/engine/engine.ts'
import type { Store } from '../../src/store/open.ts'
import { served } from '../api/client.ts'
import { fakeEngine, planOf } from '../support/engine/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'
import { MINUTE, scheduled, schedules, utc } from '../support/simulated/schedules.ts'
import { simulatedClock } from '../support/simulated/simulated-clock.ts'
import { simulatedFacts } from '../support/simulated/simulated-facts.ts'

const START = utc('2026-03-02T10:00:30')
const dag = (head: string) => `${head}\nsteps:\n  - name: s\n    command: x\n`

/** Facts of an engine whose definition `often` was due each minute of an hour, and `rare` once, suspended. */
async function hour(): Promise<{ facts: Facts; store: Store }> {
  const files = schedules()
  files.put('often', dag('schedule: "* * * * *"'))
  files.put('rare', dag('schedule: "5 * * * *"'))
  files.suspended.add('rare')
  const engine = await scheduled(temporaryFolder(), files, simulatedClock(START))
  await engine.until(START + 60 * MINUTE)
  return { facts: simulatedFacts(engine), store: engine.store }
}

const numbersOf = ({ decisions }: DecisionsPart) => decisions.map(({ number }) => number)

describe('facts › decisions of the scheduler', () => {
  let facts: Facts
  let store: Store
  before(async () => {
    const room = await hour()
    facts = room.facts
    store = room.store
  })
  after(() => store.root.close())

  it('every decision (fired, skipped and why), newest first', () => {
    const { decisions, next } = facts.decisions()
    expect([decisions.length, next]).to.deep.equal([61, undefined])
    const told = decisions.map(({ decision: { fileName, outcome, reason } }) => `${fileName} ${reason ?? outcome}`)
    expect(new Set(told)).to.deep.equal(new Set(['often fired', 'rare suspended']))
    expect(decisions[0]?.decision).to.include({ fileName: 'often', slot: utc('2026-03-02T11:00:00') })
    expect(decisions[0]?.decision.dagRunId).to.be.a('string')
  })
  it('parts that follow each other hold each decision once', () => {
    const found: number[] = []
    let before: number | undefined
    do {
      const part = facts.decisions({ before, limit: 7 })
      found.push(...numbersOf(part))
      before = part.next
    } while (before !== undefined)
    expect(found).to.deep.equal(Array.from({ length: 61 }, (_, index) => 61 - index))
  })
  it('those of one definition', () => {
    const { decisions } = facts.decisions({ fileName: 'rare' })
    expect(decisions.map(({ decision }) => decision.reason)).to.deep.equal(['suspended'])
    expect(facts.decisions({ fileName: 'nobody' })).to.deep.equal({ decisions: [] })
  })
  it('limit is 1 to 1,000, and nothing lies before the first', () => {
    expect(numbersOf(facts.decisions({ limit: 0 }))).to.deep.equal([61])
    expect(facts.decisions({ before: 1 })).to.deep.equal({ decisions: [] })
    expect(facts.decisions({ before: -5 })).to.deep.equal({ decisions: [] })
  })
})

describe('facts › one answer looks at 2,000 decisions at most', () => {
  it('a part may be empty and have a next; asking on finds them all', async () => {
    const { facts, store } = await hour()
    const like = facts.decisions({ limit: 1 }).decisions[0]?.decision
    if (!like) throw new Error('nothing was decided')
    await store.root.transaction(() => {
      for (let number = 62; number <= 9_000; number++) {
        const decision: ScheduleDecision = { ...like, fileName: number === 100 ? 'one' : 'others' }
        store.decisions.put(number, decision)
      }
    })
    const parts: DecisionsPart[] = []
    for (let before: number | undefined = Number.MAX_SAFE_INTEGER; before !== undefined; before = parts.at(-1)?.next)
      parts.push(facts.decisions({ fileName: 'one', before }))
    expect(parts.map(({ next }) => next)).to.deep.equal([7_001, 5_001, 3_001, 1_001, undefined])
    expect(parts.flatMap(numbersOf)).to.deep.equal([100])
    await store.root.close()
  })
})

describe('API › decisions of the scheduler', () => {
  it('of one definition and of all, page by page; a definition that is not there is not found', async () => {
    const { facts, store } = await hour()
    const engine = { ...fakeEngine({ tz: 'UTC' }, { rare: planOf('rare'), often: planOf('often') }), facts }
    const api = await served(engine)
    const get = async (path: string) => (await api.call('GET', path)).json
    try {
      const { decisions, next } = await get('/dags/rare/decisions')
      expect([decisions.length, next]).to.deep.equal([1, null])
      expect(decisions[0]).to.deep.include({
        fileName: 'rare',
        name: 'rare',
        kind: 'start',
        slot: '2026-03-02T10:05:00Z',
        slotMs: utc('2026-03-02T10:05:00'),
        outcome: 'skipped',
        reason: 'suspended'
      })
      const newest = await get('/services/scheduler/decisions?limit=2')
      expect(newest.decisions.map(({ number }: { number: number }) => number)).to.deep.equal([61, 60])
      const older = await get(`/services/scheduler/decisions?limit=1&before=${newest.next}`)
      expect(older.decisions[0]).to.include({ number: 59, outcome: 'fired' })
      const ofOne = await get('/services/scheduler/decisions?fileName=rare')
      expect(ofOne).to.deep.equal(await get('/dags/rare/decisions'))
      // A definition that is gone has decisions all the same.
      expect((await get('/services/scheduler/decisions?fileName=nobody')).decisions).to.deep.equal([])
      expect((await api.call('GET', '/dags/nobody/decisions')).status).to.equal(404)
      expect((await api.call('GET', '/dags/rare/decisions?limit=many')).json).to.include({ code: 'bad_request' })
    } finally {
      await api.close()
      await store.root.close()
    }
  })
})
