/**
 * The workers that runs can be placed on, which runs hold their slots, and which queues wait for one. Owned by the engine actor,
 * shared with its queues, changed in place. Never stored: it is rebuilt from what the workers say and from the records of placed runs.
 * Source: distribution 1, 2.
 */
import { canTake, keyOfNeeds } from '../policy/worker-needs.ts'
import type { Placement, RunKey, WorkerNeeds, WorkerSelf } from '../vocabulary.ts'
import { type ByRun, deleteOf, getOf, setOf } from './by-run.ts'

/** What a placement depends on. */
export interface FleetWorker extends Pick<WorkerSelf, 'id' | 'labels' | 'slots' | 'executors'> {
  /** Id of the worker's home folder. */
  home: string
  /** The worker is healthy and not draining. */
  isTaking: boolean
  /** The worker is healthy and draining: what its own runs call belongs to them. */
  takesSubRuns?: boolean
}

/** The slot of a run. */
export type Hold = Pick<Placement, 'home' | 'lease' | 'extra'>

/** What runs wait for, as their charts say now. */
export interface Waits {
  /** The sub runs that a run waits for, if it does nothing else; undefined: it does. */
  subRunsOf(key: RunKey): RunKey[] | undefined
  /** What a sub run that waits for a worker needs; undefined: it does not wait for one. */
  needsOf(key: RunKey): WorkerNeeds | undefined
}

export interface Fleet {
  /** By home. */
  readonly workers: Map<string, FleetWorker>
  /** Number of taken slots by home; a home may be that of a worker that is not known yet, or any more. */
  readonly taken: Map<string, number>
  /** The slot of each run that holds one. */
  readonly holds: ByRun<Hold>
  /** Number of runs that took one although none was free. */
  extras: number
  readonly waits: Waits
  /** By key of the needs: the queues with an item that only lacks a worker, in the order in which they began to wait for one. */
  readonly awaited: Map<string, { needs: WorkerNeeds; queues: Set<string> }>
  /** Homes of lost workers that may still have something at work. */
  readonly unsure: Set<string>
  /** Runs that have lost their worker and wait for another one, in their order. */
  readonly moving: ByRun<{ key: RunKey; needs: WorkerNeeds }>
  /** Grows with each placement: of two, the greater is the later. */
  lease: number
  /** Grows whenever a worker may have got room: who lacked one since then need not look again. */
  roomAt: number
}

const nobodyWaits: Waits = { subRunsOf: () => undefined, needsOf: () => undefined }

/** @param lease the first placement gets the next one */
export const openFleet = (lease: number, waits = nobodyWaits): Fleet => ({
  workers: new Map(),
  taken: new Map(),
  holds: new Map(),
  extras: 0,
  waits,
  awaited: new Map(),
  unsure: new Set(),
  moving: new Map(),
  lease,
  roomAt: 0
})

export function noteWorker(fleet: Fleet, worker: FleetWorker): void {
  fleet.workers.set(worker.home, worker)
  fleet.roomAt++
}

/** Runs on a worker that is dropped keep its slots. */
export const dropWorker = ({ workers }: Fleet, home: string): void => void workers.delete(home)

export const takenOf = ({ taken }: Fleet, home: string): number => taken.get(home) ?? 0

/** A run that was on a lost worker before begins nowhere until it is certain that nothing of it is at work there. */
export const isUnsure = ({ unsure }: Fleet, { after }: WorkerNeeds): boolean => after !== undefined && unsure.has(after)

/** A sub run uses the slot of a run that it is called from, on the worker of that. */
const sharesSlot = ({ around = [] }: WorkerNeeds, home: string): boolean => around.includes(home)

export const hasRoom = (
  fleet: Fleet,
  { isTaking, takesSubRuns, slots, home }: FleetWorker,
  needs: WorkerNeeds
): boolean =>
  (isTaking && takenOf(fleet, home) < slots) || ((isTaking || takesSubRuns === true) && sharesSlot(needs, home))

// D990: the choice of a worker and the slots of its queue are one event
/** The worker that fits, has room and holds the fewest runs; undefined: there is none. */
export function workerFor(fleet: Fleet, needs: WorkerNeeds): FleetWorker | undefined {
  if (isUnsure(fleet, needs)) return undefined
  let best: FleetWorker | undefined
  for (const worker of fleet.workers.values())
    if (hasRoom(fleet, worker, needs) && canTake(worker, needs) && (!best || isBefore(fleet, worker, best)))
      best = worker
  return best
}

