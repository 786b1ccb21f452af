/**
 * Which items wait in a queue, which runs hold its slots, and which item is next: by priority, then first in, first out, except that items of
 * other DAGs pass an item that the limit of its own DAG holds back, and all others pass one that no worker can take, or whose time has not come.
 * Source: execution-semantics 12.3 to 12.6, 12.12; api-semantics 6.2; distribution 1, 4.
 *
 * A line belongs to one queue actor and is changed in place: 100,000 items may wait. It is never stored, but rebuilt from the
 * records of queued runs.
 */
import { hasRoom, inLine, isLater } from '../policy/admission.ts'
import { keyOfNeeds } from '../policy/worker-needs.ts'
import type { Placement, RunKey, WorkerNeeds } from '../vocabulary.ts'
import { type ByRun, deleteOf, getOf, setOf } from './by-run.ts'
import { awaitNoLonger, awaitWorker, type Fleet, placeOn } from './fleet.ts'
import { heldBack, placeInstead } from './standstill.ts'

/** A queued run. */
export interface Item {
  key: RunKey
  /** maxActiveRuns of its DAG; negative: no limit. */
  limit: number
  /** Place of the item: increases within the queue, across restarts, too. */
  order: number
  /** Higher goes first; absent: 0. */
  priority?: number
  /** The item does not start before. While that is to come, it is in no lane. */
  notBefore?: number
  /** Only a worker that has these may run it. Absent: the engine runs it. */
  needs?: WorkerNeeds
}

/** Items of one DAG name, in the order in which they go; those before `first` have left. */
interface Lane {
  items: Item[]
  first: number
  /** Number of items that have not left. */
  left: number
}
/** By DAG name; contains no lane without items. */
type Lanes = Map<string, Lane>

/** Items that need the same of a worker: one look at the fleet is enough for all of them. */
interface Group {
  readonly needs: WorkerNeeds
  readonly lanes: Lanes
  /** `roomAt` of the fleet when no worker had room for them; absent: it was not looked since. */
  lackedAt?: number
}

export interface Line {
  readonly waiting: Lanes
  /** Items that need a worker, by key of the needs; contains no group without items. */
  readonly forWorkers: Map<string, Group>
  readonly byRun: ByRun<Item>
  /** Items whose time has not come, the next one first. */
  readonly later: Item[]
  /** When the alarm for the first of them rings; absent: there is none. */
  laterAt?: number | undefined
  /** Ids of runs that hold a slot. */
  readonly holders: Set<string>
  /** Holders that were dispatched but have not started yet, with the instant by which they must have. */
  readonly dispatched: Map<string, { item: Item; dueAt: number }>
  lastOrder: number
  /** When the next look is whether sub runs wait for slots that nobody would ever free; absent: none of them waits. */
  lookAt?: number
  /** Name of the queue. */
  readonly name: string
  /** Absent: there are no workers, and who needs one waits. */
  readonly fleet?: Fleet
}

export const openLine = (name: string, fleet?: Fleet): Line => ({
  waiting: new Map(),
  forWorkers: new Map(),
  byRun: new Map(),
  later: [],
  holders: new Set(),
  dispatched: new Map(),
  lastOrder: 0,
  name,
  ...(fleet ? { fleet } : {})
})

/** What lacks a worker and nothing else, and how many runs that are. */
export function lackingWorkers({ fleet, forWorkers, name }: Line): { needs: WorkerNeeds; count: number }[] {
  return [...forWorkers].flatMap(([key, { needs, lanes }]) => {
    if (fleet && !fleet.awaited.get(key)?.queues.has(name)) return []
    return [{ needs, count: [...lanes.values()].reduce((sum, { left }) => sum + left, 0) }]
  })
}

const idOf = ({ name, dagRunId }: RunKey) => `${name}/${dagRunId}`

export const isWaiting = (line: Line, key: RunKey): boolean => getOf(line.byRun, key) !== undefined
export const isIdle = ({ byRun, holders }: Line): boolean => byRun.size + holders.size === 0

