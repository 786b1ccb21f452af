/** Retries while Docker may be restarting, and bounds the wait for an engine that hangs. */
import { type Clock, pause } from '../../clock.ts'
import { codeOf } from '../../errors.ts'

const PATIENCE_MS = 30_000
const RETRY_MS = 500

// D637: docker: a broken connection does not end a command
/** @param work repeated when the connection fails @throws Error of the last try, and any other at once */
export async function patiently<T>(clock: Clock, closing: AbortSignal, work: () => Promise<T>): Promise<T> {
  let silentSince: number | undefined
  while (true) {
    const begun = clock.elapsed()
    try {
      return await work()
    } catch (error) {
      if (closing.aborted || !isUnreachable(error)) throw error
      if (silentSince === undefined || begun - silentSince > 2 * PATIENCE_MS) silentSince = begun // it has answered meanwhile
      if (clock.elapsed() - silentSince > PATIENCE_MS) throw error
    }
    await pause(clock, RETRY_MS, closing)
  }
}

/** The request was never sent. */
export const isUnsent = (error: unknown): boolean => {
  const { syscall }: NodeJS.ErrnoException = Object(error)
  return syscall === 'connect'
}

/** There was no answer, or it broke off. */
export const isUnreachable = (error: unknown): boolean =>
  isUnsent(error) || ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(codeOf(error) ?? '')

/** The outcome of work that is not cancelled. @throws Error the reason of the signal, as soon as it aborts */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
    if (signal.aborted) abort()
  })
}

/** The outcome of work that is not cancelled. @throws Error when it takes longer than `ms` */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const late = new AbortController()
  const reason = new Error(`the Docker engine has not answered for ${ms / 1_000} s`)
  const callOff = clock.after(ms, () => late.abort(reason))
  try {
    return await unlessAborted(work, late.signal)
  } finally {
    callOff()
  }
}
