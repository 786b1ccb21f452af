/** Transactions that are written together. Source: architecture 1. */
import { join } from 'node:path'
import { expect } from 'chai'
import fc from 'fast-check'
import type { Plan, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import { type Changes, merged, noChanges } from '../../src/store/changes.ts'
import { commit } from '../../src/store/commit.ts'
import { openStore, type Store } from '../../src/store/open.ts'
import { temporaryFolder } from '../support/homes.ts'
import { ofAll } from '../support/long.ts'

/** What a transaction does to a run: it starts or continues, ends, is started again with another definition, or is removed. */
type Operation = { id: 'a' | 'b' } & (
  | { does: 'run'; status: RunStatus; nodes: number }
  | { does: 'retry'; plan: string }
  | { does: 'remove' }
)

const operation: fc.Arbitrary<Operation> = fc.record({ id: fc.constantFrom('a' as const, 'b' as const) }).chain((run) =>
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
    .map(
      (what) => ({ ...run, ...what, does: 'status' in what ? 'run' : 'plan' in what ? 'retry' : 'remove' }) as Operation
    )
)

/** The changes of transactions, as a recorder makes them: each knows the status in the indexes at that time. */
function changesOf(operations: Operation[], isSub: boolean): Changes[] {
  const known = new Map<string, RunRecord>()
  let seq = 0
  return operations.map((operation) => {
    const changes = noChanges()
    const before = known.get(operation.id)
    if (operation.does === 'remove') {
      if (before) changes.removed.push(before)
      known.delete(operation.id)
      return changes
    }
    if (operation.does === 'retry' && before) changes.attempts.push({ record: before, nodes: new Map() })
    const record: RunRecord = {
      ...(before ?? recordOf(operation.id, isSub)),
      ...(operation.does === 'run'
        ? { status: operation.status }
        : { status: 'running', plan: operation.plan, attempt: (before?.attempt ?? 0) + 1 })
    }
    known.set(operation.id, record)
    changes.plans.set(record.plan, { plan: { name: record.plan } as Plan, spec: record.plan })
    changes.runs.set(operation.id, { value: { record, seq: ++seq }, ...(before ? { indexed: before.status } : {}) })
    for (let place = 0; operation.does === 'run' && place < operation.nodes; place++)
      changes.nodes.set(`${operation.id}/${place}`, {
        key: ['n', operation.id, place],
        value: { record: { step: `s${place}`, status: 'succeeded', retryCount: seq, doneCount: 0 } }
      })
    changes.journal.push({
      run: { name: 'n', dagRunId: operation.id },
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
function upToRemovals(transactions: Changes[]): Changes[][] {
  const parts: Changes[][] = [[]]
  for (const turn of transactions) {
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
  it('of transactions that are written together have the same result as one after the other', async () => {
    const folder = temporaryFolder()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 12 }), fc.boolean(), async (operations, isSub) => {
        const [together, apart] = ['together', 'apart'].map((name) => openStore(join(folder, `${name}${count++}`)))
        if (!together || !apart) return
        try {
          const transactions = changesOf(operations, isSub)
          for (const some of upToRemovals(transactions)) await commit(together, some)
          for (const turn of transactions) await commit(apart, [turn])
          expect(contentOf(together)).to.deep.equal(contentOf(apart))
        } finally {
          await Promise.all([together.root.close(), apart.root.close()])
        }
      }),
      { numRuns: ofAll(10, 40) }
    )
  })

  it('of transactions that are written again, when some of them are there already, are applied once', async () => {
    const folder = temporaryFolder()
    let count = 0
    const lasting = operation.filter(({ does }) => does !== 'remove')
    await fc.assert(
      fc.asyncProperty(fc.array(lasting, { maxLength: 8 }), fc.nat(8), async (operations, there) => {
        const [again, once] = ['again', 'once'].map((name) => openStore(join(folder, `${name}${count++}`)))
        if (!again || !once) return
        try {
          const transactions = changesOf(operations, false)
          await commit(again, transactions.slice(0, there))
          await commit(again, transactions, { again: true })
          await commit(once, transactions)
          expect(contentOf(again)).to.deep.equal(contentOf(once))
        } finally {
          await Promise.all([again.root.close(), once.root.close()])
        }
      }),
      { numRuns: ofAll(10, 40) }
    )
  })

  it('of numbered transactions, which the file may contain without later ones after a power loss, undo nothing', async () => {
    const folder = temporaryFolder()
    let count = 0
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { maxLength: 8 }), fc.nat(8), fc.nat(8), async (operations, there, kept) => {
        const [again, once] = ['again', 'once'].map((name) => openStore(join(folder, `numbered-${name}${count++}`)))
        if (!again || !once) return
        try {
          const transactions = changesOf(operations, false).map((turn, index) => ({ ...turn, turn: index + 1 }))
          for (const store of [again, once])
            for (const turn of transactions.slice(0, there)) await commit(store, [turn])
          await commit(again, transactions.slice(0, Math.min(there, kept)), { again: true })
          expect(contentOf(again)).to.deep.equal(contentOf(once))
          expect(again.turn).to.equal(once.turn)
        } finally {
          await Promise.all([again.root.close(), once.root.close()])
        }
      }),
      { numRuns: ofAll(10, 40) }
    )
  })

  it('a state that was replaced is not written; the argument is not modified', () => {
    const transactions = changesOf(
      [
        { id: 'a', does: 'run', status: 'running', nodes: 1 },
        { id: 'a', does: 'run', status: 'succeeded', nodes: 1 }
      ],
      false
    )
    const given = structuredClone(transactions)
    const [all, ...rest] = merged(transactions)
    expect(rest).to.deep.equal([])
    expect(all?.runs.get('a')).to.deep.equal({ value: transactions[1]?.runs.get('a')?.value }) // new to the indexes
    expect(all?.nodes.size).to.equal(1)
    expect(all?.journal).to.have.length(2)
    expect(transactions).to.deep.equal(given)
  })
})