/** What a place in the line needs; without `order` it is at the end. */
export type Place = Pick<Item, 'limit' | 'priority' | 'notBefore'> & { needs?: WorkerNeeds | undefined; order?: number }

// D771: queues are counted in two places
/** @param at now; default: the time of the item has come */
export function join(line: Line, key: RunKey, place: Place, at = Number.POSITIVE_INFINITY): Item {
  const { limit, needs, order = line.lastOrder + 1, priority, notBefore } = place
  const item: Item = { key, limit, order, ...(needs ? { needs } : {}) }
  if (priority !== undefined) item.priority = priority
  if (notBefore !== undefined) item.notBefore = notBefore
  line.lastOrder = Math.max(line.lastOrder, order)
  setOf(line.byRun, key, item)
  if (isLater(item, at)) insert(line.later, item, 0, ({ notBefore: one = 0 }, { notBefore: other = 0 }) => one - other)
  else putInLane(line, item)
  return item
}

function putInLane(line: Line, item: Item): void {
  const group = item.needs && groupOf(line, item.needs)
  if (group) item.needs = group.needs // one object for all of them
  const lanes = group?.lanes ?? line.waiting
  const own = lanes.get(item.key.name)
  if (!own) return void lanes.set(item.key.name, { items: [item], first: 0, left: 1 })
  insert(own.items, item, own.first, inLine) // after a restart items may arrive in any order
  own.left++
}

/** Keeps a list in order from a place on; a new item mostly goes to its end. */
function insert(items: Item[], item: Item, from: number, compare: (one: Item, other: Item) => number): void {
  let [low, high] = [from, items.length]
  const last = items.at(-1)
  if (last && compare(last, item) <= 0) low = high
  while (low < high) {
    const middle = (low + high) >> 1
    const other = items[middle]
    if (other && compare(other, item) <= 0) low = middle + 1
    else high = middle
  }
  items.splice(low, 0, item)
}

/** Items whose time has come wait for nothing but their turn from now on. @returns when that of the next one comes */
export function admitLater(line: Line, at: number): number | undefined {
  const { later } = line
  if (later.length === 0) return undefined
  const due = later.findIndex((item) => isLater(item, at))
  for (const item of later.splice(0, due < 0 ? later.length : due)) putInLane(line, item)
  return later[0]?.notBefore
}

function groupOf({ forWorkers }: Line, needs: WorkerNeeds): Group {
  const id = keyOfNeeds(needs)
  const group = forWorkers.get(id) ?? { needs, lanes: new Map() }
  forWorkers.set(id, group)
  return group
}

/** The place of an item that leaves its lane is skipped later. */
export function leave(line: Line, key: RunKey): void {
  const item = getOf(line.byRun, key)
  if (!item) return
  deleteOf(line.byRun, key)
  const place = item.notBefore === undefined ? -1 : line.later.indexOf(item)
  if (place >= 0) line.later.splice(place, 1)
  if (place >= 0) return
  const { needs } = item
  const lanes = needs ? groupOf(line, needs).lanes : line.waiting
  const own = lanes.get(key.name)
  if (!own || --own.left > 0) return
  lanes.delete(key.name)
  if (!needs || lanes.size > 0) return
  line.forWorkers.delete(keyOfNeeds(needs))
  if (line.fleet) awaitNoLonger(line.fleet, needs, line.name)
}

export const holdSlot = (line: Line, key: RunKey): void => void line.holders.add(idOf(key))

export function freeSlot(line: Line, key: RunKey): void {
  line.holders.delete(idOf(key))
  line.dispatched.delete(idOf(key))
}

/**
 * The next item takes a slot, and one of a worker if it needs that; undefined: none may.
 * @param capacity of a configured queue; absent: the limit of each DAG
 * @param looks whether slots are taken that nobody would ever free, too
 */
export function takeNext(line: Line, capacity: number | undefined, dueAt: number, looks = false): Taken | undefined {
  const next = firstOf(line, line.waiting, capacity)
  const taken = firstPlaced(line, capacity, next, looks) ?? (next && { item: next })
  if (!taken) return undefined
  const { item } = taken
  leave(line, item.key)
  holdSlot(line, item.key)
  line.dispatched.set(idOf(item.key), { item, dueAt })
  return taken
}

