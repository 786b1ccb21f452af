/** Waiting for something outside to happen, in end-to-end tests only. */

/**
 * How often more a test of a wall-clock limit is tried, as `this.retries(WHEN_BUSY)`: what else the machine does can only
 * make it later, so a limit that holds once is one that the engine can keep.
 */
export const WHEN_BUSY = 2

/** Asks until the answer is not undefined. @param limitMs a limit that is promised; absent: a limit that only ends tests that hang. @throws Error after it */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  limitMs = 60_000
): Promise<T> {
  const until = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > until) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
