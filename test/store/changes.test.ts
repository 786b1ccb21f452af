/** Transactions that are written together. Source: architecture 1. */
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Plan, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import { type Changes, merged, noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'

/** What a turn does to a run: it begins or goes on, ends, is begun anew with another definition, or is removed. */
type Deed = { id: 'a' | 'b' } & (
  | { does: 'run'; status: RunStatus; nodes: number }
  | { does: 'retry'; plan: string }
  | { does: 'remove' }
)

const deed: fc.Arbitrary<Deed> = fc.record({ id: fc.constantFrom('a' as const, 'b' as const) }).chain((run) =>
  fc
    .oneof(
      {
        weight: 5,
        arbitrary: fc.record({
          status: fc.constantFrom<RunStatus>('running', 'succeeded', 'failed'),
          nodes: fc.nat(2)
        })
      },
      { weight: 1, arbitrary: fc.record({ plan: fc.constantFrom('p1', 'p2') }) },
      { weight: 1, arbitrary: fc.constant({}) }
    )
    .map((what) => ({ ...run, ...what, does: 'status' in what ? 'run' : 'plan' in what ? 'retry' : 'remove' }) as Deed)
)

/** The changes of turns, as a recorder notes them: each knows which status the indexes hold then. */
function turnsOf(deeds: Deed[], isSub: boolean): Changes[] {
  const known = new Map<string, RunRecord>()
  let seq = 0
  return deeds.map((deed) => {
    const changes = noChanges()
    const before = known.get(deed.id)
    if (deed.does === 'remove') {
      if (before) changes.removed.push(before)
      known.delete(deed.id)
      return changes
    }
    if (deed.does === 'retry' && before) changes.attempts.push({ record: before, nodes: new Map() })
    const record: RunRecord = {
      ...(before ?? recordOf(deed.id, isSub)),
      ...(deed.does === 'run'
        ? { status: deed.status }
        : { status: 'running', plan: deed.plan, attempt: (before?.attempt ?? 0) + 1 })
    }
    known.set(deed.id, record)
    changes.plans.set(record.plan, { plan: { name: record.plan } as Plan, spec: record.plan })
    changes.runs.set(deed.id, { value: { record, seq: ++seq }, ...(before ? { indexed: before.status } : {}) })
    for (let place = 0; deed.does === 'run' && place < deed.nodes; place++)
      changes.nodes.set(`${deed.id}/${place}`, {
        key: ['n', deed.id, place],
        value: { record: { step: `s${place}`, status: 'succeeded', retryCount: seq, doneCount: 0 } }
      })
    changes.journal.push({
      run: { name: 'n', dagRunId: deed.id },
      seq,
      at: seq,
      actor: 'x',
      event: 'e',
      from: '',
      to: 'y'
    })
    return changes
  })
}

/** A run is removed when readers see its end: everything before has been written. */
function upToRemovals(turns: Changes[]): Changes[][] {
  const parts: Changes[][] = [[]]
  for (const turn of turns) {
    if (turn.removed.length > 0) parts.push([])
    parts.at(-1)?.push(turn)
  }
  return parts
}

const recordOf = (dagRunId: string, isSub: boolean): RunRecord => ({
  name: 'n',
  dagRunId,
  status: 'running',
  attempt: 1,
  createdAt: 1_000,
  params: [],
  log: '/l/run.log',
  nodeLogs: '/l/1',
  plan: 'p0',
  ...(isSub ? { caller: callerOf() } : {})
})
const callerOf = (): NonNullable<RunRecord['caller']> => {
  const key = { name: 'root', dagRunId: 'r' }
  return { root: key, parent: key, step: 's', runAttempt: 1, attempt: 1, depth: 1 }
}

/** All tables of a store, by name. */
const contentOf = ({ root: _root, ...store }: Store) =>
  Object.entries(store)
    .filter((entry): entry is [string, Store['runs']] => typeof entry[1] === 'object')
    .map(([name, table]) => [name, Array.from(table.getRange())])

describe('store › changes', () => {
  it('of turns that are written together leave what they leave one after the other', async () => {
    const folder = temporaryFolder()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 12 }), fc.boolean(), async (deeds, isSub) => {
        const [together, apart] = ['together', 'apart'].map((name) => openStore(join(folder, `${name}${count++}`)))
        if (!together || !apart) return
        try {
          const turns = turnsOf(deeds, isSub)
          for (const some of upToRemovals(turns)) await commit(together, some)
          for (const turn of turns) await commit(apart, [turn])
          expect(contentOf(together)).to.deep.equal(contentOf(apart))
        } finally {
          await Promise.all([together.root.close(), apart.root.close()])
        }
      }),
      { numRuns: 40 }
    )
  })

  it('of turns that are written again, when some of them are there already, leave no more than once', async () => {
    const folder = temporaryFolder()
    let count = 0
    const lasting = deed.filter(({ does }) => does !== 'remove')
    await fc.assert(
      fc.asyncProperty(fc.array(lasting, { maxLength: 8 }), fc.nat(8), async (deeds, there) => {
        const [again, once] = ['again', 'once'].map((name) => openStore(join(folder, `${name}${count++}`)))
        if (!again || !once) return
        try {
          const turns = turnsOf(deeds, false)
          await commit(again, turns.slice(0, there))
          await commit(again, turns, { again: true })
          await commit(once, turns)
          expect(contentOf(again)).to.deep.equal(contentOf(once))
        } finally {
          await Promise.all([again.root.close(), once.root.close()])
        }
      }),
      { numRuns: 40 }
    )
  })

  it('of numbered turns, which the file may hold without those that followed when the power was out, take back nothing', async () => {
    const folder = temporaryFolder()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(deed, { maxLength: 8 }), fc.nat(8), fc.nat(8), async (deeds, there, kept) => {
        const [again, once] = ['again', 'once'].map((name) => openStore(join(folder, `numbered-${name}${count++}`)))
        if (!again || !once) return
        try {
          const turns = turnsOf(deeds, false).map((turn, index) => ({ ...turn, turn: index + 1 }))
          for (const store of [again, once]) for (const turn of turns.slice(0, there)) await commit(store, [turn])
          await commit(again, turns.slice(0, Math.min(there, kept)), { again: true })
          expect(contentOf(again)).to.deep.equal(contentOf(once))
          expect(again.turn).to.equal(once.turn)
        } finally {
          await Promise.all([again.root.close(), once.root.close()])
        }
      }),
      { numRuns: 40 }
    )
  })

  it('a state that another has followed is not written; what was given stays as it was', () => {
    const turns = turnsOf(
      [
        { id: 'a', does: 'run', status: 'running', nodes: 1 },
        { id: 'a', does: 'run', status: 'succeeded', nodes: 1 }
      ],
      false
    )
    const given = structuredClone(turns)
    const [all, ...rest] = merged(turns)
    expect(rest).to.deep.equal([])
    expect(all?.runs.get('a')).to.deep.equal({ value: turns[1]?.runs.get('a')?.value }) // new to the indexes
    expect(all?.nodes.size).to.equal(1)
    expect(all?.journal).to.have.length(2)
    expect(turns).to.deep.equal(given)
  })
})
