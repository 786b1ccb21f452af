/** What each file of tests took, kept from one `make test` to the next: by the clock on the wall, and in processor time. */
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'

/** Name of the variable with the path of a file that gets a line for each file of tests that has ended. */
export const TIMES = 'TROUPE_TEST_TIMES'
const TICK_MS = 10

export interface Times {
  wallMs: number
  /** Of the process that runs the file and of all processes that it has started and seen end. */
  processorMs: number
}
export type Record = { [file: string]: Times }

let before: Times = { wallMs: 0, processorMs: 0 }

/** Processor time so far. Where there is no `/proc`, that of the processes started is not known. */
function processorMs(): number {
  try {
    const fields = readFileSync('/proc/self/stat', 'latin1').split(') ')[1]?.split(' ') ?? []
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * TICK_MS, 0)
  } catch {
    const { user, system } = process.cpuUsage()
    return (user + system) / 1_000
  }
}

/** Notes what has passed since the file before it ended in this process, or since the process began: what it takes to load a file is part of it. */
export function noteTimes(file: string | undefined): void {
  const path = process.env[TIMES]
  if (path === undefined || file === undefined) return
  const now = { wallMs: performance.now(), processorMs: processorMs() }
  const line = {
    file: relative('', file),
    wallMs: Math.round(now.wallMs - before.wallMs),
    processorMs: Math.round(now.processorMs - before.processorMs)
  }
  before = now
  appendFileSync(path, `${JSON.stringify(line)}\n`)
}
