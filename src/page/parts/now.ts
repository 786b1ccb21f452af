/** The current time, for elapsed times. */
import { useEffect, useState } from 'preact/hooks'
import { after, now } from '../clock.ts'

const TICK_MS = 1_000

/** Epoch ms. @param isMoving whether it ticks */
export function useNow(isMoving: boolean): number {
  const [time, setTime] = useState(now)
  useEffect(() => {
    if (!isMoving) return
    return after(TICK_MS, () => setTime(now()))
  }, [isMoving, time])
  return time
}
