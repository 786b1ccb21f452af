/** Work on files that nobody waits for: after a restart thousands of runs may end together, and files open at a time are limited. */

export interface FewAtATime {
  /** Begun when it is its turn, in the order asked for. Resolves or rejects as `work` does. */
  take<T>(work: () => Promise<T>): Promise<T>
  /** Resolves when all that was asked for is done. */
  settled(): Promise<void>
}

/** @param most pieces of work at a time */
export function fewAtATime(most: number): FewAtATime {
  const waiting: (() => void)[] = []
  let next = 0
  let atWork = 0
  let told: (() => void)[] = []

  function over(): void {
    const begin = waiting[next]
    if (begin) {
      next++
      begin()
      return
    }
    waiting.length = 0
    next = 0
    atWork--
    if (atWork > 0) return
    for (const resolve of told) resolve()
    told = []
  }

  return {
    async take(work) {
      if (atWork < most) atWork++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        over()
      }
    },
    settled: () => (atWork === 0 ? Promise.resolve() : new Promise((resolve) => told.push(resolve)))
  }
}
