/** What follows from the answer to a delivery, and when a retry is due. Source: docs/notifications.md "When a target does not accept". */

/** How one attempt ended: an answer, or why there was none. */
export type PostOutcome =
  | { status: number /** The target asked to wait so long, ms; absent: it did not. */; retryAfterMs?: number }
  /** A sentence without secrets. */
  | { error: string }

export type Verdict = 'accepted' | 'refused' | 'later'

// D1518: which answers are final
/** Answers that say something about the event itself or about the target for good: the same request will not be answered otherwise. */
const REFUSALS: ReadonlySet<number> = new Set([400, 405, 406, 410, 411, 413, 414, 415, 422, 431, 501])

export function verdictOf(outcome: PostOutcome): Verdict {
  if ('error' in outcome) return 'later'
  if (outcome.status >= 200 && outcome.status < 300) return 'accepted'
  return REFUSALS.has(outcome.status) ? 'refused' : 'later'
}

const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 3_600_000
/** A target cannot put a delivery off for longer. */
const LONGEST_ASKED_MS = 86_400_000

// D1519: 5 s, doubled up to an hour, half of it at random; Retry-After up to a day
/** ms. @param attempts that have failed @param random from 0 to 1: half of the wait is left to chance, so that not all come back at once */
export function waitAfter(attempts: number, outcome: PostOutcome, random: number): number {
  const whole = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(attempts - 1, 30))
  const own = Math.round(whole / 2 + (whole / 2) * random)
  const asked = 'status' in outcome ? (outcome.retryAfterMs ?? 0) : 0
  return Math.max(own, Math.min(asked, LONGEST_ASKED_MS))
}

/** A sentence about an attempt that was not accepted. */
export const faultOf = (outcome: PostOutcome): string =>
  'error' in outcome
    ? outcome.error
    : `it answered ${outcome.status}${outcome.status < 400 ? ' (a redirect is not followed)' : ''}`

export interface Pace {
  /** Requests at a time. */
  atOnce: number
  /** Before the next one, ms. */
  pauseMs: number
}

const AT_ONCE = 4
const FIRST_PAUSE_MS = 100
const LONGEST_PAUSE_MS = 10_000

// D1520: a target that fails gets one request at a time, with pauses up to 10 s
/** @param failures requests in a row to which the target has given no answer, or one that asks for another attempt */
export const paceOf = (failures: number): Pace =>
  failures === 0
    ? { atOnce: AT_ONCE, pauseMs: 0 }
    : { atOnce: 1, pauseMs: Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.min(failures - 1, 30)) }
