/** What failed in a run, and in which order. Pure computations. */
import type { JournalEvent } from '../../answers.ts'
import type { NodeMoment } from '../moment.ts'

/** The step or handler that failed first, of those that are failed at the moment. */
export function firstFailed(nodes: readonly NodeMoment[]): NodeMoment | undefined {
  let first: NodeMoment | undefined
  for (const node of nodes)
    if (node.label === 'failed' && node.finishedAt !== undefined && node.finishedAt < (first?.finishedAt ?? Infinity))
      first = node
  return first
}

/**
 * The events at which steps and handlers failed, of every attempt of the run. When none did, those at which the run itself failed: its
 * preconditions were not met, or it timed out.
 */
export function failuresOf(events: readonly JournalEvent[]): JournalEvent[] {
  const failures = events.filter(({ statusLabel, from, to }) => statusLabel === 'failed' && from !== to)
  const ofSteps = failures.filter(({ step }) => step !== undefined)
  return ofSteps.length > 0 ? ofSteps : failures
}

/**
 * Where the flag goes from a moment.
 * @param at `seq` of the event that is shown; undefined: now, before all of them
 * @param direction 1: the next failure, 0 being after the last; -1: the one before, the last being before the first
 * @returns index, -1 without failures
 */
export function failureFrom(failures: readonly JournalEvent[], at: number | undefined, direction: 1 | -1): number {
  const last = failures.length - 1
  if (direction === 1)
    return last < 0 ? -1 : Math.max(0, at === undefined ? 0 : failures.findIndex(({ seq }) => seq > at))
  const before = at === undefined ? last : failures.findLastIndex(({ seq }) => seq < at)
  return before < 0 ? last : before
}
