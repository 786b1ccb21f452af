/** Serializes changes of one thing: each begins when the previous one has ended, successful or not. */

export function oneAtATime() {
  const last = new Map<string, Promise<unknown>>()
  return {
    /** Does `work` after all earlier changes of `of`. */
    async take<T>(of: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(of)
      const own = before ? before.then(work, work) : work()
      last.set(of, own)
      try {
        return await own
      } finally {
        if (last.get(of) === own) last.delete(of)
      }
    },
    /** Resolves when all changes so far have ended. */
    async settled(): Promise<void> {
      await Promise.allSettled(last.values())
    }
  }
}
