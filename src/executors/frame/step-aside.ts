/** For threads that work for somebody who can wait. */
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename } from 'node:path'

const NICE = 10

/** From now on this thread gives way to others: the engine's own is the one that everybody waits for. */
export function stepAside(): void {
  try {
    setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE)
  } catch {
    // Elsewhere threads have no numbers of their own.
  }
}
