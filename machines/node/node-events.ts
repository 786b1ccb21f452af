/** Events that a node receives. Source: execution-semantics 5.2, 6, 7, 13.5.3. */
import type { Answers, AttemptEnded, AttemptMissing } from '../attempt.ts'
import type { AlarmRang } from '../slots.ts'
import type { ConditionResult, MissingCode, RetryPlan, Thrown } from '../vocabulary.ts'

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

export interface NodePrepared {
  type: 'node.prepared'
  at: number
  retry: RetryPlan
  conditions: ConditionResult[]
  met: boolean
  error?: string
  answers?: Answers
}

/** This engine lacks code, which the step needs before its first attempt, or another step of its run. */
export interface NodeLacking {
  type: 'node.lacking'
  at: number
  code: MissingCode
}

export type NodeEvent =
  | NodeStop
  /** Follows a stop when the caller's grace period is over. */
  | NodeKill
  | NodePrepared
  | { type: 'node.unprepared'; at: number; error: string; thrown?: Thrown }
  | NodeLacking
  | { type: 'attempt.began'; at: number }
  /** After a restart: the execution had started and its end is not on record. It may still be running. */
  | { type: 'attempt.found'; at: number }
  | AttemptMissing
  /** What was missing is here. */
  | { type: 'function.registered'; at: number }
  /** The step was offered to the worker that its run was placed on; the worker has it on record, or refuses it, as its end tells. */
  | { type: 'attempt.offered'; at: number }
  | { type: 'attempt.answered'; at: number }
  | AttemptEnded
  | { type: 'condition.checked'; at: number; met: boolean }
  | AlarmRang
