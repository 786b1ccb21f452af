/** For what has no events: it is asked for again and again, as long as somebody looks. */
import { useEffect } from 'preact/hooks'
import { pause } from './clock.ts'

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
