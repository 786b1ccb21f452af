/** What holds a queued run back, and which of those that wait is next. Source: docs/http-api.md "Later, and before others"; execution-semantics 12. */
import type { HOLDS } from '../vocabulary/lists.ts'
import type { RunRecord } from '../vocabulary.ts'

/** A priority is at most so far from 0. */
export const MOST_PRIORITY = 1_000

/** In this order; only `queue_full` holds everybody: a run that another reason holds is passed by others. */
export type Hold = (typeof HOLDS)[number]

/** What is asked of a queue: `limit` is maxActiveRuns, negative or 0: none. */
export interface Room {
  at: number
  /** Runs that hold its slots. */
  running: number
  /** maxConcurrency of a configured queue: the limit of each DAG counts in others. */
  capacity?: number | undefined
  limit: number
  lacksWorker?: boolean
}

export type Waiting = Pick<RunRecord, 'order' | 'priority' | 'notBefore'>

/** All reasons why a run may not start now; empty: it may. */
export function holdsOf(run: Waiting, { at, lacksWorker = false, ...room }: Room): Hold[] {
  const isFull = !hasRoom(room)
  const holds: [Hold, boolean][] = [
    ['not_before', isLater(run, at)],
    ['queue_full', isFull && room.capacity !== undefined],
    ['max_active_runs', isFull && room.capacity === undefined],
    ['no_worker', lacksWorker]
  ]
  return holds.flatMap(([hold, holdsIt]) => (holdsIt ? [hold] : []))
}

export function hasRoom({ running, capacity, limit }: Pick<Room, 'running' | 'capacity' | 'limit'>): boolean {
  return running < (capacity ?? (limit > 0 ? limit : Number.POSITIVE_INFINITY))
}

/** Whether the start was asked for not before an instant that is to come. */
export const isLater = ({ notBefore = 0 }: Pick<Waiting, 'notBefore'>, at: number): boolean => notBefore > at

// D1794: the highest priority first, then the longest wait
/** Negative: the first of the two is next; both may start. */
export const inLine = (one: Waiting, other: Waiting): number =>
  (other.priority ?? 0) - (one.priority ?? 0) || (one.order ?? 0) - (other.order ?? 0)

/** As `inLine`, behind them those whose time has not come, the next one first. */
export const inTurn =
  (at: number) =>
  (one: Waiting, other: Waiting): number => {
    const [first = 0, second = 0] = [one, other].map((run) => (isLater(run, at) ? run.notBefore : 0))
    return first - second || inLine(one, other)
  }
