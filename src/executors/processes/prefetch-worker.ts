/** The thread of `prefetched.ts`: looks at all records in some log folders. A folder or a record that cannot be read is left out. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parentPort } from 'node:worker_threads'
import { stepAside } from '../frame/step-aside.ts'
import { isRecord, readRecord, type StateRecord } from './state-file.ts'

export type Prefetched = [path: string, record: StateRecord][]

function recordsIn(folder: string): Prefetched {
  try {
    return readdirSync(folder)
      .filter(isRecord)
      .map((file) => join(folder, file))
      .map((path) => [path, readRecord(path)])
  } catch {
    return [] // the caller reads it again, and says why it cannot
  }
}

stepAside()

parentPort?.on('message', (folders: string[]) => {
  parentPort?.postMessage({ result: folders.flatMap(recordsIn) })
})
