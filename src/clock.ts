/**
 * The only source of time, timers and random numbers. Everything else receives a `Clock`, so that the whole engine can run
 * under a simulated one. Source: architecture 2.
 */
import { randomBytes } from 'node:crypto'

export interface Clock {
  /** Wall clock, epoch ms. */
  now(): number
  /** Monotonic milliseconds, for durations. */
  elapsed(): number
  /** Calls `ring` at the wall-clock instant `dueAt` (epoch ms), never in the same turn of the event loop. Returns a function to cancel. */
  at(dueAt: number, ring: () => void): () => void
  /** Calls `ring` after `ms`, independent of the wall clock. Returns a function that cancels it. */
  after(ms: number, ring: () => void): () => void
  /** Calls `next` after the current events are handled. */
  soon(next: () => void): void
  random(count: number): Uint8Array
}

/** `setTimeout` is limited to 2^31 - 1 ms; longer waits are split. A jump of the wall clock is noticed within this time. */
const LONGEST_WAIT_MS = 60_000
const LONGEST_TIMER_MS = 2 ** 31 - 1

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  at(dueAt, ring) {
    let timer: NodeJS.Timeout
    const wait = () => {
      const left = dueAt - Date.now()
      timer = setTimeout(() => (dueAt <= Date.now() ? ring() : wait()), Math.max(0, Math.min(left, LONGEST_WAIT_MS)))
    }
    wait()
    return () => clearTimeout(timer)
  },
  after(ms, ring) {
    const timer = setTimeout(ring, Math.min(ms, LONGEST_TIMER_MS))
    return () => clearTimeout(timer)
  },
  soon: (next) => void setImmediate(next),
  random: (count) => randomBytes(count)
}

/** Resolves after the current events are handled, so that long work yields to others. Source: reliability R3. */
export const nextTurn = (clock: Pick<Clock, 'soon'>): Promise<void> => new Promise((resolve) => clock.soon(resolve))

/**
 * Calls `look` every `ms` without keeping the process alive: for checks of the process and its files, not of runs.
 * Returns a function that cancels it.
 */
export function everyNowAndThen(ms: number, look: () => void): () => void {
  const timer = setInterval(look, ms).unref()
  return () => clearInterval(timer)
}

/** Calls `ring` once, after `ms`, without keeping the process alive. Returns a function that cancels it. */
export function inAWhile(ms: number, ring: () => void): () => void {
  const timer = setTimeout(ring, ms).unref()
  return () => clearTimeout(timer)
}

/** Resolves after `ms`, or at once when `signal` aborts. */
export const pause = (clock: Clock, ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const finish = () => {
      cancel()
      signal?.removeEventListener('abort', finish)
      resolve()
    }
    const cancel = clock.after(ms, finish)
    signal?.addEventListener('abort', finish, { once: true })
  })

/** Blocks the whole process, while another one creates a file. */
export const block = (ms: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)

/** A UUID of version 7 (RFC 9562): ordered by creation time, lower case. */
export function uuidV7(clock: Clock): string {
  const bytes = clock.random(16)
  const view = new DataView(bytes.buffer, bytes.byteOffset, 16)
  view.setUint16(0, Math.floor(clock.now() / 2 ** 32))
  view.setUint32(2, clock.now() % 2 ** 32)
  view.setUint8(6, (view.getUint8(6) & 0x0f) | 0x70)
  view.setUint8(8, (view.getUint8(8) & 0x3f) | 0x80)
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}
