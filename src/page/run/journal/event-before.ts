/** Which event was the latest when a line of a log was written. A pure computation. */
import type { JournalEvent } from '../../answers.ts'
import { eventAt } from './event-text.ts'

const SECOND_MS = 1_000

/**
 * The event that was the latest when a line was written: the last one before its second, but none before its step was executing.
 * @param second epoch ms of its begin
 */
export function eventBefore(
  events: readonly JournalEvent[],
  step: string | undefined,
  second: number
): JournalEvent | undefined {
  const before = events.findLast((event) => eventAt(event) < second)
  const began = events.findLast(
    (event) => event.step === step && event.to.endsWith('executing') && eventAt(event) < second + SECOND_MS
  )
  return began && began.seq > (before?.seq ?? 0) ? began : before
}
