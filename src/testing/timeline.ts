/**
 * When nothing is left to be done while the clock stands still, and how it goes on. What ends at the same instant is told one after
 * the other, in an order that does not depend on promises and files: equal seed, equal journal.
 */
import { pause, systemClock } from '../clock.ts'
import { type SimulatedClock, simulatedClock } from './simulated-clock.ts'

export interface OnItsWay {
  /** Whether the engine has something on its way. */
  busy(): boolean
  /** Whether something waits for the test. */
  isHeld(): boolean
  /** Resolves when what was changed is stored. */
  settled(): Promise<void>
}

export interface Timeline {
  clock: SimulatedClock
  /** Time stands still until this is over, which may take real time. */
  track<T>(work: Promise<T>): Promise<T>
  /** Tells of an end when nothing else is on its way. @param place of several, the first by this text comes first */
  tell(place: string, end: () => void): void
  /** Resolves when nothing is on its way. */
  quiet(what: OnItsWay): Promise<void>
}

/** Rounds without time that are played at full speed; what then is still pending takes real time. */
const QUICK_ROUNDS = 200

export function openTimeline(start: number, seed: number): Timeline {
  const clock = simulatedClock(start, seed)
  let tracked = 0
  let ends: { place: string; end(): void }[] = []

  // D1125: ends at the same instant are told one after the other, in the order of their runs and steps
  function tellFirst(): boolean {
    const [first, ...others] = ends.toSorted((a, b) => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0))
    if (!first) return false
    ends = others
    first.end()
    return true
  }
  return {
    clock,
    async track(work) {
      tracked++
      try {
        return await work
      } finally {
        tracked--
      }
    },
    tell: (place, end) => void ends.push({ place, end }),
    async quiet({ busy, isHeld, settled }) {
      let waited = 0
      for (let idle = 0; idle < 2; idle++) {
        await settled()
        await new Promise<void>((resolve) => systemClock.soon(resolve))
        const isBusy = busy()
        if (isBusy || (idle === 1 && isReading())) idle = -1
        else if (idle === 1 && tellFirst()) idle = -1
        else if (idle === 1 && tracked > 0 && !isHeld()) idle = -1
        else continue
        waited = isBusy ? 0 : waited + 1
        if (waited > QUICK_ROUNDS) await pause(systemClock, 1) // it takes real time
      }
    }
  }
}

/** Definitions, dotenv files and logs are read by threads of Node. */
const isReading = (): boolean =>
  process.getActiveResourcesInfo().some((resource) => /^(FSReq|CloseReq|FileHandleCloseReq)/.test(resource))
