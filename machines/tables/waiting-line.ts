/**
 * Who waits in a queue, who holds its slots, and who may go next. Strictly first in, first out, except that an item held back
 * by its own DAG's limit lets those of other DAGs pass. Source: execution-semantics 12.3 to 12.6, api-semantics 6.2.
 *
 * A line belongs to one queue actor and is changed in place: 100,000 may wait. It is never stored; it is built again from
 * the records of queued runs.
 */
import type { RunKey } from '../vocabulary.ts'
import { type ByRun, deleteOf, getOf, setOf } from './by-run.ts'

/** A queued run. */
export interface Item {
  key: RunKey
  /** maxActiveRuns of its DAG; negative: no limit. */
  limit: number
  /** Its place: counts up within the queue, over restarts too. */
  order: number
  /** Only a worker with its labels may run it: it waits for one, and others pass. */
  needsWorker: boolean
}

export interface Line {
  /** Items of each DAG name by order; those before `first` have gone. */
  readonly waiting: Map<string, { items: Item[]; first: number }>
  readonly byRun: ByRun<Item>
  /** Ids of runs that hold a slot. */
  readonly holders: Set<string>
  /** Of the holders: dispatched, and not a running run yet; with the instant by which it must be one. */
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

/** What is asked of a place in the line; without `order` it is at the end. */
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
    while (at > own.first && (own.items[at - 1]?.order ?? 0) > order) at-- // after a restart they may come in any order
    own.items.splice(at, 0, item)
  }
  return item
}

export function leave(line: Line, key: RunKey): boolean {
  return deleteOf(line.byRun, key) // its place is passed over when it comes to it
}

export const holdSlot = (line: Line, key: RunKey): void => void line.holders.add(idOf(key))

export function freeSlot(line: Line, key: RunKey): void {
  line.holders.delete(idOf(key))
  line.dispatched.delete(idOf(key))
}

/** The item that goes next takes a slot; undefined: none may. @param capacity of a configured queue; absent: each DAG's own limit */
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

/** The first of a DAG's items that is still there. */
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

/** Gives back the room of those that have gone, now and then. */
function compacted(own: { items: Item[]; first: number }, head: Item): Item {
  if (own.first >= COMPACT_AT && own.first * 2 > own.items.length) {
    own.items.splice(0, own.first)
    own.first = 0
  }
  return head
}

export const started = (line: Line, key: RunKey): boolean => line.dispatched.delete(idOf(key))

/** Dispatched items that should have been running runs by now. */
export const overdue = ({ dispatched }: Line, at: number): Item[] =>
  Array.from(dispatched.values()).flatMap(({ item, dueAt }) => (dueAt <= at ? [item] : []))
