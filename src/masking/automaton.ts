/**
 * Finds many byte strings at once in one pass (Aho-Corasick). States are numbers, 0 is "nothing begun"; a state stands for
 * the longest end of the bytes so far with which one of the strings begins. States near 0 have a row in a table, one look
 * for each byte; those beyond `TABLE_ENTRIES` are reached in long strings only, and are looked up in lists.
 */

export interface Automaton {
  /** Bytes of the longest string; 0: there is none. */
  longest: number
  /**
   * Goes on from a state through `bytes`. @param found told where a string has ended (bytes up to there) and the index of
   * the longest that did
   * @returns the state at the end
   */
  run(state: number, bytes: Uint8Array, found: (end: number, index: number) => void): number
  /** How many of the latest bytes a state stands for. */
  depth(state: number): number
}

/** 16 MB. */
const TABLE_ENTRIES = 4_194_304

/** @param strings none of them empty; of two equal ones the first is found */
export function automatonOf(strings: Uint8Array[]): Automaton {
  const size = 1 + strings.reduce((sum, { length }) => sum + length, 0)
  const child = new Int32Array(size)
  const sibling = new Int32Array(size)
  const byteOf = new Uint8Array(size)
  const depth = new Int32Array(size)
  const fail = new Int32Array(size)
  const ends = new Int32Array(size).fill(-1)
  /** Bytes that no string holds share class 0. */
  const classOf = new Uint16Array(256)
  let classes = 1
  let count = 1

  /** 0: there is none. */
  function childOf(state: number, byte: number): number {
    let found = at(child, state)
    while (found !== 0 && byteOf[found] !== byte) found = at(sibling, found)
    return found
  }

  strings.forEach((string, index) => {
    let state = 0
    for (const byte of string) {
      if (classOf[byte] === 0) classOf[byte] = classes++
      let following = childOf(state, byte)
      if (following === 0) {
        following = count++
        byteOf[following] = byte
        depth[following] = at(depth, state) + 1
        sibling[following] = at(child, state)
        child[state] = following
      }
      state = following
    }
    if (ends[state] === -1) ends[state] = index
  })

  const rows = Math.max(1, Math.min(count, Math.floor(TABLE_ENTRIES / classes)))
  const table = new Int32Array(rows * classes)
  /** Where a state's row begins; -1: it has none. */
  const rowOf = new Int32Array(count).fill(-1)
  let made = 0

  function next(from: number, byte: number): number {
    for (let state = from; ; state = at(fail, state)) {
      const row = at(rowOf, state)
      if (row >= 0) return at(table, row + (classOf[byte] ?? 0))
      const found = childOf(state, byte)
      if (found !== 0) return found
    }
  }
  /** A row is that of the state fallen back to, but for what goes on from here. */
  function makeRow(state: number): void {
    if (made === rows) return
    const row = made++ * classes
    const base = at(rowOf, at(fail, state))
    if (base >= 0) table.copyWithin(row, base, base + classes)
    for (let below = at(child, state); below !== 0; below = at(sibling, below))
      table[row + (classOf[byteOf[below] ?? 0] ?? 0)] = below
    rowOf[state] = row
  }

  // The shorter come first: whatever a state falls back to is complete.
  makeRow(0)
  const queue = [0]
  for (let head = 0; head < queue.length; head++) {
    const state = queue[head] ?? 0
    for (let below = at(child, state); below !== 0; below = at(sibling, below)) {
      if (state !== 0) fail[below] = next(at(fail, state), byteOf[below] ?? 0)
      if (ends[below] === -1) ends[below] = at(ends, at(fail, below))
      makeRow(below)
      queue.push(below)
    }
  }

  return {
    longest: strings.reduce((most, { length }) => Math.max(most, length), 0),
    run(from, bytes, found) {
      const { length } = bytes
      let state = from
      // Casts: every index is within its array, and `??` costs a third of the speed here.
      for (let i = 0; i < length; i++) {
        const byte = bytes[i] as number
        const row = rowOf[state] as number
        state = row >= 0 ? (table[row + (classOf[byte] as number)] as number) : next(state, byte)
        const index = ends[state] as number
        if (index >= 0) found(i + 1, index)
      }
      return state
    },
    depth: (state) => at(depth, state)
  }
}

/** An element that is there. */
const at = (numbers: Int32Array, index: number): number => numbers[index] ?? 0
