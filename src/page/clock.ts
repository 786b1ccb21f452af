/** The only place of the page that knows the time or waits. */

/** Epoch ms. */
export const now = (): number => Date.now()

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
