/**
 * Sets the status of a node by hand, in a run that has ended: one transaction changes its record and adds to the journal.
 * It has no further effect before a retry. Source: execution-semantics 13.3, api-semantics 5.
 */
import { runId } from '../../../machines/engine.ts'
import type { JournalRecord, NodeRecord, NodeStatus, RunRecord } from '../../../machines/vocabulary.ts'
import { isUnreadable } from '../../store/damage/damaged.ts'
import { latestSeq } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { Transactions } from '../journal/transactions.ts'

interface ByHand {
  /** Index of the step. */
  place: number
  step: string
  status: NodeStatus
  at: number
  /** What the step captures, masked, if that is set, too. */
  captured: Pick<NodeRecord, 'output' | 'outputMarks'>
}

/**
 * Resolves when it is on disk and readers see it.
 * @param publish called with the transition
 */
export function setStatus(
  { store, transactions, publish }: { store: Store; transactions: Transactions; publish(record: JournalRecord): void },
  { name, dagRunId }: RunRecord,
  { place, step, status, at, captured }: ByHand
): Promise<void> {
  const stored = store.runs.get([name, dagRunId])
  if (!stored) throw new Error(`run ${dagRunId} of ${name} is not stored`)
  const key = { name, dagRunId }
  const address = runId(key)
  const node = store.nodes.get([name, dagRunId, place])
  const untouched: NodeRecord = { step, status: 'not_started', retryCount: 0, doneCount: 0 }
  // Nothing else is known of a damaged node that the doctor has set aside: now its status is known again.
  const old = node && !isUnreadable(node.record) ? node.record : untouched
  const { outputMarks: _marks, ...unmarked } = old
  const kept = captured.output === undefined ? old : unmarked
  const seq = latestSeq(store, key) + 1
  const record: JournalRecord = {
    run: key,
    seq,
    at,
    actor: `${address}/node/${step}`,
    event: 'node.set',
    from: old.status,
    to: status,
    status,
    step
  }
  return new Promise((resolve) => {
    transactions.take(() => {
      const { runs, nodes, journal } = transactions.changes
      runs.set(address, { value: { ...stored, seq }, indexed: stored.record.status })
      nodes.set(`${address}/${place}`, {
        key: [name, dagRunId, place],
        value: { record: { ...kept, ...captured, status } }
      })
      journal.push(record)
      transactions.whenShown(() => publish(record))
      transactions.afterFlush(resolve)
    })
  })
}
