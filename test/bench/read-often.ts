/** How long a path takes when it is read again and again by one client: its middle and its slow end. */
import type { Client } from './client.ts'
import { median, percentile } from './figures.ts'
import type { Answer } from './question.ts'

const READS = 200
/** An engine that needs longer is asked less often: for so many ms, and at least so often. The p99 of a few is the slowest of them. */
const PATIENCE_MS = 20_000
const FEWEST = 5

/**
 * Reads `path` 200 times, or for 20 seconds, one after another. The very first answer is left out and is a separate figure where a question
 * wants it: it pays for what the server does once.
 * @param path a path, or the path of the nth read
 */
export async function readOften(
  client: Client,
  figure: string,
  path: string | ((n: number) => string)
): Promise<Answer[]> {
  const pathOf = typeof path === 'string' ? () => path : path
  await client.read(pathOf(0))
  const times: number[] = []
  const begun = performance.now()
  for (let n = 1; n <= READS && (n <= FEWEST || performance.now() - begun < PATIENCE_MS); n++)
    times.push((await client.read(pathOf(n))).ms)
  return [
    { figure: `${figure}, p50`, unit: 'ms', better: 'less', value: median(times) },
    { figure: `${figure}, p99`, unit: 'ms', better: 'less', value: percentile(times, 99) }
  ]
}
