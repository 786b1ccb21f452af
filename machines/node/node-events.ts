/** Events that a node receives. Source: execution-semantics 5.2, 6, 7, 13.5.3. */
import type { Answers, AttemptEnded, AttemptMissing } from '../attempt.ts'
import type { AlarmRang } from '../slots.ts'
import type {
  ConditionResult,
  Given,
  LateEnd,
  MissingCode,
  PlacedOn,
  RetryPlan,
  SecretMark,
  Thrown,
  WaitTexts
} from '../vocabulary.ts'

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

/** A step that waits gets what it waits for, or its run keeps that for it. */
export interface SignalGiven extends Given {
  type: 'signal.given'
  /** Its name. */
  step: string
  /** The payload as JSON, secrets masked. */
  output: string
  outputMarks?: SecretMark[]
}

/**
 * A worker has been silent for so long that nothing is expected of it.
 * @param worker its id @param home that of its home folder; absent: stored by an earlier release @param silentMs for how long @param fencedAt when it is certain that nothing of it is at work; absent: only its own word makes that certain
 */
export interface WorkerLost {
  type: 'worker.lost'
  at: number
  worker: string
  home?: string
  silentMs: number
  fencedAt?: number
}
/** What becomes of it: it was heard again; it is certain that nothing of it is at work; the run goes on on another one. */
export type WorkerNews = { type: 'worker.back'; at: number } | { type: 'worker.fenced'; at: number } | WorkerReplaced
export interface WorkerReplaced {
  type: 'worker.replaced'
  at: number
  placement?: PlacedOn
}

/** A worker says after all how an execution ended that was given up. */
export interface AttemptLate {
  type: 'attempt.late'
  at: number
  attempt: number
  late: LateEnd
}

export interface NodePrepared {
  type: 'node.prepared'
  at: number
  retry: RetryPlan
  conditions: ConditionResult[]
  met: boolean
  error?: string
  answers?: Answers
  /** Of a step that waits: its texts that have variables, evaluated. */
  wait?: WaitTexts
}

/** This engine lacks code, which the step needs before its first attempt, or another step of its run. */
export interface NodeLacking {
  type: 'node.lacking'
  at: number
  code: MissingCode
}

export type NodeEvent =
  | WorkerLost
  | WorkerNews
  | NodeStop
  /** Follows a stop when the caller's grace period is over. */
  | NodeKill
  | NodePrepared
  | { type: 'node.unprepared'; at: number; error: string; thrown?: Thrown }
  | NodeLacking
  /** `died`: of what goes on under its number, as one call for each item does. */
  | { type: 'attempt.began'; at: number; died?: true }
  /** After a restart: the execution had started and its end is not on record. It may still be running. */
  | { type: 'attempt.found'; at: number }
  /** In place of it: what was found was at work in the process of an engine, and that has ended without closing. */
  | { type: 'attempt.died'; at: number }
  | AttemptMissing
  /** What was missing is here. */
  | { type: 'function.registered'; at: number }
  /** The step was offered to the worker that its run was placed on; the worker has it on record, or refuses it, as its end tells. */
  | { type: 'attempt.offered'; at: number }
  | { type: 'attempt.answered'; at: number }
  | AttemptEnded
  | AttemptLate
  | { type: 'condition.checked'; at: number; met: boolean }
  | SignalGiven
  | AlarmRang