/** Places a run on a worker, and takes a slot of it. Undefined: none has room for it. */
export function placeOn(fleet: Fleet, key: RunKey, needs: WorkerNeeds): Placement | undefined {
  const worker = workerFor(fleet, needs)
  if (!worker) return undefined
  const { home, id } = worker
  const placement: Placement = { home, id, lease: ++fleet.lease }
  if (!sharesSlot(needs, home)) holdOn(fleet, key, placement)
  return placement
}

export function isBefore(fleet: Fleet, one: FleetWorker, other: FleetWorker): boolean {
  const more = takenOf(fleet, one.home) - takenOf(fleet, other.home)
  if (more !== 0) return more < 0
  return one.id === other.id ? one.home < other.home : one.id < other.id
}

/** A run takes a slot, whether or not one is free: after a restart it has it already. */
export function holdOn(fleet: Fleet, key: RunKey, { home, lease, extra }: Hold): void {
  fleet.lease = Math.max(fleet.lease, lease)
  release(fleet, key)
  setOf(fleet.holds, key, { home, lease, ...(extra ? { extra } : {}) })
  if (extra) fleet.extras++
  fleet.taken.set(home, takenOf(fleet, home) + 1)
}

/** @returns the home whose slot it held; undefined: it held none */
export function release(fleet: Fleet, key: RunKey): string | undefined {
  const hold = getOf(fleet.holds, key)
  if (!hold) return undefined
  const { home } = hold
  deleteOf(fleet.holds, key)
  if (hold.extra) fleet.extras--
  const others = takenOf(fleet, home) - 1
  if (others === 0) fleet.taken.delete(home)
  else fleet.taken.set(home, others)
  fleet.roomAt++
  return home
}

/** The next item of a queue lacks a worker and nothing else. */
export function awaitWorker({ awaited }: Fleet, needs: WorkerNeeds, queue: string): void {
  const key = keyOfNeeds(needs)
  const known = awaited.get(key)
  if (known) known.queues.add(queue)
  else awaited.set(key, { needs, queues: new Set([queue]) })
}

/** No item of the queue with these needs is left. */
export function awaitNoLonger({ awaited }: Fleet, needs: WorkerNeeds, queue: string): void {
  const key = keyOfNeeds(needs)
  const known = awaited.get(key)
  if (known?.queues.delete(queue) && known.queues.size === 0) awaited.delete(key)
}

/**
 * The queue that is offered the room of a worker next. It is taken out, and waits again if it still lacks a worker afterwards; needs
 * take turns, and so do the queues that wait with the same. Undefined: nobody waits for this worker, or it has no room.
 */
export function nextFor(fleet: Fleet, home: string): string | undefined {
  const worker = fleet.workers.get(home)
  if (!worker) return undefined
  for (const [key, waiting] of fleet.awaited) {
    const { needs, queues } = waiting
    const [queue] = queues
    if (queue === undefined || isUnsure(fleet, needs) || !hasRoom(fleet, worker, needs) || !canTake(worker, needs))
      continue
    queues.delete(queue)
    fleet.awaited.delete(key)
    if (queues.size > 0) fleet.awaited.set(key, waiting)
    return queue
  }
  return undefined
}

/** Nothing of a worker is at work any more for certain: runs that waited for that may look again. */
export function noteSure(fleet: Fleet, home: string): void {
  if (fleet.unsure.delete(home)) fleet.roomAt++
}

/** A run goes to another worker, whose slot it takes in place of the old one. Undefined: there is none, and it waits. */
export function moveRun(fleet: Fleet, key: RunKey, needs: WorkerNeeds): Placement | undefined {
  if (!workerFor(fleet, needs)) {
    setOf(fleet.moving, key, { key, needs })
    return undefined
  }
  deleteOf(fleet.moving, key)
  release(fleet, key)
  return placeOn(fleet, key, needs)
}

/** A run has ended, or its worker is back. */
export const moveNoMore = ({ moving }: Fleet, key: RunKey): void => void deleteOf(moving, key)

/** Runs that wait for another worker and that one has room for now, with their place there. */
export function movable(fleet: Fleet): { key: RunKey; placement: Placement }[] {
  const found: { key: RunKey; placement: Placement }[] = []
  for (const byId of [...fleet.moving.values()])
    for (const { key, needs } of [...byId.values()]) {
      const placement = moveRun(fleet, key, needs)
      if (placement) found.push({ key, placement })
    }
  return found
}
