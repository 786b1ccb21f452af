/** Lowers the priority of threads whose work can wait. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

const NICE = 10

/** From now on this thread yields to others, above all to the main thread of the engine. */
export function stepAside(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE)
  } catch {
    // Other systems have no thread ids.
  }
}
