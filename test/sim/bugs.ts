/** Bugs that the simulation must find. They exist here only: each is switched on for the seeds that look for it. */
import type { Plan } from '../../machines/vocabulary.ts'
import type { Executor } from '../../src/executors/executor.ts'
import { type Changes, merged } from '../../src/store/changes.ts'
import type { StoredPlan, StoredRun } from '../../src/store/stored.ts'
import type { Kind } from '../../src/testing/memory/memory-store.ts'
import type { SimulatedClock } from '../support/simulated/simulated-clock.ts'
import type { Charts } from './charts.ts'

/** Where a bug sits. Absent: as it should be. */
export interface Bug {
  name: string
  /** In a guard or an action of a chart. */
  charts?(charts: Charts): void
  /** In what is read from the store. */
  read?(kind: Kind, value: unknown): unknown
  /** In what is written. */
  changes?(changes: Changes): void
  /** In what an engine writes while it closes. */
  closing?(changes: Changes): void
  /** In what the previous engine has left. */
  left?(changes: Changes[]): Changes[]
  /** In the clock. */
  clock?(clock: SimulatedClock): SimulatedClock
  executor?(executor: Executor): Executor
  queues?(capacities: Record<string, number>): Record<string, number>
  /** In the plan that the engine gets for a definition. */
  plan?(plan: Plan): Plan
  suspended?: ReadonlySet<string>
  /** False: no rule is broken by it but that equal seeds are equal. */
  repeats?: false
  /** It needs what few seeds have: the first that is played. Absent: 1. */
  from?: number
  zone?: string
}

export const NO_BUG: Bug = { name: 'none' }

const HOUR = 3_600_000
const no = () => false
const nothing = () => {}

export const BUGS: Bug[] = [
  {
    name: 'a queue has a slot too many',
    queues: (all) => Object.fromEntries(Object.entries(all).map(([name, count]) => [name, count + 1]))
  },
  { name: 'a slot is not given back', charts: ({ queue }) => Object.assign(queue.actions, { freeSlot: nothing }) },
  {
    name: 'a run that has ended is still counted',
    charts: ({ engine }) => Object.assign(engine.actions, { noteGone: nothing })
  },
  { name: 'maxActiveRuns is not looked at', charts: ({ queue }) => Object.assign(queue.guards, { full: no }) },
  {
    name: 'maxActiveRuns does not bound a queue',
    charts: ({ queue }) => Object.assign(queue.guards, { boundedFull: no })
  },
  { name: 'singleton is not looked at', charts: ({ queue }) => Object.assign(queue.guards, { singletonBlocked: no }) },
  { name: 'a full queue lets starts by', charts: ({ queue }) => Object.assign(queue.guards, { mustWait: no }) },
  { name: 'a stop is not heard', charts: ({ engine }) => Object.assign(engine.actions, { endRun: nothing }) },
  {
    name: 'after a restart the last comes first',
    read(kind, value) {
      if (kind === 'runs') {
        const { record } = value as StoredRun
        if (record.order !== undefined) record.order *= -1
      }
      return value
    }
  },
  { name: 'a crash loses the last transaction', left: (changes) => changes.slice(0, -1) },
  { name: 'what a crash has left is merged', from: 405, left: merged },
  {
    name: 'what a power cut has left is written over what has followed',
    from: 2004,
    left: (changes) => changes.map(({ turn: _, ...unnumbered }) => unnumbered)
  },
  { name: 'states of steps are not stored', changes: ({ nodes }) => nodes.clear() },
  {
    name: 'an engine that closes stores its actors as it leaves them',
    from: 20,
    closing: ({ runs, nodes }) => {
      for (const { value } of [...runs.values(), ...nodes.values()]) if (value.open) value.open.children = {}
    }
  },
  {
    name: 'two transitions have one number',
    changes: ({ journal }) => {
      for (const record of journal) record.seq = Math.ceil(record.seq / 2)
    }
  },
  {
    name: 'what was begun before a restart is begun again',
    executor: (executor) => ({ ...executor, find: () => undefined })
  },
  {
    name: 'an end that nobody saw is not found',
    executor: (executor) => ({
      ...executor,
      find(traces) {
        const found = executor.find(traces)
        return found?.over ? { ...found, ended: new Promise(() => {}) } : found
      }
    })
  },
  { name: 'suspend flags are not read', suspended: new Set() },
  { name: 'schedules are read in another zone', zone: 'Asia/Kathmandu' },
  {
    name: 'the tick of a full hour comes late',
    clock: (clock) => ({ ...clock, at: (dueAt, ring) => clock.at(dueAt % HOUR === 0 ? dueAt + 2_000 : dueAt, ring) })
  },
  {
    name: 'a definition has no stop schedule',
    plan: (plan) => ({ ...plan, schedule: { ...plan.schedule, stop: [] } })
  },
  { name: 'skipIfSuccessful is not looked at', plan: (plan) => ({ ...plan, skipIfSuccessful: false }) },
  {
    name: 'missed starts are backfilled although catchup is none',
    plan: (plan) => ({ ...plan, catchup: plan.catchup === 'none' ? 'last' : plan.catchup })
  },
  { name: 'a restart is not written down', changes: ({ scheduling }) => scheduling.restarts.clear() },
  {
    name: 'runs are kept a day less',
    read(kind, value) {
      if (kind === 'plans' && (value as StoredPlan).plan.histRetentionDays > 0)
        (value as StoredPlan).plan.histRetentionDays -= 1
      return value
    }
  },
  { name: 'what is old enough stays', changes: ({ removed }) => void removed.splice(0) },
  {
    name: 'sub runs stay when their root goes',
    changes(changes) {
      changes.removed = changes.removed.filter(({ caller }) => !caller)
    }
  },
  {
    name: 'run ids follow from no seed',
    repeats: false,
    clock: (clock) => ({ ...clock, random: (count) => crypto.getRandomValues(new Uint8Array(count)) })
  }
]
