/** What the machines of one seed share, and what a machine of a worker is. */
import type { Moments } from '../../../src/testing/moments.ts'
import type { WorkerTasks } from '../../../src/worker/open-tasks.ts'
import type { Worker } from '../../../src/worker/worker.ts'
import type { Random } from '../../support/random.ts'
import type { SimulatedNet } from '../../support/simulated/bus.ts'
import type { SimulatedClock } from '../../support/simulated/simulated-clock.ts'
import type { WorkerBug } from './bugs.ts'
import type { Disks } from './disks.ts'
import type { Processes } from './processes.ts'
import type { Judged, PlacementRules } from './rules.ts'

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

/** A machine of a worker. */
export interface WorkerMachine extends Judged {
  world: World
  /** The path of its home that all its processes share. */
  home: string
  processes: Processes
  /** Of its latest worker. */
  number: number
  life: WorkerLife | undefined
  /** That of the one that whoever guards it knows to be dead. */
  revived: number
  /** Of its wall clock. */
  skewMs: number
  bootedAt: number
  /** Milliseconds since it was started. */
  uptime(): number
  fence: { start(): void; stop(): void }
  /** How long its disk takes to flush. */
  slowMs: number
  isDiskFull: boolean
  /** Nothing of it is as it was: rules trust it again later. */
  disturbed(): void
  start(last?: number): void
  /** `kill -9` of the worker; it is started again later. */
  kill(againMs: number, last?: number): void
  freeze(ms: number): void
  /** The power fails. @param isErased its disk is lost, too */
  powerCut(againMs: number, isErased: boolean): void
  cut(how: true | 'silent' | 'deaf', ms: number): void
}

/** A process of a worker. */
export interface WorkerLife {
  readonly moments: Moments
  /** Id of its home, once it has read it. */
  homeId: string | undefined
  worker?: Worker
  tasks?: WorkerTasks
  /** It is stopped, as by SIGSTOP: what comes meanwhile it gets when it goes on. */
  freeze(): void
  thaw(): void
  /** Nobody told it. */
  end(): void
}
