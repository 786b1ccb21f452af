/**
 * Masks a stream of bytes in chunks of any size, with the same result as masking it at once. Takes time linear in the bytes,
 * however many secrets there are. Source: execution-semantics 14.4.6, 14.4.7.
 *
 * Choice: every byte of every occurrence is masked. Overlapping occurrences become one mask, so that no rest of the
 * shorter one remains; adjacent ones become one mask each.
 */
import type { SecretMark } from '../../machines/vocabulary.ts'
import type { Patterns, Piece } from './patterns.ts'

/** Seven stars. */
export const MASK = '*******'
const STARS = Buffer.from(MASK)

export interface Masker {
  /**
   * Masks everything but a tail that may be the beginning of a value; the tail is shorter than the longest value. The result may
   * share the memory of the chunk.
   */
  push(chunk: Uint8Array): Buffer
  /** Returns the tail, although it may be the beginning of a value; of such a value only the rest is masked then. */
  flush(): Buffer
  /** Bytes received so far, and how many of them are held back. */
  readonly taken: number
  readonly held: number
}

/** An occurrence, or several overlapping ones. Positions are offsets in the input. */
interface Region {
  start: number
  end: number
  parts: Omit<SecretMark, 'at'>[]
}

// D752: masking covers every byte of every occurrence
/** @param note receives which part of which secret was masked; `at` is the offset in the output */
export function openMasker({ automaton, pieces }: Patterns, note?: (mark: SecretMark) => void): Masker {
  let state = 0
  let taken = 0
  let emitted = 0
  /** Everything before this position is written or masked; `waiting` begins here. */
  let decided = 0
  const waiting: Uint8Array[] = []
  /** The last written mask: its current end in the input, and its offset in the output. */
  let opened = -1
  let openedAt = 0
  /** Masks that are not written yet, in order, without overlaps. */
  const regions: Region[] = []
  let out: Uint8Array[] = []

  function found(end: number, index: number): void {
    const piece = pieces[index]
    if (!piece) return
    const from = end - piece.length
    while ((regions.at(-1)?.start ?? -1) > from) regions.pop() // this one contains them
    const latest = regions.at(-1)
    if (latest && latest.end > from) {
      if (note) latest.parts.push(partOf(piece, from, latest.end, end))
      latest.end = end
      return
    }
    const start = Math.max(from, decided)
    const parts = note ? [partOf(piece, from, start, end)] : []
    if (from >= opened || decided > opened) {
      regions.push({ start, end, parts })
      return
    }
    // The last written mask covers this, too.
    pass(end, false)
    opened = end
    report(parts)
  }

  function report(parts: Region['parts']): void {
    if (note) for (const part of parts) note({ at: openedAt, ...part })
  }

  /** Advances to a position; the bytes before it are written or dropped. */
  function pass(to: number, give: boolean): void {
    while (decided < to) {
      const chunk = waiting[0]
      if (!chunk) return
      const length = Math.min(chunk.length, to - decided)
      if (give) {
        out.push(chunk.subarray(0, length))
        emitted += length
      }
      if (length === chunk.length) waiting.shift()
      else waiting[0] = chunk.subarray(length)
      decided += length
    }
  }

  /** Writes everything before `safe`, before which no later occurrence can begin. */
  function decide(safe: number): Buffer {
    let settled = 0
    for (const { start, end, parts } of regions) {
      if (start > safe) break
      settled++
      pass(start, true)
      openedAt = emitted
      out.push(STARS)
      emitted += STARS.length
      report(parts)
      pass(end, false)
      opened = end
    }
    regions.splice(0, settled)
    pass(safe, true)
    const [only, ...others] = out
    out = []
    if (!only) return Buffer.alloc(0)
    return others.length === 0
      ? Buffer.from(only.buffer, only.byteOffset, only.length)
      : Buffer.concat([only, ...others])
  }

  return {
    push(chunk) {
      if (chunk.length === 0) return Buffer.alloc(0)
      waiting.push(chunk)
      state = automaton.run(state, chunk, (end, index) => found(taken + end, index))
      taken += chunk.length
      const result = decide(taken - automaton.depth(state))
      const rest = waiting.pop()
      if (rest) waiting.push(Uint8Array.prototype.slice.call(rest)) // the caller may reuse its chunk
      return result
    },
    flush: () => decide(taken),
    get taken() {
      return taken
    },
    get held() {
      return taken - decided
    }
  }
}

/** The part between two positions of a value that began at `from`. */
function partOf(
  { secret, whole, from: offset }: Piece,
  from: number,
  start: number,
  end: number
): Region['parts'][number] {
  return whole && start === from ? { secret } : { secret, from: offset + start - from, length: end - start }
}

/** Masks a whole text. */
export function maskBytes(bytes: Uint8Array, patterns: Patterns, note?: (mark: SecretMark) => void): Buffer {
  if (patterns.automaton.longest === 0) return Buffer.from(bytes)
  const masker = openMasker(patterns, note)
  return Buffer.concat([masker.push(bytes), masker.flush()])
}
