/** How often a step was retried. Its `retryCount` grows when a retry is planned: one that it waits for has not started yet. */
import type { JournalEvent } from '../../answers.ts'

export interface Retries {
  /** Retries that have begun. */
  made: number
  /** The step is waiting for another one. */
  isWaiting: boolean
}

// D922: the page counts retries that have started
/**
 * The retries of steps, by name.
 * @param counts `retryCount` of steps as of the event `upTo`; those without a retry are left out
 */
export function retriesOf(
  events: readonly JournalEvent[],
  upTo: number,
  counts: ReadonlyMap<string, number>
): Map<string, Retries> {
  const found = new Map<string, Retries>()
  for (let at = events.length - 1; at >= 0 && found.size < counts.size; at--) {
    const { seq = 0, step, from, to, statusLabel } = events[at] ?? {}
    if (seq > upTo || step === undefined || statusLabel === undefined || from === to) continue
    const count = counts.get(step)
    if (count === undefined || found.has(step)) continue
    const isWaiting = to === 'waiting'
    // A stop during the wait: the retry never started.
    const isCalledOff = from === 'waiting' && !to?.startsWith('attempting')
    found.set(step, { made: isWaiting || isCalledOff ? count - 1 : count, isWaiting })
  }
  return found
}

export const timesText = (count: number): string => (count === 1 ? 'once' : `${count} times`)
