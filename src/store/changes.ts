/**
 * What turns change in the store. Transactions that are written together become one: a state that another has followed before anybody could
 * read it is not written. Source: architecture 1.
 */
import type { JournalRecord, Plan, RunRecord, RunStatus } from '../../machines/vocabulary.ts'
import type { CallKey, NodeKey } from './open.ts'
import { noScheduling, type Scheduling, saysNothing } from './scheduling.ts'
import type { StoredAttempt, StoredCall, StoredNode, StoredRun } from './stored.ts'

/** What one or more turns change. A later value of the same key replaces the earlier one. */
export interface Changes {
  /** Counts up over the lives of an engine; of several, that of the latest. Absent: nobody writes them ahead, or an older release did. */
  turn?: number
  journal: JournalRecord[]
  runs: Map<string, RunChange>
  nodes: Map<string, { key: NodeKey; value: StoredNode }>
  calls: Map<string, { key: CallKey; value: StoredCall }>
  /** Ended attempts of runs that are retried. */
  attempts: StoredAttempt[]
  /** Runs of which nothing is to be left. */
  removed: RunRecord[]
  plans: Map<string, { plan: Plan; spec: string }>
  /** Of the scheduler and of retention. */
  scheduling: Scheduling
}
export interface RunChange {
  value: StoredRun
  /** Status the indexes hold now; absent: the run is new. */
  indexed?: RunStatus
}

export const noChanges = (): Changes => ({
  journal: [],
  runs: new Map(),
  nodes: new Map(),
  calls: new Map(),
  attempts: [],
  removed: [],
  plans: new Map(),
  scheduling: noScheduling()
})

/** Plans and ended attempts alone are no change: each is stored with its run, and a start that is refused leaves nothing. */
export const isEmpty = ({ journal, runs, nodes, calls, removed, scheduling }: Changes): boolean =>
  journal.length + runs.size + nodes.size + calls.size + removed.length === 0 && saysNothing(scheduling)

// D716
/** Says the same in as few parts as can be. What was given stays as it is: a disk that refuses is given it again. */
export function merged(changes: Changes[]): Changes[] {
  const parts: Changes[] = []
  for (const each of changes) {
    const latest = parts.at(-1)
    // Within one part removals come last: who comes back under the id of a removed run belongs to the next.
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
