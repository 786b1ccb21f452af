/** The thread of `foreseen.ts`: looks at all records in some log folders. A folder or a record that cannot be read is left out. */
import { readdirSync, readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'
import { basename, join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { isRecord, readRecord, type StateRecord } from './state-file.ts'

export type Foreseen = [path: string, record: StateRecord][]

function recordsIn(folder: string): Foreseen {
  try {
    return readdirSync(folder)
      .filter(isRecord)
      .map((file) => join(folder, file))
      .map((path) => [path, readRecord(path)])
  } catch {
    return [] // whoever looks for one reads it, and says why it cannot
  }
}

/** Whoever is ahead of others can wait for them: the engine's own thread is who everybody waits for. */
const NICE = 10
try {
  setPriority(Number(basename(readlinkSync('/proc/thread-self'))), NICE)
} catch {
  // Elsewhere threads have no numbers of their own.
}

parentPort?.on('message', (folders: string[]) => {
  parentPort?.postMessage({ result: folders.flatMap(recordsIn) })
})
