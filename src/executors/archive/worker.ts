/** The thread of one archive operation. Only `archive.ts` starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { outcomeOf } from './outcome.ts'
import type { ArchiveRequest } from './request.ts'

// Only between two calls: see `leaves` in worker-thread.ts.
parentPort?.once('message', () => process.exit())
void outcomeOf(workerData as ArchiveRequest, (note) => parentPort?.postMessage({ note })).then((result) =>
  parentPort?.postMessage({ result })
)
