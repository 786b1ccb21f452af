/**
 * How often in a row the process has ended while a step was at work in it (a function, its items, an executor of the host
 * application), and whether the step is begun again by itself. Source: docs/executors/function.md "A function that ends the process".
 */
import type { OnInterrupt, Step } from '../vocabulary.ts'

/** What becomes of an execution that a restart interrupted. `again`: nobody has written it, but what cannot be resumed is begun again. */
export type Interruption = OnInterrupt | 'again'

/** @param attempt the latest one during which the process ended @param times in a row */
export interface Death {
  attempt: number
  times: number
}

interface AtWork {
  attempt: number
  step: Pick<Step, 'each'>
  onInterrupt?: Interruption
  died?: Death | undefined
}

/** Ends of the process after which a step is not begun again by itself. */
const MOST_DEATHS = 2
export const DIED_TWICE =
  'the process ended twice while this step was running, so it is not begun a third time: look at what it does, then retry it by hand'

/**
 * @param died it has ended once more: every restart says so of an attempt until the next one begins
 * @param goesOn what was at work is begun again under the number of its attempt, as items are, and what precedes the first attempt
 */
export function deathOf(
  { died: before, attempt, step }: AtWork,
  died = false,
  goesOn = step.each !== undefined
): Death | undefined {
  const isSame = before?.attempt === attempt
  if (!died || (isSame && !goesOn)) return before
  const isNext = goesOn ? isSame : before?.attempt === attempt - 1
  return { attempt, times: isNext ? (before?.times ?? 0) + 1 : 1 }
}

// D1601: `rerun` asks for it, however often
export function hasDiedTwice(step: AtWork, died = false, goesOn?: boolean): boolean {
  const { attempt, times } = deathOf(step, died, goesOn) ?? { attempt: 0, times: 0 }
  return attempt === step.attempt && times >= MOST_DEATHS && step.onInterrupt !== 'rerun'
}
