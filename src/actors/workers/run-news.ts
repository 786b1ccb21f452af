/** What becomes of a worker reaches the runs that were placed on it, once they are all open again. Source: distribution 4, D4. */
import type { LostTold } from '../../../machines/worker.ts'
import type { Clock } from '../../clock.ts'

/** A worker is lost, may be taken for ended, or is back. */
export interface WorkerNews {
  type: 'worker.lost' | 'worker.fenced' | 'worker.back'
  home: string
  /** Id of the worker. */
  worker: string
  told: LostTold
}

export interface RunNewsParts {
  clock: Pick<Clock, 'after'>
  /** Whether every run that was open when the previous engine ended is open again. */
  isComplete(): boolean
  /** Tells the runs that were placed on a worker what has become of it. */
  tellRuns(news: WorkerNews): void
}

/** Between looks whether all runs are open again. */
const AGAIN_MS = 1_000

export function openRunNews({ clock, isComplete, tellRuns }: RunNewsParts) {
  const pending: WorkerNews[] = []
  let isClosed = false
  function tell(): void {
    if (isClosed) return
    if (!isComplete()) {
      // Until then nothing begins elsewhere that may be at work there.
      for (const news of pending) if (news.type === 'worker.lost') tellRuns(news)
      clock.after(AGAIN_MS, tell)
    } else for (const news of pending.splice(0)) tellRuns(news)
  }
  return {
    say(news: WorkerNews) {
      pending.push(news)
      if (pending.length === 1) tell()
    },
    close() {
      isClosed = true
    }
  }
}
