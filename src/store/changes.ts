/**
 * The changes of transactions to the store. Transactions that are written together are merged: a state that was replaced before any
 * reader could see it is not written. Source: architecture 1.
 */
import type { JournalRecord, Plan, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import type { AskKey, CallKey, DeliveryKey, ItemKey, NodeKey } from './open.ts'
import { noScheduling, type Scheduling, saysNothing } from './scheduling.ts'
import type {
  StoredAsk,
  StoredAttempt,
  StoredCall,
  StoredDelivery,
  StoredItem,
  StoredNode,
  StoredRun
} from './stored.ts'

/** The changes of one or more transactions. A later value of the same key replaces the earlier one. */
export interface Changes {
  /** Number of the transaction, increasing across restarts; of merged ones, the latest. Absent: not written ahead, or an older release. */
  turn?: number
  journal: JournalRecord[]
  runs: Map<string, RunChange>
  nodes: Map<string, { key: NodeKey; value: StoredNode }>
  calls: Map<string, { key: CallKey; value: StoredCall }>
  /** Results of items; undefined: removed. Absent in what an earlier release wrote. */
  items?: Map<string, { key: ItemKey; value: StoredItem | undefined }>
  /** Previous attempts of runs that are retried. */
  attempts: StoredAttempt[]
  removed: RunRecord[]
  plans: Map<string, { plan: Plan; spec: string }>
  /** Events for targets of `notify`; undefined: removed. Absent: none, as in what an earlier release wrote. */
  deliveries?: Map<string, { key: DeliveryKey; value: StoredDelivery | undefined }>
  /** Idempotency keys; undefined: removed. Absent: none, as in what an earlier release wrote. */
  asks?: Map<string, { key: AskKey; value: StoredAsk | undefined }>
  /** Changes of the scheduler and of retention. */
  scheduling: Scheduling
}
export interface RunChange {
  value: StoredRun
  /** Current status in the indexes; absent: the run is new. */
  indexed?: RunStatus
}

export const noChanges = (): Changes => ({
  journal: [],
  runs: new Map(),
  nodes: new Map(),
  calls: new Map(),
  items: new Map(),
  attempts: [],
  removed: [],
  plans: new Map(),
  scheduling: noScheduling()
})

/** Plans and previous attempts alone are no change: they are stored with their run, and a refused start stores nothing. */
export const isEmpty = ({
  journal,
  runs,
  nodes,
  calls,
  items,
  deliveries,
  asks,
  removed,
  scheduling
}: Changes): boolean =>
  journal.length +
    runs.size +
    nodes.size +
    calls.size +
    (items?.size ?? 0) +
    (deliveries?.size ?? 0) +
    (asks?.size ?? 0) +
    removed.length ===
    0 && saysNothing(scheduling)

// D716: states that replace each other at once are written once
/** Merges changes into as few parts as possible. The argument is not modified, because a failed write is repeated with it. */
export function merged(changes: Changes[]): Changes[] {
  const parts: Changes[] = []
  for (const each of changes) {
    const latest = parts.at(-1)
    // Within one part removals come last, so a new run with the id of a removed one belongs to the next part.
    if (latest && latest.removed.length === 0) add(latest, each)
    else parts.push(add(noChanges(), each))
  }
  return parts
}

function add(to: Changes, { turn, journal, runs, attempts, removed, scheduling, ...maps }: Changes): Changes {
  if (turn !== undefined) to.turn = turn
  for (const record of journal) to.journal.push(record)
  for (const [id, { value, indexed }] of runs) {
    const before = to.runs.get(id)
    const holds = before ? before.indexed : indexed
    to.runs.set(id, { value, ...(holds ? { indexed: holds } : {}) })
  }
  for (const attempt of attempts) to.attempts.push(attempt)
  for (const gone of removed) to.removed.push(gone)
  setAll(to.nodes, maps.nodes)
  setAll(to.calls, maps.calls)
  to.items ??= new Map()
  if (maps.items) setAll(to.items, maps.items)
  if (maps.deliveries) {
    to.deliveries ??= new Map()
    setAll(to.deliveries, maps.deliveries)
  }
  if (maps.asks) {
    to.asks ??= new Map()
    setAll(to.asks, maps.asks)
  }
  setAll(to.plans, maps.plans)
  setAll(to.scheduling.decisions, scheduling.decisions)
  setAll(to.scheduling.slots, scheduling.slots)
  setAll(to.scheduling.restarts, scheduling.restarts)
  setAll(to.scheduling.leftovers, scheduling.leftovers)
  return to
}

function setAll<K, V>(to: Map<K, V>, from: Map<K, V>): void {
  for (const [key, value] of from) to.set(key, value)
}
