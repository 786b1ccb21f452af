/** Runs work that would block the event loop in a separate thread, which can be ended at any moment. */
import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { type Clock, pause } from '../../clock.ts'
import { codeOf } from '../../errors.ts'

export interface ThreadWork {
  /**
   * A compiled module: it reads `workerData` and posts any number of `{ note }`, then one `{ result }`. One that is kept receives
   * its data as a message each time; with `{ result, spent: true }` it asks not to be kept.
   */
  module: URL
  /** The module ends its thread itself on a message, because it uses `node:fs/promises`. @see leave */
  leaves?: boolean
  /** Threads of one line share its slots, so that interactive work does not wait for steps. Default: the line of steps. */
  line?: string
  /** Whether the thread is kept for a while for work of the same kind. */
  kept?: boolean
  data: unknown
  /** Ends the thread. */
  signal: AbortSignal
  /** 0: no limit. */
  limitMs: number
  /** Limit of the JavaScript heap. */
  heapMb: number
  /** Receives every note, in order; the thread does not wait for it. */
  note?(note: string): void
}

/** Greatest number of threads of a line that work at a time. */
const WIDTH = Math.max(2, availableParallelism())
interface Line {
  busy: number
  waiting: (() => void)[]
}
const lines = new Map<string, Line>()

function lineOf(name: string): Line {
  const line = lines.get(name) ?? { busy: 0, waiting: [] }
  lines.set(name, line)
  return line
}

// D610: jq and archive steps run in threads
/**
 * Resolves with the result that the module posts.
 * @throws Error of the module; `AbortError` when stopped; a sentence when a limit of time or memory is exceeded
 */
export async function inThread<T>(work: ThreadWork, clock: Clock): Promise<T> {
  const line = lineOf(work.line ?? 'steps')
  await slot(line, work.signal)
  try {
    return await run<T>(work, clock)
  } finally {
    line.busy--
    line.waiting.shift()?.()
  }
}

async function slot(line: Line, signal: AbortSignal): Promise<void> {
  const { waiting } = line
  while (line.busy >= WIDTH) {
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
  line.busy++
}

/** How long an idle thread is kept. */
const IDLE_MS = 30_000

interface Idle {
  kind: string
  worker: Worker
  /** Removes it from the idle threads. */
  leave(): void
}
const idle: Idle[] = []

export function endIdleThreads(): void {
  for (const { worker, leave } of [...idle]) {
    leave()
    void worker.terminate()
  }
}

/** An idle thread of that kind, or a new one. */
function threadFor({ module, data, heapMb, kept = false }: ThreadWork): Worker {
  const waiting = kept ? idle.find(({ kind }) => kind === kindOf(module, heapMb)) : undefined
  waiting?.leave()
  const worker = waiting?.worker ?? newThread(module, kept ? undefined : data, heapMb)
  worker.ref()
  if (kept) worker.postMessage(data)
  return worker
}

const kindOf = (module: URL, heapMb: number) => `${module.href} ${heapMb}`

/** Keeps a thread that has succeeded. */
function keep(kind: string, worker: Worker, clock: Clock): void {
  const leave = () => {
    cancel()
    worker.removeListener('error', leave)
    const at = idle.findIndex((one) => one.worker === worker)
    if (at >= 0) idle.splice(at, 1)
  }
  const cancel = clock.after(IDLE_MS, () => {
    leave()
    void worker.terminate()
  })
  worker.once('error', leave)
  worker.unref()
  idle.push({ kind, worker, leave })
}

function newThread(module: URL, workerData: unknown, heapMb: number): Worker {
  const worker = new Worker(module, {
    workerData,
    env: {}, // a filter must not see the server's environment
    execArgv: [],
    stdout: true,
    stderr: true,
    resourceLimits: { maxOldGenerationSizeMb: heapMb }
  })
  // Output of libraries is discarded.
  worker.stdout.resume()
  worker.stderr.resume()
  return worker
}

async function run<T>(work: ThreadWork, clock: Clock): Promise<T> {
  const { module, signal, limitMs, heapMb, kept = false, leaves = false, note } = work
  const worker = threadFor(work)
  const over = new AbortController()
  let isWell = false
  try {
    return await new Promise<T>((resolve, reject) => {
      worker.on('message', (message: { result: T; spent?: boolean } | { note: string }) => {
        if ('note' in message) return note?.(message.note)
        isWell = kept && !message.spent
        resolve(message.result)
      })
      worker.once('error', (error) => {
        const isFull = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY'
        reject(isFull ? new Error(`needs more than ${heapMb} MiB of memory`) : error)
      })
      worker.once('exit', () => reject(new Error('ended without a result')))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true, signal: over.signal })
      if (limitMs > 0)
        void pause(clock, limitMs, over.signal).then(() => {
          if (!over.signal.aborted) reject(new Error(`not done within ${limitMs / 1_000}s`))
        })
    })
  } finally {
    over.abort()
    for (const event of ['message', 'error', 'exit']) worker.removeAllListeners(event)
    if (isWell) keep(kindOf(module, heapMb), worker, clock)
    else if (leaves) await leave(worker, clock)
    else await worker.terminate()
  }
}

/** How long a thread may take to end itself. */
const LEAVE_MS = 1_000

/** Asks a thread to end between two calls: terminating it inside a call of `node:fs/promises` may abort the whole process (Node 20). */
async function leave(worker: Worker, clock: Clock): Promise<void> {
  const gone = new AbortController()
  worker.once('exit', () => gone.abort())
  worker.once('error', () => gone.abort())
  worker.postMessage('leave')
  await pause(clock, LEAVE_MS, gone.signal)
  await worker.terminate()
}
