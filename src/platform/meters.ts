/** What an engine measures of itself while somebody reads it. Otherwise each place of a measurement costs one comparison. */

/** Durations in ms of the monotonic clock, except that of a step. It must not throw. */
export interface MeterListener {
  /** One message was processed, in every actor that it reaches. */
  turn(ms: number): void
  /** Transactions were written: appended to the write-ahead file, or to the store and flushed, with all retries. */
  wrote(file: StoreFile, ms: number): void
  /** From the request for a local process until it was there. */
  began(ms: number): void
  /** A local process could not be started, or its end will never be known. */
  launchFailed(): void
  /** A step has ended, and that is stored. @param type of its executor */
  stepEnded(type: string, status: string, ms: number): void
  /** A step has failed and will be tried again. */
  stepRetried(type: string): void
}

export type StoreFile = 'write_ahead' | 'store'

export interface Meters extends MeterListener {
  /** Somebody listens. */
  readonly isOn: boolean
  /** @returns a function that ends it */
  listen(listener: MeterListener): () => void
}

export function openMeters(): Meters {
  const listeners = new Set<MeterListener>()
  const told =
    <A extends unknown[]>(tell: (listener: MeterListener, ...what: A) => void) =>
    (...what: A) => {
      for (const listener of listeners) tell(listener, ...what)
    }
  return {
    get isOn() {
      return listeners.size > 0
    },
    listen(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    turn: told((to, ms: number) => to.turn(ms)),
    wrote: told((to, file: StoreFile, ms: number) => to.wrote(file, ms)),
    began: told((to, ms: number) => to.began(ms)),
    launchFailed: told((to) => to.launchFailed()),
    stepEnded: told((to, type: string, status: string, ms: number) => to.stepEnded(type, status, ms)),
    stepRetried: told((to, type: string) => to.stepRetried(type))
  }
}
