/** What the machines of one seed share: the clock, the network, the disks, the rules. */
import type { Random } from '../../support/random.ts'
import type { SimulatedNet } from '../../support/simulated/bus.ts'
import type { SimulatedClock } from '../../support/simulated/simulated-clock.ts'
import type { WorkerBug } from './bugs.ts'
import type { Disks } from './disks.ts'
import type { PlacementRules } from './rules.ts'

export interface World {
  clock: SimulatedClock
  random: Random
  net: SimulatedNet
  disks: Disks
  /** Folder of all homes. */
  home: string
  rules: PlacementRules
  bug: WorkerBug
  counts: { engines: number; workers: number }
  /** The bus loses or delays, or is away. */
  isStormy(): boolean
  /** When it last did, or the engine was away. */
  troubleAt(): number
  /** For the trace. */
  tell(line: string): void
  found(rule: string, seen: string): void
  fault(error: unknown): void
}
