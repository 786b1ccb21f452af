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
interface Entry {
  key: Key
  value: Uint8Array
}

export interface Table {
  get(key: Key): Uint8Array | undefined
  put(key: Key, value: Uint8Array): void
  remove(key: Key): void
  range(bounds?: Bounds): Iterable<Entry>
  count(bounds?: Bounds): number
}

export function openTable(): Table {
  const entries = new Map<string, Entry>()
  const order: string[] = []
  const placeOf = (text: string) => {
    let low = 0
    let high = order.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((order[middle] as string) < text) low = middle + 1
      else high = middle
    }
    return low
  }
  /** First place in the range, and the place after its last. */
  function placesOf({ start, end, reverse }: Bounds): [number, number] {
    const from = start === undefined ? undefined : textOf(start)
    const to = end === undefined ? undefined : textOf(end)
    if (!reverse) return [from === undefined ? 0 : placeOf(from), to === undefined ? order.length : placeOf(to)]
    const after = (text: string) => placeOf(text) + (entries.has(text) ? 1 : 0)
    return [to === undefined ? 0 : after(to), from === undefined ? order.length : after(from)]
  }
  return {
    get: (key) => entries.get(textOf(key))?.value,
    put(key, value) {
      const text = textOf(key)
      if (!entries.has(text)) order.splice(placeOf(text), 0, text)
      entries.set(text, { key, value })
    },
    remove(key) {
      const text = textOf(key)
      if (entries.delete(text)) order.splice(placeOf(text), 1)
    },
    *range(bounds = {}) {
      const [first, end] = placesOf(bounds)
      const found = order.slice(first, end) // what is written meanwhile is not seen
      if (bounds.reverse) found.reverse()
      let left = bounds.limit ?? found.length
      for (const text of found) {
        if (left-- <= 0) return
        const entry = entries.get(text)
        if (entry) yield entry
      }
    },
    count(bounds = {}) {
      const [first, end] = placesOf(bounds)
      return Math.max(0, end - first)
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
