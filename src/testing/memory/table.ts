/** One database of the store in memory: entries in the order of their keys, numbers before texts, as LMDB has them. */
import type { Key } from 'lmdb'

export interface Bounds {
  /** Inclusive; when reversed, the highest. */
  start?: Key
  /** Exclusive. */
  end?: Key
  reverse?: boolean
  limit?: number
}
/** A value, as bytes or as JSON. */
export type Packed = Uint8Array | string

interface Entry {
  key: Key
  value: Packed
}

export interface Table {
  get(key: Key): Packed | undefined
  put(key: Key, value: Packed): void
  remove(key: Key): void
  range(bounds?: Bounds): Iterable<Entry>
  count(bounds?: Bounds): number
}

/** Entries of a range that are looked up at first. */
const FEW = 4
/** Texts that are kept together: inserting one moves at most so many. */
const MOST_TOGETHER = 512

export function openTable(): Table {
  const entries = new Map<string, Entry>()
  const order = openOrder()
  /** First text in the range, and the text before which it ends, in ascending order. */
  function boundsOf({ start, end, reverse }: Bounds): { from?: string | undefined; to?: string | undefined } {
    const from = start === undefined ? undefined : textOf(start)
    const to = end === undefined ? undefined : textOf(end)
    if (!reverse) return { from, to }
    // Reversed, it begins at the highest, which is inclusive.
    const after = (text: string | undefined) => (text === undefined || !entries.has(text) ? text : `${text}\0`)
    return { from: after(to), to: after(from) }
  }
  return {
    get: (key) => entries.get(textOf(key))?.value,
    put(key, value) {
      const text = textOf(key)
      if (!entries.has(text)) order.add(text)
      entries.set(text, { key, value })
    },
    remove(key) {
      const text = textOf(key)
      if (entries.delete(text)) order.remove(text)
    },
    *range(bounds = {}) {
      let { from, to } = boundsOf(bounds)
      const { reverse = false, limit = Number.POSITIVE_INFINITY } = bounds
      // Bit by bit: who looks for the newest run of a name reads one of thousands. What is written meanwhile is seen behind the bit at
      // hand.
      for (let [left, size] = [limit, FEW]; left > 0; size *= 4) {
        const most = Math.min(left, size)
        const texts = order.between(from, to, reverse, most)
        for (const text of texts) {
          const entry = entries.get(text)
          if (entry) yield entry
        }
        const last = texts.at(-1)
        if (last === undefined || texts.length < most) return
        left -= texts.length
        if (reverse) to = last
        else from = `${last}\0`
      }
    },
    count(bounds = {}) {
      const { from, to } = boundsOf(bounds)
      return order.count(from, to)
    }
  }
}

/** Texts in order, in parts of a length that can be changed quickly. */
function openOrder() {
  const parts: string[][] = [[]]
  /** Number of the first item for which `isAfter` holds. */
  function first<T>(items: readonly T[], isAfter: (item: T) => boolean): number {
    let low = 0
    let high = items.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (isAfter(items[middle] as T)) high = middle
      else low = middle + 1
    }
    return low
  }
  const partOf = (text: string) => Math.max(0, first(parts, ([least = '']) => least > text) - 1)
  /** Part and place of the first text that is not before this one. */
  function placeOf(text: string): [part: number, place: number] {
    const part = partOf(text)
    return [part, first(parts[part] ?? [], (other) => other >= text)]
  }
  const ends = (from: string | undefined, to: string | undefined) => ({
    begin: from === undefined ? ([0, 0] as const) : placeOf(from),
    end: to === undefined ? ([parts.length - 1, parts.at(-1)?.length ?? 0] as const) : placeOf(to)
  })
  return {
    add(text: string): void {
      const [number, place] = placeOf(text)
      const part = parts[number] ?? []
      part.splice(place, 0, text)
      if (part.length > MOST_TOGETHER) parts.splice(number + 1, 0, part.splice(MOST_TOGETHER / 2))
    },
    remove(text: string): void {
      const [number, place] = placeOf(text)
      const part = parts[number] ?? []
      part.splice(place, 1)
      if (part.length === 0 && parts.length > 1) parts.splice(number, 1)
    },
    between(from: string | undefined, to: string | undefined, reverse: boolean, limit: number): string[] {
      const { begin, end } = ends(from, to)
      const found: string[] = []
      const step = reverse ? -1 : 1
      for (let number = (reverse ? end : begin)[0]; begin[0] <= number && number <= end[0]; number += step) {
        const part = parts[number] ?? []
        const first = number === begin[0] ? begin[1] : 0
        const last = (number === end[0] ? end[1] : part.length) - 1
        for (let at = reverse ? last : first; first <= at && at <= last; at += step) {
          if (found.length >= limit) return found
          found.push(part[at] as string)
        }
      }
      return found
    },
    count(from: string | undefined, to: string | undefined): number {
      const { begin, end } = ends(from, to)
      let count = 0
      for (let number = begin[0]; number <= end[0]; number++)
        count += (number === end[0] ? end[1] : (parts[number]?.length ?? 0)) - (number === begin[0] ? begin[1] : 0)
      return Math.max(0, count)
    }
  }
}

/** Texts in the order of their keys. A list sorts right after the one that it goes on from. */
function textOf(key: Key): string {
  if (typeof key === 'number') return `1${numberText(key)}`
  if (typeof key === 'string') return `2${key}\0`
  if (Array.isArray(key)) return key.map((part) => textOf(part as Key)).join('')
  throw new Error(`a key of the store is a number, a text or a list of those, found ${typeof key}`)
}

const view = new DataView(new ArrayBuffer(8))
const numbers = new Map<number, string>()

/** 16 hex digits that sort as the numbers do. */
function numberText(value: number): string {
  const known = numbers.get(value)
  if (known) return known
  view.setFloat64(0, value)
  const bits = view.getBigUint64(0)
  const sorted = value < 0 ? ~bits & 0xffff_ffff_ffff_ffffn : bits | 0x8000_0000_0000_0000n
  const text = sorted.toString(16).padStart(16, '0')
  if (numbers.size > 10_000) numbers.clear()
  numbers.set(value, text)
  return text
}
