/** How much more memory this process holds while something is at work. */

const LOOK_MS = 20

/**
 * Megabytes by which resident memory grew at its peak, over what it was at the beginning.
 * @param work looked at until it is over
 */
export async function grownBy(work: () => Promise<unknown>): Promise<number> {
  const before = process.memoryUsage.rss()
  let peak = before
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const looks = setInterval(look, LOOK_MS)
  try {
    await work()
  } finally {
    clearInterval(looks)
    look()
  }
  return (peak - before) / 2 ** 20
}
