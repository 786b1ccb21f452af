/** The lines of one log that are loaded: in chunks, by their numbers, which count from 0 here. Nothing is known of the server. */
import type { Look } from './look.ts'
import { PLAIN } from './look.ts'
import { type Painted, paintedLine } from './painted.ts'

export const CHUNK_LINES = 500
/** More are dropped, those farthest from where the reader is first. */
const MOST_CHUNKS = 60

interface Chunk {
  lines: string[]
  painted?: { before: Look; parts: Painted[][]; after: Look }
}

export class LogLines {
  /** Lines of the whole log. */
  total = 0
  readonly #chunks = new Map<number, Chunk>()

  clear(): void {
    this.total = 0
    this.#chunks.clear()
  }

  /** Takes lines, of which `first` is the number of the first. Lines that nothing before them in their chunk is known of are left out. */
  put(first: number, lines: readonly string[]): void {
    this.total = Math.max(this.total, first + lines.length)
    for (let at = 0; at < lines.length; ) {
      const place = (first + at) % CHUNK_LINES
      const count = Math.min(CHUNK_LINES - place, lines.length - at)
      const number = Math.floor((first + at) / CHUNK_LINES)
      const known = this.#chunks.get(number)?.lines ?? []
      if (known.length >= place) {
        const all = [...known.slice(0, place), ...lines.slice(at, at + count), ...known.slice(place + count)]
        this.#chunks.set(number, { lines: all })
      }
      at += count
    }
  }

  /** The first line that is not loaded of the chunks from line `from` until before `until`. */
  missing(from: number, until: number): number | undefined {
    const end = Math.min(until, this.total)
    for (let chunk = Math.floor(Math.max(0, from) / CHUNK_LINES); chunk * CHUNK_LINES < end; chunk++) {
      const wanted = Math.min(CHUNK_LINES, this.total - chunk * CHUNK_LINES)
      const known = this.#chunks.get(chunk)?.lines.length ?? 0
      if (known < wanted) return chunk * CHUNK_LINES + known
    }
    return undefined
  }

  /** Drops what is far from line `near`. */
  forget(near: number): void {
    if (this.#chunks.size <= MOST_CHUNKS) return
    const here = near / CHUNK_LINES
    const far = [...this.#chunks.keys()].sort((one, other) => Math.abs(other - here) - Math.abs(one - here))
    for (const chunk of far.slice(0, this.#chunks.size - MOST_CHUNKS)) this.#chunks.delete(chunk)
  }

  /** A line in its colors; undefined: it is not loaded. Colors last until others are set, from the first line that is loaded on. */
  at(line: number): Painted[] | undefined {
    const number = Math.floor(line / CHUNK_LINES)
    const chunk = this.#chunks.get(number)
    if (!chunk) return undefined
    const before = this.#chunks.get(number - 1)?.painted?.after ?? PLAIN
    if (chunk.painted?.before !== before) chunk.painted = painted(chunk.lines, before)
    return chunk.painted.parts[line % CHUNK_LINES]
  }
}

function painted(lines: readonly string[], before: Look): { before: Look; parts: Painted[][]; after: Look } {
  let look = before
  const parts = lines.map((line) => {
    const { parts, after } = paintedLine(line, look)
    look = after
    return parts
  })
  return { before, parts, after: look }
}

/** The parts of a line with each place where `text` is found as a part of its own. @param text in lower case; empty: none */
export function withFinds(parts: readonly Painted[], text: string): (Painted & { isFound?: boolean })[] {
  const whole = parts
    .map((part) => part.text)
    .join('')
    .toLowerCase()
  if (text === '' || !whole.includes(text)) return [...parts]
  const edges: number[] = []
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + text.length))
    edges.push(at, at + text.length)
  const found: (Painted & { isFound?: boolean })[] = []
  let position = 0
  let next = 0
  for (const part of parts) {
    const end = position + part.text.length
    while (position < end) {
      const edge = Math.min(end, edges[next] ?? end)
      const piece = part.text.slice(position - end + part.text.length, edge - end + part.text.length)
      // Between an even edge and the odd one after it is a find.
      if (piece !== '') found.push({ ...part, text: piece, ...(next % 2 === 1 ? { isFound: true } : {}) })
      position = edge
      if (edge === edges[next]) next++
    }
  }
  return found
}
