/** An engine that does not answer may be restarting: it is asked again for a while. */
import { type Clock, pause } from '../../clock.ts'

const PATIENCE_MS = 30_000
const RETRY_MS = 500

/** @param work begun again when the connection fails @throws Error of the last try, and any other at once */
export async function patiently<T>(clock: Clock, closing: AbortSignal, work: () => Promise<T>): Promise<T> {
  let silentSince: number | undefined
  while (true) {
    const begun = clock.elapsed()
    try {
      return await work()
    } catch (error) {
      if (closing.aborted || !isUnreachable(error as NodeJS.ErrnoException)) throw error
      if (silentSince === undefined || begun - silentSince > 2 * PATIENCE_MS) silentSince = begun // it had answered meanwhile
      if (clock.elapsed() - silentSince > PATIENCE_MS) throw error
    }
    await pause(clock, RETRY_MS, closing)
  }
}

const isUnreachable = ({ code = '', syscall }: NodeJS.ErrnoException): boolean =>
  syscall === 'connect' || ['ECONNRESET', 'ECONNREFUSED', 'EPIPE'].includes(code)
