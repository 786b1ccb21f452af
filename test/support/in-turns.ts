/** Work on many things, a few at a time. */

/** Promises of the results, in the order of `items`; at most `limit` are worked on at a time. */
export function inTurns<T, R>(items: T[], limit: number, work: (item: T) => Promise<R>): Promise<R>[] {
  const waiting: (() => void)[] = []
  let free = limit
  const turn = async () => {
    if (free > 0) free--
    else await new Promise<void>((go) => waiting.push(go))
  }
  const over = () => {
    const next = waiting.shift()
    if (next) next()
    else free++
  }
  return items.map(async (item) => {
    await turn()
    return work(item).finally(over)
  })
}
