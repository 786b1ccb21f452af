/**
 * Finds many byte strings in one pass (Aho-Corasick). States are numbers, 0 is the root; a state stands for the longest suffix
 * of the input that is a prefix of one of the strings. States near the root have a row in a table, one look-up per byte; those
 * beyond `TABLE_ENTRIES`, reached only in long strings, are looked up in lists.
 */

export interface Automaton {
  /** Length of the longest string, bytes; 0: there is none. */
  longest: number
  /**
   * Continues from a state through `bytes`. @param found called with the end of a match (offset in bytes) and the index of
   * the longest string that ends there
   * @returns the state at the end
   */
  run(state: number, bytes: Uint8Array, found: (end: number, index: number) => void): number
  /** Depth of a state, bytes. */
  depth(state: number): number
}

/** 16 MB. */
const TABLE_ENTRIES = 4_194_304

/** @param strings not empty; the first of equal ones is found */
export function automatonOf(strings: Uint8Array[]): Automaton {
  const size = 1 + strings.reduce((sum, { length }) => sum + length, 0)
  const child = new Int32Array(size)
  const sibling = new Int32Array(size)
  const byteOf = new Uint8Array(size)
  const depth = new Int32Array(size)
  const fail = new Int32Array(size)
  const ends = new Int32Array(size).fill(-1)
  /** Bytes that occur in no string share class 0. */
  const classOf = new Uint16Array(256)
  let classes = 1
  let count = 1

  /** 0: none. */
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
  /** Start of the row of a state; -1: none. */
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
  /** A row is a copy of the row of the failure state, with the own transitions. */
  function makeRow(state: number): void {
    if (made === rows) return
    const row = made++ * classes
    const base = at(rowOf, at(fail, state))
    if (base >= 0) table.copyWithin(row, base, base + classes)
    for (let below = at(child, state); below !== 0; below = at(sibling, below))
      table[row + (classOf[byteOf[below] ?? 0] ?? 0)] = below
    rowOf[state] = row
  }

  // Shorter states come first, so that failure states are complete.
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

/** An element that exists. */
const at = (numbers: Int32Array, index: number): number => numbers[index] ?? 0
