/** Processor time of this process: what a piece of work costs, however busy the machine is with something else. */
import { readFileSync } from 'node:fs'

/** In ms. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  return since(before)
}
const since = (before: NodeJS.CpuUsage): number => {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

/**
 * What the main thread of this process has computed so far, asked from any of its threads; where the system does not say, the time
 * that has passed. In ms.
 */
export function mainThreadMs(): number {
  try {
    return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6
  } catch {
    return performance.now()
  }
}

/** Work on an input of some size. */
type Sized = (size: number) => unknown

/** Less than this is no figure: a collection of garbage is most of it. */
const LEAST_MS = 2
/** The compiler of V8, and other programs, make a figure larger now and then. */
const TRIES = 3
// D1650: the same on each machine
/** How many times as much ten times the size may cost. What is linear costs ten times as much, what is quadratic a hundred times. */
export const LINEAR = 40

/**
 * How many times as much processor time work on the larger size costs as on the smaller one: the same on each machine. Once it is below
 * `LINEAR` it is not tried again. The work is called once before, since V8 compiles it.
 */
export async function growth(work: Sized, size: number, larger = 10 * size): Promise<number> {
  const cost = async (of: number) => {
    const before = process.cpuUsage()
    await work(of)
    return Math.max(since(before), LEAST_MS)
  }
  await work(size)
  let least = Number.POSITIVE_INFINITY
  for (let tried = 0; tried < TRIES && least >= LINEAR; tried++) {
    const small = await cost(size)
    least = Math.min(least, (await cost(larger)) / small)
  }
  return least
}
