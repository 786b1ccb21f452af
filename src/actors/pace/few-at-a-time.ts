/** Limits concurrent background work on files: after a restart thousands of runs may end together, and open files are limited. */

/** @param most maximum number of concurrent pieces of work */
export function fewAtATime(most: number) {
  const waiting: (() => void)[] = []
  let next = 0
  let running = 0
  let idle: (() => void)[] = []

  function over(): void {
    const begin = waiting[next]
    if (begin) {
      next++
      begin()
      return
    }
    waiting.length = 0
    next = 0
    running--
    if (running > 0) return
    for (const resolve of idle) resolve()
    idle = []
  }

  return {
    /** Starts `work` when a place is free, in the order of the calls. Resolves or rejects as `work` does. */
    async take<T>(work: () => Promise<T>): Promise<T> {
      if (running < most) running++
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        over()
      }
    },
    /** Resolves when no work is left. */
    settled: (): Promise<void> => (running === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve)))
  }
}
