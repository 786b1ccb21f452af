/** Whether a step runs another pass, and how long it waits before that. Source: execution-semantics 6.2. */
import type { Repeat } from '../vocabulary.ts'

/** How a pass ended, its retries included. */
export interface Pass {
  exitCode: number
  /** Why the pass counts as failed, apart from its exit code. */
  error?: string | undefined
}

/** An execution can fail with exit code 0: its output could not be captured. */
export const hasFailed = ({ exitCode, error }: Pass): boolean => exitCode !== 0 || error !== undefined

/** @param passes passes so far */
export const passesLeft = ({ limit }: Repeat, passes: number): boolean => limit === 0 || passes < limit

/** The test of a policy without a condition: the exit code of the pass, or whether it succeeded. */
export const heldByCode = ({ exitCodes }: Repeat, pass: Pass): boolean =>
  exitCodes.length > 0 ? exitCodes.includes(pass.exitCode) : !hasFailed(pass)

// D1771: a function is asked about results
/** A pass that has failed ends a loop whose function decides: there is no result that it could be asked about. */
export const endsByFailure = (repeat: Repeat, pass: Pass): boolean => repeat.function !== undefined && hasFailed(pass)

export const isAsked = ({ condition, function: asked }: Repeat): boolean => (condition ?? asked) !== undefined

/** @param held the test held: `while` goes on, `until` ends */
export const goesOn = ({ mode }: Repeat, held: boolean): boolean => held === (mode === 'while')

// D30: a pass of a repeating step is an execution with its retries
/** Milliseconds before the pass that follows `passes` (1, 2, ...): interval * backoff^(passes - 1), cut to the cap of the backoff. */
export function repeatWaitMs({ intervalMs, backoff, maxIntervalMs }: Repeat, passes: number): number {
  if (backoff <= 1 || intervalMs === 0) return intervalMs // the power may overflow
  const waitMs = intervalMs * backoff ** (passes - 1)
  return Math.min(waitMs, maxIntervalMs > 0 ? maxIntervalMs : Number.MAX_SAFE_INTEGER)
}
