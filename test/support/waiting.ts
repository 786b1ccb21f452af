/** Waiting for something outside to happen, in end-to-end tests only. */

/**
 * How often more a test of a wall-clock limit is tried, as `this.retries(WHEN_BUSY)`: what else the machine does can only
 * make it later, so a limit that holds once is one that the engine can keep.
 */
export const WHEN_BUSY = 2

const SHORTEST_PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100
/** Part of what was waited so far. */
const PAUSE = 1 / 20

// D1573: what is waited for is asked for less often the longer it takes
/** Asks until the answer is not undefined, less often the longer that takes. @param limitMs a limit that is promised; absent: a limit that only ends tests that hang. @throws Error after it */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000
): Promise<T> {
  const begun = performance.now()
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    const waited = performance.now() - begun
    if (waited > limitMs) throw new Error(`${what}: not within ${limitMs} ms`)
    const pause = Math.min(waited * PAUSE, LONGEST_PAUSE_MS, limitMs - waited)
    await new Promise((resolve) => setTimeout(resolve, Math.max(pause, SHORTEST_PAUSE_MS)))
  }
}

/**
 * For a `describe` whose tests mostly wait: all of them begin after its `before` hooks so far, and each reports its own end.
 * They must not share what they change. @returns what is called as `it` is
 */
export function together(): (title: string, play: () => Promise<void>) => void {
  const plays: (() => Promise<void>)[] = []
  let played: Promise<PromiseSettledResult<void>>[] = []
  before(() => {
    played = plays.map((play) => Promise.allSettled([play()]).then(([result]) => result))
  })
  return (title, play) => {
    const at = plays.push(play) - 1
    it(title, async () => {
      const result = await played[at]
      if (result?.status === 'rejected') throw result.reason
    })
  }
}
