/** A masker that releases its tail in time: nothing is held back for more than half a second. Source: execution-semantics 14.4.6. */
import type { Clock } from '../clock.ts'
import type { Masker } from './masker.ts'

export interface TimedMasker {
  push(chunk: Uint8Array): void
  /** Releases the tail. */
  end(): void
}

/** Longest time that a byte is held back. */
const HOLD_MS = 500

/** @param give receives the masked bytes in order; never an empty chunk */
export function timedMasker(masker: Masker, clock: Clock, give: (bytes: Buffer) => void): TimedMasker {
  /** When the held-back bytes arrived. */
  let arrivals: { upTo: number; at: number }[] = []
  let cancel: (() => void) | undefined
  let dueAt = 0
  const pass = (bytes: Buffer) => {
    if (bytes.length > 0) give(bytes)
  }
  function watch(): void {
    const [oldest] = arrivals
    if (cancel && oldest && dueAt === oldest.at + HOLD_MS) return
    cancel?.()
    cancel = undefined
    if (!oldest) return
    dueAt = oldest.at + HOLD_MS
    cancel = clock.at(dueAt, () => {
      cancel = undefined
      arrivals = []
      pass(masker.flush())
    })
  }
  return {
    push(chunk) {
      pass(masker.push(chunk))
      const from = masker.taken - masker.held
      if (masker.held > 0) arrivals.push({ upTo: masker.taken, at: clock.now() })
      arrivals = arrivals.filter(({ upTo }) => upTo > from)
      watch()
    },
    end() {
      arrivals = []
      watch()
      pass(masker.flush())
    }
  }
}
