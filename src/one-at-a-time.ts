/** Keeps changes of one thing from meeting: each begins when the one before it has ended, however that ended. */

/** Waits its turn among the changes of `of`, then does `work`. */
export type OneAtATime = <T>(of: string, work: () => Promise<T>) => Promise<T>

export function oneAtATime(): OneAtATime {
  const last = new Map<string, Promise<unknown>>()
  return async (of, work) => {
    const before = last.get(of)
    const own = before ? before.then(work, work) : work()
    last.set(of, own)
    try {
      return await own
    } finally {
      if (last.get(of) === own) last.delete(of)
    }
  }
}
