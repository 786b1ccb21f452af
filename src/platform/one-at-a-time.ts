/** Keeps changes of one thing from meeting: each begins when the one before it has ended, however that ended. */

export interface OneAtATime {
  /** Waits its turn among the changes of `of`, then does `work`. */
  take<T>(of: string, work: () => Promise<T>): Promise<T>
  /** Resolves when all changes asked for so far have ended. */
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
