/**
 * What does the work of a run: this engine, or the worker that the run was placed on. It evaluates texts, makes folders and executes
 * steps where the run belongs; what follows is decided by the charts. Source: distribution 0.5, 2.
 */
import type { Answers, AttemptCommand, AttemptInput } from '../../../machines/node.ts'
import type { RetryPlan, RunKey, RunRecord, WaitTexts } from '../../../machines/vocabulary.ts'
import type { Abandoned } from '../pace/disk-space.ts'
import type { AttemptEnd, Tell } from '../step/attempt-state.ts'
import type { Checked } from '../step/conditions.ts'
import type { ExpandedCall } from '../sub-runs/expand-call.ts'

export interface Runner {
  /** Evaluates the variables of a run, makes its folders and its container. @throws Error why it cannot begin, secrets masked */
  open(key: RunKey, signal: AbortSignal): Promise<void>
  /** Evaluates the preconditions of the DAG. */
  conditions(key: RunKey, signal: AbortSignal): Promise<Pick<Checked, 'met' | 'conditions'>>
  /** Evaluates the preconditions of a step and the texts of its retry policy. @throws Error why it cannot, secrets masked */
  prepare(input: AttemptInput, abandoned: Abandoned): Promise<Prepared>
  /** Begins one execution of a step, or looks for it after a restart. */
  attempt(input: AttemptInput, tell: Tell): Attempt
  /** Whether the condition of a repeat policy holds. */
  repeats(input: AttemptInput, abandoned: Abandoned): Promise<boolean>
  /** What a step calls, and with which parameters. @throws Error when a text cannot be evaluated, or a parameter contains a secret */
  expand(input: AttemptInput, signal: AbortSignal): Promise<ExpandedCall>
  /** Removes the run's container, and whatever else must not outlive it. Fails never: the run log says why it could not. */
  release(key: RunKey): Promise<void>
  /** The end of the run is on record: nothing more is asked for it. */
  over?(run: RunRecord): void
}

/** Answers for a step before its first attempt. */
export interface Prepared extends Checked {
  retry: RetryPlan
  /** The texts of a wait that have variables, evaluated. */
  wait?: WaitTexts
  /** Absent: nothing was asked. */
  answers?: Answers
}

export interface Attempt {
  /** Never rejects. */
  ended: Promise<AttemptEnd>
  hear(command: AttemptCommand): void
  /** The end of the attempt is on record. */
  stored?(): void
  /** Nobody waits for it here any more. @param isGivenUp its node goes on without it; otherwise the engine closes */
  leave(isGivenUp?: boolean): void
}
