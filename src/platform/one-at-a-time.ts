/** Serializes changes of one thing: each begins when the previous one has ended, successful or not. */

export interface OneAtATime {
  /** Does `work` after all earlier changes of `of`. */
  take<T>(of: string, work: () => Promise<T>): Promise<T>
  /** Resolves when all changes so far have ended. */
  settled(): Promise<void>
}

export function oneAtATime(): OneAtATime {
  const last = new Map<string, Promise<unknown>>()
  return {
    async take(of, work) {
      const before = last.get(of)
      const own = before ? before.then(work, work) : work()
      last.set(of, own)
      try {
        return await own
      } finally {
        if (last.get(of) === own) last.delete(of)
      }
    },
    async settled() {
      await Promise.allSettled(last.values())
    }
  }
}
