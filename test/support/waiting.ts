/** Waiting for something outside to happen, in end-to-end tests only. */

/** Asks until the answer is not undefined. @throws Error after `limitMs` */
export async function eventually<T>(
  what: string,
  ask: () => T | undefined | Promise<T | undefined>,
  limitMs = 8_000
): Promise<T> {
  const until = performance.now() + limitMs
  for (;;) {
    const answer = await ask()
    if (answer !== undefined) return answer
    if (performance.now() > until) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
