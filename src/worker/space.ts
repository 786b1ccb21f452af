/**
 * Whether a worker has room for further runs: what it keeps of runs until its engine has it, and what is free on its disk. Runs that are
 * there go on, and make room when they end. Source: distribution 5.
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../clock.ts'
import { freeBytes } from '../platform/machine-load.ts'

export interface SpaceParts {
  /** The folder of the worker: its records are in `spool`, the logs of each run in `runs/<run>/logs`. */
  folder: string
  /** Limit of both together, in bytes. */
  limit: number
  clock: Pick<Clock, 'after'>
  /** Default: what the file system says; undefined: nothing. */
  free?(folder: string): Promise<number | undefined>
}

/** What steps and records need. */
const LEAST_FREE = 1024 ** 3
const LOOK_MS = 10_000

// D1024: a worker without room refuses runs, not steps
export function openSpace({ folder, limit, clock, free = freeBytes }: SpaceParts) {
  let trouble: string | undefined
  let cancel = () => {}
  let isClosed = false
  /** One look after the other: a file system that hangs must hold up nothing else. */
  async function look(): Promise<void> {
    const [left, kept] = await Promise.all([free(folder), keptIn(folder)])
    trouble = troubleOf(left, kept, limit)
    if (!isClosed) cancel = clock.after(LOOK_MS, () => void look())
  }
  void look()
  return {
    /** Why it takes no further run; undefined: there is room. */
    trouble: (): string | undefined => trouble,
    close() {
      isClosed = true
      cancel()
    }
  }
}

function troubleOf(left: number | undefined, kept: number, limit: number): string | undefined {
  if (left !== undefined && left < LEAST_FREE) return `its disk has ${sizeText(left)} left, and it wants 1 GiB`
  if (kept > limit) return `it keeps ${sizeText(kept)} of runs, and worker.spoolLimit is ${sizeText(limit)}`
  return undefined
}

/** Working folders are not counted: they may be large trees, and are what the steps make of them. */
async function keptIn(folder: string): Promise<number> {
  let sum = await sizeOfFiles(join(folder, 'spool'))
  for (const run of await namesIn(join(folder, 'runs'))) sum += await sizeOfFiles(join(folder, 'runs', run, 'logs'))
  return sum
}

async function sizeOfFiles(folder: string): Promise<number> {
  let sum = 0
  for (const name of await namesIn(folder)) {
    const found = await stat(join(folder, name)).catch(() => undefined) // it may be gone by now
    if (found?.isFile()) sum += found.size
  }
  return sum
}

const namesIn = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

const UNITS = ['B', 'KiB', 'MiB', 'GiB'] as const
function sizeText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10))
  return `${Math.floor((bytes / 1024 ** power) * 10) / 10} ${UNITS[power]}`
}
