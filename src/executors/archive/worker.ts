/** The thread of one archive operation. Only `archive.ts` starts it. */
import { parentPort, workerData } from 'node:worker_threads'
import { failureOf } from './codes.ts'
import { create } from './create.ts'
import { extract } from './extract.ts'
import { list } from './list.ts'
import type { ArchiveOutcome, ArchiveRequest } from './request.ts'

const OPERATIONS = { extract, create, list }
const KINDS = { extract: 'extract', create: 'create', list: 'other' } as const

async function outcome(request: ArchiveRequest): Promise<ArchiveOutcome> {
  const { operation } = request
  try {
    return { exitCode: 0, result: await OPERATIONS[operation](request, (note) => parentPort?.postMessage({ note })) }
  } catch (error) {
    const { exitCode, message } = failureOf(error, KINDS[operation])
    return { exitCode, message }
  }
}

// Only between two calls: see `leaves` in worker-thread.ts.
parentPort?.once('message', () => process.exit())
void outcome(workerData as ArchiveRequest).then((result) => parentPort?.postMessage({ result }))
