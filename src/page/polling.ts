/** For what has no events: it is asked for again and again, as long as somebody looks. */
import { useEffect } from 'preact/hooks'
import { pause } from './clock.ts'
import { type Answered, type Load, useAnswer } from './use-answer.ts'

/** Calls `act` every `ms` while the tab is visible, and at once when it becomes visible again. */
export function usePolling(ms: number, act: () => void): void {
  useEffect(() => {
    const ended = new AbortController()
    const { signal } = ended
    const actIfSeen = () => {
      if (document.visibilityState === 'visible') act()
    }
    const again = async () => {
      while (!signal.aborted) {
        await pause(ms, signal)
        if (!signal.aborted) actIfSeen()
      }
    }
    void again()
    document.addEventListener('visibilitychange', actIfSeen, { signal })
    return () => ended.abort()
  }, [ms, act])
}

/** Others change it, too. */
const AGAIN_MS = 10_000

/** An answer that is asked for again every 10 s, or `ms`. @param load as `useAnswer` */
export function usePolledAnswer<T>(path: string, ms = AGAIN_MS, load?: Load<T>): Answered<T> {
  const answer = useAnswer<T>(path, undefined, load)
  usePolling(ms, answer.refresh)
  return answer
}
