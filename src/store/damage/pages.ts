/**
 * Reads the pages of a store without LMDB, which a damaged page can end by a signal. Whatever a page says is compared with what can be
 * true before it is followed; a page that fails costs the entries on it or below it, and no others. Source: reliability P7.
 *
 * The file is a tree of pages. The main tree has an entry for each table, with the number of the first page of its tree.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { KeyRange } from './stored-keys.ts'

type Range = KeyRange<Buffer>

export interface TablePages {
  name: string
  /** In the order of the keys. `value` is undefined when it cannot be read. */
  entries: Iterable<{ key: Buffer; value: Buffer | undefined }>
  /** Where entries are lost; complete when all `entries` were read. */
  lost: Range[]
}

const HEADER = 0x18
const BRANCH = 0x01
const LEAF = 0x02
const OVERFLOW = 0x04
const KINDS = BRANCH | LEAF | OVERFLOW
const NODE_HEADER = 8
/** The value stands on pages of its own. */
const BIG = 0x01
/** The value is a table. */
const TABLE = 0x02
const TABLE_BYTES = 48
const ROOT_IN_TABLE = 40
/** An empty tree. */
const NONE = 0xffff_ffff_ffff_ffffn
/** No tree of LMDB is deeper. */
const DEEPEST = 32

/**
 * Calls `read` for the tables of a store whose head can be read (`disk/store-file.ts`).
 * @returns what it returns; undefined: the page with the tables cannot be read
 */
export async function withTables<T>(path: string, read: (tables: TablePages[]) => Promise<T>): Promise<T | undefined> {
  const file = openSync(path, 'r')
  try {
    const pages = pagesOf(file)
    for (const root of rootsIn(file, pages.size)) {
      const main: TablePages['lost'] = []
      const found = Array.from(entriesBelow(pages, root, ALL, main))
      if (main.length > 0) continue
      return await read(found.flatMap(({ key, value, flags }) => tableIn(pages, key, value, flags) ?? []))
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

const ALL: Range = { from: undefined, to: undefined }

interface Pages {
  size: number
  /** How many there are. */
  count: number
  /** Pages that some tree has led to: no page belongs to two. */
  seen: Set<number>
  bytesAt(page: number, length: number): Buffer
}

function pagesOf(file: number): Pages {
  const head = Buffer.alloc(HEADER * 4)
  readSync(file, head, 0, head.length, 0)
  const size = head.readUInt32LE(0x30)
  const bytes = fstatSync(file).size
  return {
    size,
    count: Math.floor(bytes / size),
    seen: new Set(),
    bytesAt(page, length) {
      const found = Buffer.alloc(length)
      readSync(file, found, 0, length, page * size)
      return found
    }
  }
}

/** First pages of the main tree: of the latest commit, then of the one before, whose pages are not used again yet. */
function rootsIn(file: number, pageSize: number): bigint[] {
  const heads = [0, pageSize].map((at) => {
    const bytes = Buffer.alloc(0xa0)
    readSync(file, bytes, 0, bytes.length, at)
    return { root: bytes.readBigUInt64LE(0x88), commit: bytes.readBigUInt64LE(0x98) }
  })
  return heads.sort((a, b) => (a.commit < b.commit ? 1 : -1)).map(({ root }) => root)
}

function tableIn(pages: Pages, key: Buffer, value: Buffer | undefined, flags: number): TablePages | undefined {
  if ((flags & TABLE) === 0 || value?.length !== TABLE_BYTES) return undefined
  const lost: Range[] = []
  const name = key.toString('latin1').replace(/\0$/, '')
  return { name, lost, entries: entriesBelow(pages, value.readBigUInt64LE(ROOT_IN_TABLE), ALL, lost) }
}

interface Entry {
  key: Buffer
  value: Buffer | undefined
  flags: number
}

/** @param range of the keys that are below the page @param lost where no entry can be read */
function* entriesBelow(pages: Pages, number: bigint, range: Range, lost: Range[], depth = 0): Generator<Entry> {
  if (number === NONE && depth === 0) return
  const page = depth > DEEPEST ? undefined : pageAt(pages, number)
  const nodes = page && nodesOf(page)
  if (!page || !nodes) {
    lost.push(range)
    return
  }
  const isBranch = kindOf(page) === BRANCH
  let { from } = range
  for (const [at, node] of nodes.entries()) {
    // The first key of a branch is empty: it stands for all that are smaller than the second.
    if (node && !(isBranch && at === 0)) from = node.key
    if (node && !isBranch) yield { key: node.key, value: valueIn(pages, page, node), flags: node.flags }
    else {
      const to = nodes.slice(at + 1).find((next) => next !== undefined)?.key ?? range.to
      if (node) yield* entriesBelow(pages, node.child, { from, to }, lost, depth + 1)
      else lost.push({ from, to })
    }
  }
}

const kindOf = (page: Buffer): number => page.readUInt16LE(0x12) & KINDS

/** Undefined: it is none of a tree, or not this one. */
function pageAt(pages: Pages, number: bigint): Buffer | undefined {
  const at = Number(number)
  if (number < 2n || at >= pages.count || pages.seen.has(at)) return undefined
  const page = pages.bytesAt(at, pages.size)
  const kind = kindOf(page)
  if (page.readBigUInt64LE(0) !== number || (kind !== BRANCH && kind !== LEAF)) return undefined
  pages.seen.add(at)
  return page
}

interface Node {
  key: Buffer
  flags: number
  /** In a leaf: length of the value; where it begins in the page. */
  length: number
  at: number
  /** In a branch: the page below. */
  child: bigint
}

/** In place of a node that is damaged is undefined; undefined alone: none of them can be told. */
function nodesOf(page: Buffer): (Node | undefined)[] | undefined {
  const lower = page.readUInt16LE(0x14)
  const upper = page.readUInt16LE(0x16)
  const room = page.length - HEADER
  if (lower % 2 !== 0 || lower > upper || upper > room) return undefined
  return Array.from({ length: lower / 2 }, (_, index) => {
    const pointer = page.readUInt16LE(HEADER + index * 2)
    const start = HEADER + pointer
    if (pointer < upper || start + NODE_HEADER > page.length) return undefined
    const [low, high] = [page.readUInt16LE(start), page.readUInt16LE(start + 2)]
    const flags = page.readUInt16LE(start + 4)
    const at = start + NODE_HEADER + page.readUInt16LE(start + 6)
    if (at > page.length) return undefined
    const length = high * 0x1_0000 + low
    const child = BigInt(length) + BigInt(flags) * 0x1_0000_0000n
    return { key: page.subarray(start + NODE_HEADER, at), flags, length, at, child }
  })
}

function valueIn(pages: Pages, page: Buffer, { flags, length, at }: Node): Buffer | undefined {
  if ((flags & BIG) === 0) return at + length <= page.length ? page.subarray(at, at + length) : undefined
  if (at + 8 > page.length) return undefined
  const number = page.readBigUInt64LE(at)
  const first = Number(number)
  if (number < 2n || first * pages.size + HEADER + length > pages.count * pages.size) return undefined
  const found = pages.bytesAt(first, HEADER + length)
  const isRight = found.readBigUInt64LE(0) === number && kindOf(found) === OVERFLOW
  return isRight ? found.subarray(HEADER) : undefined
}
