/** Processor time of this process: what a piece of work costs, however busy the machine is with something else. */

/** In ms. */
export function processorMs(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}
