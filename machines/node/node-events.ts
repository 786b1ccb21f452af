/** Events that a node receives. Source: execution-semantics 5.2, 6, 7, 13.5.3. */
import type { AttemptEnded } from '../attempt.ts'
import type { AlarmRang } from '../slots.ts'
import type { ConditionResult, RetryPlan } from '../vocabulary.ts'

/** Asks a node to stop. */
export interface NodeStop {
  type: 'node.stop'
  at: number
  /** Also stops a repeating step at once, without finishing its pass. */
  atOnce?: boolean
}

/** Kills what a node is running. */
export interface NodeKill {
  type: 'node.kill'
  at: number
  /** Its sub DAG runs end at once, too, without their handlers. */
  force?: boolean
}

/**
 * A worker has been silent for so long that nothing is expected of it.
 * @param worker its id @param silentMs for how long @param fencedAt when it is certain that nothing of it is at work; absent: only its own word makes that certain
 */
export interface WorkerLost {
  type: 'worker.lost'
  at: number
  worker: string
  silentMs: number
  fencedAt?: number
}
/** What becomes of it: it was heard again; it is certain that nothing of it is at work; the run goes on on another one. */
export interface WorkerNews {
  type: 'worker.back' | 'worker.fenced' | 'worker.replaced'
  at: number
}

export type NodeEvent =
  | WorkerLost
  | WorkerNews
  | NodeStop
  /** Follows a stop when the caller's grace period is over. */
  | NodeKill
  | { type: 'node.prepared'; at: number; retry: RetryPlan; conditions: ConditionResult[]; met: boolean; error?: string }
  | { type: 'node.unprepared'; at: number; error: string }
  | { type: 'attempt.began'; at: number }
  /** After a restart: the execution had started and its end is not on record. It may still be running. */
  | { type: 'attempt.found'; at: number }
  /** This engine has no executor for the step's type; or, after a restart, the next one has. */
  | { type: 'attempt.unsupported'; at: number }
  | { type: 'attempt.supported'; at: number }
  /** The step was offered to the worker that its run was placed on; the worker has it on record, or refuses it, as its end tells. */
  | { type: 'attempt.offered'; at: number }
  | { type: 'attempt.answered'; at: number }
  | AttemptEnded
  | { type: 'condition.checked'; at: number; met: boolean }
  | AlarmRang
