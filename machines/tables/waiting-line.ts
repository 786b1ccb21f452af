/**
 * Which items wait in a queue, which runs hold its slots, and which item is next. Strictly first in, first out, except that
 * items of other DAGs pass an item that the limit of its own DAG holds back. Source: execution-semantics 12.3 to 12.6, api-semantics 6.2.
 *
 * A line belongs to one queue actor and is changed in place: 100,000 items may wait. It is never stored, but rebuilt from the
 * records of queued runs.
 */
import type { RunKey } from '../vocabulary.ts'
import { type ByRun, deleteOf, getOf, setOf } from './by-run.ts'

/** A queued run. */
export interface Item {
  key: RunKey
  /** maxActiveRuns of its DAG; negative: no limit. */
  limit: number
  /** Its place: increases within the queue, across restarts, too. */
  order: number
  /** Only a worker with its labels may run it: it waits for one, and others pass it. */
  needsWorker: boolean
}

export interface Line {
  /** Items of each DAG name, in order; those before `first` have left. */
  readonly waiting: Map<string, { items: Item[]; first: number }>
  readonly byRun: ByRun<Item>
  /** Ids of runs that hold a slot. */
  readonly holders: Set<string>
  /** Holders that were dispatched but have not started yet, with the instant by which they must have. */
  readonly dispatched: Map<string, { item: Item; dueAt: number }>
  lastOrder: number
}

export const openLine = (): Line => ({
  waiting: new Map(),
  byRun: new Map(),
  holders: new Set(),
  dispatched: new Map(),
  lastOrder: 0
})

const idOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`

export const isWaiting = (line: Line, key: RunKey): boolean => getOf(line.byRun, key) !== undefined
export const isIdle = ({ byRun, holders }: Line): boolean => byRun.size + holders.size === 0

/** What a place in the line needs; without `order` it is at the end. */
export type Place = Pick<Item, 'limit' | 'needsWorker'> & { order?: number }

// D771
export function join(line: Line, key: RunKey, { limit, needsWorker, order = line.lastOrder + 1 }: Place): Item {
  const item = { key, limit, order, needsWorker }
  line.lastOrder = Math.max(line.lastOrder, order)
  setOf(line.byRun, key, item)
  if (needsWorker) return item
  const own = line.waiting.get(key.name)
  if (!own) line.waiting.set(key.name, { items: [item], first: 0 })
  else {
    let at = own.items.length
    while (at > own.first && (own.items[at - 1]?.order ?? 0) > order) at-- // after a restart items may arrive in any order
    own.items.splice(at, 0, item)
  }
  return item
}

export function leave(line: Line, key: RunKey): boolean {
  return deleteOf(line.byRun, key) // its place is skipped later
}

export const holdSlot = (line: Line, key: RunKey): void => void line.holders.add(idOf(key))

export function freeSlot(line: Line, key: RunKey): void {
  line.holders.delete(idOf(key))
  line.dispatched.delete(idOf(key))
}

/** The next item takes a slot; undefined: none may. @param capacity of a configured queue; absent: the limit of each DAG */
export function takeNext(line: Line, capacity: number | undefined, dueAt: number): Item | undefined {
  let next: Item | undefined
  for (const name of [...line.waiting.keys()]) {
    const head = headOf(line, name)
    if (head && mayGo(line, head, capacity) && (!next || head.order < next.order)) next = head
  }
  if (!next) return undefined
  const own = line.waiting.get(next.key.name)
  if (own) own.first++
  deleteOf(line.byRun, next.key)
  holdSlot(line, next.key)
  line.dispatched.set(idOf(next.key), { item: next, dueAt })
  return next
}

function mayGo({ holders }: Line, { limit }: Item, capacity: number | undefined): boolean {
  const most = capacity ?? (limit > 0 ? limit : Number.POSITIVE_INFINITY)
  return holders.size < most
}

/** The first of a DAG's items that still waits. */
function headOf({ waiting, byRun }: Line, name: string): Item | undefined {
  const own = waiting.get(name)
  if (!own) return undefined
  for (; own.first < own.items.length; own.first++) {
    const item = own.items[own.first]
    if (item && getOf(byRun, item.key) === item) return compacted(own, item)
  }
  waiting.delete(name)
  return undefined
}

const COMPACT_AT = 1_000

/** Now and then frees the memory of items that have left. */
function compacted(own: { items: Item[]; first: number }, head: Item): Item {
  if (own.first >= COMPACT_AT && own.first * 2 > own.items.length) {
    own.items.splice(0, own.first)
    own.first = 0
  }
  return head
}

export const started = (line: Line, key: RunKey): boolean => line.dispatched.delete(idOf(key))

/** Dispatched items that should have started by now. */
export const overdue = ({ dispatched }: Line, at: number): Item[] =>
  Array.from(dispatched.values()).flatMap(({ item, dueAt }) => (dueAt <= at ? [item] : []))
