/** Work that would block the event loop, in a thread of its own that can be ended at any moment. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Clock, pause } from '../clock.ts'

export interface ThreadWork {
  /** A compiled module: it reads `workerData` and posts one `{ result }`, and any number of `{ note }` before it. */
  module: URL
  data: unknown
  /** Ends the thread. */
  signal: AbortSignal
  /** 0: no limit. */
  limitMs: number
  /** Of JavaScript's own heap. */
  heapMb: number
  /** Given every note, in order. The next one waits in the thread's queue, not for this. */
  note?(note: string): void
}

/** So many threads work at a time; the others wait for their turn. */
const WIDTH = Math.max(2, availableParallelism())
let busy = 0
const waiting: (() => void)[] = []

/**
 * Resolves with the result that the module posts.
 * @throws Error of the module; `AbortError` when stopped; with a sentence when a limit of time or memory is passed
 */
export async function inThread<T>(work: ThreadWork, clock: Clock): Promise<T> {
  await turn(work.signal)
  try {
    return await run<T>(work, clock)
  } finally {
    busy--
    waiting.shift()?.()
  }
}

async function turn(signal: AbortSignal): Promise<void> {
  while (busy >= WIDTH) {
    await new Promise<void>((resolve, reject) => {
      const abort = () => {
        waiting.splice(waiting.indexOf(go), 1)
        reject(signal.reason)
      }
      const go = () => {
        signal.removeEventListener('abort', abort)
        resolve()
      }
      if (signal.aborted) return reject(signal.reason)
      signal.addEventListener('abort', abort, { once: true })
      waiting.push(go)
    })
  }
  signal.throwIfAborted()
  busy++
}

async function run<T>({ module, data, signal, limitMs, heapMb, note }: ThreadWork, clock: Clock): Promise<T> {
  const worker = new Worker(module, {
    workerData: data,
    env: {}, // nothing of the server's reaches a filter
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb }
  })
  // What a library prints goes nowhere.
  worker.stdout.resume()
  worker.stderr.resume()
  const over = new AbortController()
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.on('message', (message: { result: T } | { note: string }) =>
        'note' in message ? note?.(message.note) : resolve(message.result)
      )
      worker.once('error', (error: NodeJS.ErrnoException) =>
        reject(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new Error(`needs more than ${heapMb} MiB of memory`) : error)
      )
      worker.once('exit', () => reject(new Error('ended without a result')))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal })
      if (limitMs > 0)
        void pause(clock, limitMs, over.signal).then(() => {
          if (!over.signal.aborted) reject(new Error(`not done within ${limitMs / 1_000}s`))
        })
    })
  } finally {
    over.abort()
    await worker.terminate()
  }
}