interface Taken {
  item: Item
  /** Absent: the engine runs it. */
  placement?: Placement
}

/** The first item ahead of `next` that a worker has room for. Who lacks a worker and nothing else is noted in the fleet. */
function firstPlaced(
  line: Line,
  capacity: number | undefined,
  next: Item | undefined,
  looks: boolean
): Taken | undefined {
  const { fleet, forWorkers, name } = line
  if (!fleet || forWorkers.size === 0) return undefined
  const held = heldBack(fleet)
  const heads: { item: Item; group: Group }[] = []
  for (const group of forWorkers.values()) {
    if (group.lackedAt === fleet.roomAt) continue
    const item = held.size === 0 ? firstOf(line, group.lanes, capacity) : firstNotHeld(line, group.lanes, held)
    if (item && (!next || inLine(item, next) < 0)) heads.push({ item, group })
  }
  heads.sort((one, other) => inLine(one.item, other.item))
  for (const { item, group } of heads) {
    const placement =
      placeOn(fleet, item.key, group.needs) ?? (looks ? placeInstead(fleet, item.key, group.needs) : undefined)
    if (placement) return { item, placement }
    group.lackedAt = fleet.roomAt
    awaitWorker(fleet, group.needs, name)
  }
  return undefined
}

/** The first item that its limit lets go. */
function firstOf(line: Line, lanes: Lanes, capacity: number | undefined): Item | undefined {
  let first: Item | undefined
  for (const lane of lanes.values()) {
    const head = headOf(line, lane)
    if (head && mayGo(line, head, capacity) && (!first || inLine(head, first) < 0)) first = head
  }
  return first
}

/** The item whose turn is next, whatever else it waits for; undefined: none waits whose time has come. */
export function firstInLine(line: Line): Item | undefined {
  let first: Item | undefined
  for (const lanes of [line.waiting, ...Array.from(line.forWorkers.values(), (group) => group.lanes)])
    for (const lane of lanes.values()) {
      const head = headOf(line, lane)
      if (head && (!first || inLine(head, first) < 0)) first = head
    }
  return first
}

/** The first sub run that is not held; no queue limits sub runs. */
function firstNotHeld({ byRun }: Line, lanes: Lanes, held: ByRun<RunKey>): Item | undefined {
  let first: Item | undefined
  for (const { items, first: from } of lanes.values()) {
    const item = items.find((one, at) => at >= from && getOf(byRun, one.key) === one && !getOf(held, one.key))
    if (item && (!first || inLine(item, first) < 0)) first = item
  }
  return first
}

/** Whether sub runs wait whose callers hold slots of workers. */
export const holdsSlotsAbove = ({ forWorkers }: Line): boolean =>
  [...forWorkers.values()].some(({ needs: { around = [] } }) => around.length > 0)

const mayGo = ({ holders }: Line, { limit }: Item, capacity: number | undefined): boolean =>
  hasRoom({ running: holders.size, capacity, limit })

/** The first of a lane that still waits. */
function headOf({ byRun }: Line, lane: Lane): Item | undefined {
  for (; lane.first < lane.items.length; lane.first++) {
    const item = lane.items[lane.first]
    if (item && getOf(byRun, item.key) === item) return compacted(lane, item)
  }
  return undefined
}

const COMPACT_AT = 1_000

/** Now and then frees the memory of items that have left. */
function compacted(lane: Lane, head: Item): Item {
  if (lane.first >= COMPACT_AT && lane.first * 2 > lane.items.length) {
    lane.items.splice(0, lane.first)
    lane.first = 0
  }
  return head
}

export const started = (line: Line, key: RunKey): boolean => line.dispatched.delete(idOf(key))

/** Dispatched items that should have started by now. */
export const overdue = ({ dispatched }: Line, at: number): Item[] =>
  Array.from(dispatched.values()).flatMap(({ item, dueAt }) => (dueAt <= at ? [item] : []))
