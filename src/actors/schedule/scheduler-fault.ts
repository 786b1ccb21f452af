/** The state of the scheduler for the health check. Source: api-semantics 3.1. */
import type { SchedulerContext } from '../../../machines/scheduler.ts'

/** A scheduler that has processed no minute for this long is dead, and one that failed within this time may fail again. */
const LIMIT_MS = 90_000

/** The scheduler is not started again in this process. */
export const SCHEDULER_STOPPED = 'scheduler has failed repeatedly and is stopped: the log says why; restart the engine'

// D890: a scheduler that fails opens its timetable again
/**
 * A sentence, or undefined when schedules are followed. The reason is only logged, because the health check is public.
 * @param scheduler undefined: it was stopped after repeated failures @param restartedAt when it last threw and was started again, epoch ms
 */
export function schedulerFault(
  scheduler: SchedulerContext | undefined,
  restartedAt: number | undefined,
  now: number
): string | undefined {
  if (!scheduler) return SCHEDULER_STOPPED
  if (scheduler.hasFailed) return 'scheduler has failed: the log says why; it tries again each minute'
  const silence = now - scheduler.lookedAt
  if (silence > LIMIT_MS) return `scheduler has not ticked for ${secondsOf(silence)}s`
  const since = now - (restartedAt ?? Number.NEGATIVE_INFINITY)
  return since > LIMIT_MS
    ? undefined
    : `scheduler has failed ${secondsOf(since)}s ago and was started again: the log says why`
}

const secondsOf = (ms: number) => Math.round(ms / 1_000)
