/** Bugs that the simulation must find. They exist here only: each is switched on for the seeds that look for it. */
import type { Plan } from '../../machines/vocabulary.ts'
import type { Executor } from '../../src/executors/executor.ts'
import type { Changes } from '../../src/store/commit.ts'
import type { SimulatedClock } from '../support/simulated-clock.ts'
import type { Charts } from './charts.ts'
import type { Kind } from './memory-store.ts'

/** Where a bug sits. Absent: as it should be. */
export interface Bug {
  name: string
  /** In a guard or an action of a chart. */
  charts?(charts: Charts): void
  /** In what is read from the store. */
  read?(kind: Kind, value: unknown): unknown
  /** In what is written. */
  changes?(changes: Changes): void
  /** In what is left of the engine before. */
  left?(changes: Changes[]): Changes[]
  /** In the clock. */
  clock?(clock: SimulatedClock): SimulatedClock
  executor?(executor: Executor): Executor
  queues?(capacities: Record<string, number>): Record<string, number>
  /** In the plan that the engine is given of a definition. */
  plan?(plan: Plan): Plan
  suspended?: ReadonlySet<string>
  zone?: string
}

export const NO_BUG: Bug = { name: 'none' }

export const BUGS: Bug[] = []
