/**
 * What an engine measures of itself while somebody reads it. Otherwise each place of a measurement costs one comparison, and while it
 * does an entry in a list: counting is left to when many have come together, or when they are read.
 */

/** Durations in ms of the monotonic clock, except that of a step. */
export type Measured =
  /** One message was processed, in every actor that it reaches. */
  | { what: 'turn'; ms: number }
  /** Transactions were written: appended to the write-ahead file, or to the store and flushed, with all retries. */
  | { what: 'write'; file: StoreFile; ms: number }
  /** From the request for a local process until it was there. */
  | { what: 'launch'; ms: number }
  /** A local process could not be started, or its end will never be known. */
  | { what: 'failed launch' }
  /** A step has ended, and that is stored. `type`: of its executor. */
  | { what: 'step'; type: string; status: string; ms: number }
  /** A step has failed and will be tried again. */
  | { what: 'retry'; type: string }

export type StoreFile = 'write_ahead' | 'store'

export interface Meters {
  /** Somebody listens. */
  readonly isOn: boolean
  note(measured: Measured): void
  /** Tells what was noted since the last time. */
  tell(): void
  /** @param listener must not throw. Returns a function that ends it, after what was noted */
  listen(listener: (measured: Measured) => void): () => void
}

// D1414: durations are measured while somebody reads metrics
const TOGETHER = 1_000

export function openMeters(): Meters {
  const listeners = new Set<(measured: Measured) => void>()
  let noted: Measured[] = []
  function tell(): void {
    const told = noted
    noted = []
    for (const listener of listeners) for (const measured of told) listener(measured)
  }
  return {
    get isOn() {
      return listeners.size > 0
    },
    note(measured) {
      if (listeners.size > 0 && noted.push(measured) >= TOGETHER) tell()
    },
    tell,
    listen(listener) {
      tell()
      listeners.add(listener)
      return () => {
        tell()
        listeners.delete(listener)
      }
    }
  }
}
