/**
 * Runs that hold the slots that their sub runs need of each other: none of them would ever go on. So a sub run goes in the place of one
 * that only waits; that one is held back until there is room for it again. Source: distribution 1.
 */
import { canTake } from '../policy/worker-needs.ts'
import type { Placement, RunKey, WorkerNeeds } from '../vocabulary.ts'
import { type ByRun, getOf, setOf } from './by-run.ts'
import { type Fleet, type FleetWorker, type Hold, hasRoom, holdOn, isBefore, isUnsure } from './fleet.ts'

type Holder = Hold & { key: RunKey }

// D1210: a sub run may go in the place of a run that only waits
/**
 * Places a sub run although no slot is free, if nobody would ever free one: all who hold them only wait for sub runs that wait for slots
 * themselves. Undefined: one of them goes on, or no worker fits.
 */
export function placeInstead(fleet: Fleet, key: RunKey, needs: WorkerNeeds): Placement | undefined {
  if ((needs.around ?? []).length === 0 || !waitsForEver(fleet, needs)) return undefined
  let best: FleetWorker | undefined
  for (const worker of fitting(fleet, needs))
    if (worker.isTaking && worker.slots > 0 && (!best || isBefore(fleet, worker, best))) best = worker
  if (!best) return undefined
  const placement: Placement = { home: best.home, id: best.id, lease: ++fleet.lease, extra: true }
  holdOn(fleet, key, placement)
  return placement
}

/**
 * Sub runs that are given no worker, with the run above them whose place another one has: it does nothing as long as they wait, so no
 * more runs are at work than the worker has slots.
 */
export function heldBack(fleet: Fleet): ByRun<RunKey> {
  const held: ByRun<RunKey> = new Map()
  if (fleet.extras === 0) return held
  const below = (key: RunKey, above: RunKey): void => {
    for (const sub of fleet.waits.subRunsOf(key) ?? []) {
      setOf(held, sub, above)
      below(sub, above)
    }
  }
  for (const { key } of replaced(fleet)) below(key, key)
  return held
}

/** The replaced run that a run waits with: itself, or one that it is called from. Undefined: it is not held back. */
export function heldBackWith(fleet: Fleet, key: RunKey): RunKey | undefined {
  const held = heldBack(fleet)
  const above = getOf(held, key)
  if (above) return above
  for (const own of held.values())
    for (const one of own.values()) if (one.name === key.name && one.dagRunId === key.dagRunId) return one
  return undefined
}

/** Runs in whose place others go on: those that were placed first, as many as go beyond the slots. */
function replaced(fleet: Fleet): Holder[] {
  const homes = new Set<string>()
  for (const { home, extra } of holders(fleet)) if (extra) homes.add(home)
  return [...homes].flatMap((home) => {
    const here = [...holders(fleet)].filter((one) => one.home === home).sort((one, other) => one.lease - other.lease)
    const beyond = here.length - (fleet.workers.get(home)?.slots ?? 0)
    return here.slice(0, Math.max(0, Math.min(beyond, here.filter(({ extra }) => extra).length)))
  })
}

/** Whether the wait for such a worker is not going to end by itself. */
function waitsForEver(fleet: Fleet, needs: WorkerNeeds): boolean {
  const held = heldBack(fleet)
  const seen: ByRun<true> = new Map()
  const isFull = (home: string) => [...holders(fleet)].every((one) => one.home !== home || isStuck(one.key))
  /** A silent worker is heard again, or lost soon. */
  const takesNoMore = ({ isTaking, takesSubRuns = false, home }: FleetWorker) =>
    isTaking ? isFull(home) : takesSubRuns
  const lacksFor = (needs: WorkerNeeds) =>
    !isUnsure(fleet, needs) &&
    [...fitting(fleet, needs)].every((worker) => !hasRoom(fleet, worker, needs) && takesNoMore(worker))

  /** A run that is asked about again stands in its own way. */
  function isStuck(key: RunKey): boolean {
    if (getOf(seen, key)) return true
    setOf(seen, key, true)
    return fleet.waits.subRunsOf(key)?.every(isStuckBelow) ?? false
  }
  function isStuckBelow(sub: RunKey): boolean {
    const above = getOf(held, sub)
    if (above) return isFull(getOf(fleet.holds, above)?.home ?? '')
    const needs = fleet.waits.needsOf(sub)
    return needs ? lacksFor(needs) : isStuck(sub)
  }

  return lacksFor(needs)
}

function* holders({ holds }: Fleet): Iterable<Holder> {
  for (const [name, own] of holds) for (const [dagRunId, hold] of own) yield { ...hold, key: { name, dagRunId } }
}

function* fitting({ workers }: Fleet, needs: WorkerNeeds): Iterable<FleetWorker> {
  for (const worker of workers.values()) if (canTake(worker, needs)) yield worker
}
