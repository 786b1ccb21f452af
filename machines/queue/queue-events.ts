/** Events that a queue receives and sends. Source: execution-semantics 7.2, 12; distribution 4. */
import type { AlarmRang } from '../slots.ts'
import type { Counts } from '../tables/run-counts.ts'
import type { Placement, RunKey, WorkerNeeds } from '../vocabulary.ts'

/** Asks for a slot. */
export interface StartRequested {
  type: 'start.requested'
  key: RunKey
  queue: string
  /** maxActiveRuns; negative: no limit. */
  limit: number
  singleton: boolean
  /** The item may wait in a full configured queue whatever its limit: a reschedule, which has the limit 1. */
  exclusive: boolean
  /** A run that finds the configured queue full may wait instead. */
  mayWait: boolean
  /** With maxActiveRuns above 1, a run that would exceed it may wait, too. Source: api-semantics 4.2 (CLI start). */
  waitsWhenFull?: boolean
  /** The item waits for a worker that has these, if there is none with a free slot. */
  needs?: WorkerNeeds
  /** Higher goes first; absent: 0. */
  priority?: number
  /** The item waits until then; absent: it does not. */
  notBefore?: number
  at: number
  /** Other root runs of the same DAG name, in any queue. */
  active: Counts
}
/** Asks for a place in the line. */
export interface EnqueueRequested {
  type: 'enqueue.requested'
  key: RunKey
  queue: string
  limit: number
  /** maxActiveRuns limits waiting runs, too. */
  bounded: boolean
  /** No other run of its DAG name may run or wait. */
  singleton: boolean
  /** @see StartRequested.needs */
  needs?: WorkerNeeds
  priority?: number
  notBefore?: number
  at: number
  active: Counts
}
/** Why a start is refused. */
export type Refusal = 'already_running' | 'max_run_reached' | 'queue_faulted'
/** What the queue decided. */
export type AdmissionResult =
  /** @param placement the worker that it needs */
  | { type: 'start.admitted'; key: RunKey; at: number; placement?: Placement }
  | { type: 'start.queued'; key: RunKey; at: number; order: number }
  | { type: 'start.refused'; key: RunKey; reason: Refusal; limit: number; active: Counts }

/** What the queue reports to its parent about items that wait or waited. */
export type ItemNews =
  /** The item has got a slot, and one of the worker that it needs. */
  | { type: 'item.due'; key: RunKey; at: number; placement?: Placement }
  | { type: 'item.expired'; key: RunKey; at: number }
  | { type: 'item.removed'; key: RunKey; at: number }
  | { type: 'item.absent'; key: RunKey; at: number }
  /** The queue has taken what it can of the room of a worker. */
  | { type: 'room.passed'; home: string; at: number }

/** A run that was waiting before a restart, with the place that it had. */
export interface ItemFound extends Pick<StartRequested, 'key' | 'limit' | 'needs' | 'priority' | 'notBefore' | 'at'> {
  type: 'item.found'
  order: number
}

export type QueueEvent =
  | StartRequested
  | EnqueueRequested
  /** Runs that held a slot before a restart hold it again, whatever the limits. */
  | { type: 'slots.retaken'; keys: RunKey[]; at: number }
  | { type: 'slot.freed'; key: RunKey; at: number }
  | ItemFound
  | { type: 'item.started'; key: RunKey; at: number }
  | { type: 'item.withdrawn'; key: RunKey; at: number }
  /** A worker has room that an item may wait for. */
  | { type: 'room.offered'; home: string; at: number }
  /** From now on no waiting run is started. */
  | { type: 'queue.held' }
  | AlarmRang
