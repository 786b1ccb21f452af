/** A masker that gives up its tail in time: nothing is held back for more than half a second. Source: execution-semantics 14.4.6. */
import type { Clock } from '../clock.ts'
import type { Masker } from './masker.ts'

export interface TimedMasker {
  push(chunk: Uint8Array): void
  /** Gives out what is held back. */
  end(): void
}

/** How long a byte is held back at most. */
const HOLD_MS = 500

/** @param give told what is decided, in order; never an empty chunk */
export function timedMasker(masker: Masker, clock: Clock, give: (bytes: Buffer) => void): TimedMasker {
  /** When the bytes that are held have come. */
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
