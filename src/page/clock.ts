/**
 * The only place of the page that reads the time or waits. The time is the server's, whose clock times the runs: a visitor's clock may
 * be hours off.
 */

/** Epoch ms of this browser, right or wrong. */
export const localNow = (): number => Date.now()

/** Monotonic ms since the page was opened, for durations. */
export const uptime = (): number => performance.now()

/** Bounds of the server clock's lead over this one in ms, from all answers so far. */
let ahead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }

// D921: the page learns the server's time from `Date` headers
/**
 * Learns the server's time from one of its answers.
 * @param date the `Date` of the answer, whole seconds; null: there was none
 * @param sentAt when the request was sent, by this browser's clock
 */
export function heardTime(date: string | null, sentAt: number): void {
  const stated = Date.parse(date ?? '')
  if (Number.isNaN(stated)) return
  // The date was written between the request and the end of the answer, at some time within its second.
  const heard = { least: stated - localNow(), most: stated + 1_000 - sentAt }
  // The visitor's clock was set back meanwhile: the answer seems to have taken no time.
  if (heard.least > heard.most) return
  const both = { least: Math.max(ahead.least, heard.least), most: Math.min(ahead.most, heard.most) }
  // When no offset fits all answers, one of the clocks was set: only the latest answer counts.
  ahead = both.least <= both.most ? both : heard
}

/** Epoch ms by the server's clock; by that of this browser as long as the two may be the same. */
export function now(): number {
  const { least, most } = ahead
  return localNow() + (least <= 0 && most >= 0 ? 0 : (least + most) / 2)
}

/** Calls `ring` after `ms`. Returns a function that cancels it. */
export function after(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms)
  return () => clearTimeout(timer)
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const cancel = after(ms, resolve)
    signal.addEventListener('abort', () => {
      cancel()
      resolve()
    })
  })

/**
 * Throttles `act`: `ask` calls it at once the first time, and not more often than every `ms`. Many calls become one.
 */
export function atMostEvery(ms: number, act: () => void): { ask(): void; end(): void } {
  let cancel: (() => void) | undefined
  let isAsked = false
  const rest = () => {
    cancel = after(ms, () => {
      cancel = undefined
      if (!isAsked) return
      isAsked = false
      rest()
      act()
    })
  }
  return {
    ask() {
      if (cancel) {
        isAsked = true
        return
      }
      // The pause is set first: `act` may call `ask`.
      rest()
      act()
    },
    end() {
      cancel?.()
      cancel = () => {}
    }
  }
}
