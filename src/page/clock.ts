/**
 * The only place of the page that knows the time or waits. The time is the server's: what runs is timed by its clock, and that of a
 * visitor may be hours away from it.
 */

/** Epoch ms of this browser, right or wrong. */
export const localNow = (): number => Date.now()

/** Ms since the page was opened: for lengths of time, which no change of a clock disturbs. */
export const uptime = (): number => performance.now()

/** How far the server's clock is ahead of this one, at least and at most, in ms: as all answers so far allow. */
let ahead = { least: Number.NEGATIVE_INFINITY, most: Number.POSITIVE_INFINITY }

// D921
/**
 * Learns the server's time from one of its answers.
 * @param date the `Date` of the answer, whole seconds; null: it had none
 * @param sentAt when it was asked for, by this browser's clock
 */
export function heardTime(date: string | null, sentAt: number): void {
  const told = Date.parse(date ?? '')
  if (Number.isNaN(told)) return
  // It was written after the question and before the end of the answer, at some time within its second.
  const heard = { least: told - localNow(), most: told + 1_000 - sentAt }
  // The visitor's clock was set meanwhile, which makes an answer seem to take no time or less.
  if (heard.least > heard.most) return
  const both = { least: Math.max(ahead.least, heard.least), most: Math.min(ahead.most, heard.most) }
  // When no distance fits all answers, one of the clocks was set: only the latest answer counts.
  ahead = both.least <= both.most ? both : heard
}

/** Epoch ms by the server's clock; by that of this browser as long as the two may be the same. */
export function now(): number {
  const { least, most } = ahead
  return localNow() + (least <= 0 && most >= 0 ? 0 : (least + most) / 2)
}

/** Calls `ring` after `ms`. Returns the way to call it off. */
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
 * Calls `act` soon after each call of what it returns, at once the first time and not more often than every `ms`: many calls
 * become one.
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
      // Rest comes first: the act itself may ask again.
      rest()
      act()
    },
    end() {
      cancel?.()
      cancel = () => {}
    }
  }
}
