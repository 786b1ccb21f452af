/**
 * How a worker drains: it says so with its heartbeats, and leaves when its engine has no run on it and none on its way, which only the
 * engine knows. So nothing is refused in the meantime. Source: distribution 3, 8, D16.
 */
import type { Clock } from '../clock.ts'

export interface Draining {
  /** For the next heartbeat. */
  says(): { draining?: true; late?: true }
  /** @param answer to a heartbeat; undefined: no engine answers */
  heard(answer: DrainAnswer | undefined): void
  /** By a signal: nobody can take it back. @param timeoutMs runs that have not ended by then are stopped; absent: no limit */
  begin(timeoutMs?: number): void
  /** Resolves when it may leave. */
  over: Promise<void>
}

export interface DrainAnswer {
  drain?: { timeoutMs?: number }
  free?: true
}

export interface DrainingParts {
  clock: Pick<Clock, 'elapsed'>
  /** Whether no task is on record here. */
  isIdle(): boolean
  /** Number of tasks whose results the disk refuses. */
  unwritten(): number
  /** What is on record of runs that the engine has no more is to be removed. */
  askForOverRuns(): void
  /** For the people who look after it. */
  say(level: 'info' | 'warn', text: string): void
}

/** A caller who should stop its runs and does not answer for so long is not waited for; nor is a disk that takes nothing for so long. */
const PATIENCE_MS = 10_000

/** Asked at some moment. */
interface Asked {
  at: number
  timeoutMs?: number | undefined
}

// D978: a worker that drains refuses nothing, and leaves when its engine says that no run is left
export function openDraining({ clock, isIdle, unwritten, askForOverRuns, say }: DrainingParts): Draining {
  let own: Asked | undefined
  let byEngine: Asked | undefined
  /** Since when no engine answers. */
  let silentSince: number | undefined
  /** Since when the time to drain is over, and the disk refuses something. */
  let refusedSince: number | undefined
  let leave = () => {}
  const over = new Promise<void>((resolve) => {
    leave = resolve
  })

  const isPast = (asked: Asked | undefined) =>
    asked?.timeoutMs !== undefined && clock.elapsed() >= asked.at + asked.timeoutMs
  const isLate = () => isPast(own) || isPast(byEngine)

  // D1656: a worker whose time to drain is over does not wait for a full disk
  function leaveUnwritten(): void {
    if (!isLate() || unwritten() === 0) refusedSince = undefined
    else {
      refusedSince ??= clock.elapsed()
      if (clock.elapsed() < refusedSince + PATIENCE_MS) return
      say(
        'warn',
        `the time to drain is over and the disk refuses what came of ${unwritten()} tasks: steps at work go on, and the next worker in this home finds out what came of them`
      )
      leave()
    }
  }

  function hearRequest(drain: DrainAnswer['drain']): void {
    if (drain && (!byEngine || byEngine.timeoutMs !== drain.timeoutMs)) {
      if (!byEngine) say('info', 'draining: the engine gives no more runs to this worker')
      byEngine = { at: clock.elapsed(), timeoutMs: drain.timeoutMs }
    } else if (!drain && byEngine) {
      byEngine = undefined
      if (!own) say('info', 'no longer draining: this worker takes runs again')
    }
  }

  return {
    over,
    says: () => ({ ...(own ? { draining: true } : {}), ...(isLate() ? { late: true } : {}) }),
    begin(timeoutMs) {
      own ??= { at: clock.elapsed(), timeoutMs }
    },
    heard(answer) {
      if (answer) {
        silentSince = undefined
        hearRequest(answer.drain)
        leaveUnwritten()
        if (!(own || byEngine) || !answer.free) return
        if (isIdle()) leave()
        else askForOverRuns()
        return
      }
      silentSince ??= clock.elapsed()
      if (!own && !byEngine) return
      if (isIdle()) leave()
      else if (isLate() && clock.elapsed() >= silentSince + PATIENCE_MS) {
        say('warn', 'the time to drain is over and no engine answers: steps at work go on without this worker')
        leave()
      }
    }
  }
}
