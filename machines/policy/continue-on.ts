/** Whether the dependents of a node that did not succeed may run. Source: execution-semantics 5.3, 5.4. */
import type { ContinueOn } from '../vocabulary.ts'

/** @param outputMatched a line of the stdout log matched one of `continueOn.output` */
export const continuesAfterFailure = (policy: ContinueOn, exitCode: number, outputMatched: boolean): boolean =>
  policy.failure || policy.exitCodes.includes(exitCode) || outputMatched

/** A failure that `continueOn` matches, and that `markSuccess` turns into a success. */
export const countsAsSuccess = (policy: ContinueOn, exitCode: number, outputMatched: boolean): boolean =>
  policy.markSuccess && continuesAfterFailure(policy, exitCode, outputMatched)
