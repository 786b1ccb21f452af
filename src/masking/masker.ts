/**
 * Masks a stream of bytes that comes in chunks of any size: the outcome is that of masking the whole at once. Takes time
 * linear in the bytes, however many secrets there are. Source: execution-semantics 14.4.6, 14.4.7.
 *
 * Choice: every byte of every occurrence is masked. Occurrences that overlap become one mask together, so that no rest of
 * the shorter one stays; those that only touch become one mask each.
 */
import type { SecretMark } from '../../machines/vocabulary.ts'
import type { Patterns, Piece } from './patterns.ts'

/** Seven stars. */
export const MASK = '*******'
const STARS = Buffer.from(MASK)

export interface Masker {
  /**
   * Masks as much as is decided: all but a tail that may be the beginning of a value, one byte shorter than the longest at
   * most. The answer may share the memory of the chunk.
   */
  push(chunk: Uint8Array): Buffer
  /** The tail as it stands, for now or for good. Of a value that goes on all the same the rest is masked. */
  flush(): Buffer
  /** Bytes taken so far, and how many of them have not been decided. */
  readonly taken: number
  readonly held: number
}

/** An occurrence, or several that overlap. Positions count the bytes taken. */
interface Region {
  start: number
  end: number
  parts: Omit<SecretMark, 'at'>[]
}

// D752
/** @param note told which part of which secret stood where; `at` counts the bytes given out, from the first */
export function openMasker({ automaton, pieces }: Patterns, note?: (mark: SecretMark) => void): Masker {
  let state = 0
  let taken = 0
  let given = 0
  /** What has been given out or left out ends here, and `waiting` begins. */
  let decided = 0
  const waiting: Uint8Array[] = []
  /** Where a mask that was given out ends so far, and where it stands among the bytes given out. */
  let opened = -1
  let openedAt = 0
  /** Masks that are not given out, in order. None overlaps another. */
  const regions: Region[] = []
  let out: Uint8Array[] = []

  function found(end: number, index: number): void {
    const piece = pieces[index]
    if (!piece) return
    const from = end - piece.length
    while ((regions.at(-1)?.start ?? -1) > from) regions.pop() // they lie within this one
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
    // The mask that was given out last covers this too.
    pass(end, false)
    opened = end
    tell(parts)
  }

  function tell(parts: Region['parts']): void {
    if (note) for (const part of parts) note({ at: openedAt, ...part })
  }

  /** Goes on to a position; what lies before it is given out or left out. */
  function pass(to: number, give: boolean): void {
    while (decided < to) {
      const chunk = waiting[0]
      if (!chunk) return
      const length = Math.min(chunk.length, to - decided)
      if (give) {
        out.push(chunk.subarray(0, length))
        given += length
      }
      if (length === chunk.length) waiting.shift()
      else waiting[0] = chunk.subarray(length)
      decided += length
    }
  }

  /** Decides everything before `safe`, a position that no later occurrence can reach back beyond. */
  function decide(safe: number): Buffer {
    let settled = 0
    for (const { start, end, parts } of regions) {
      if (start > safe) break
      settled++
      pass(start, true)
      openedAt = given
      out.push(STARS)
      given += STARS.length
      tell(parts)
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
      if (rest) waiting.push(Uint8Array.prototype.slice.call(rest)) // the caller may use its chunk again
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

/** What of a value that began at `from` stands between two positions. */
function partOf(
  { secret, whole, from: offset }: Piece,
  from: number,
  start: number,
  end: number
): Region['parts'][number] {
  return whole && start === from ? { secret } : { secret, from: offset + start - from, length: end - start }
}

/** All of it at once. */
export function maskBytes(bytes: Uint8Array, patterns: Patterns, note?: (mark: SecretMark) => void): Buffer {
  if (patterns.automaton.longest === 0) return Buffer.from(bytes)
  const masker = openMasker(patterns, note)
  return Buffer.concat([masker.push(bytes), masker.flush()])
}
