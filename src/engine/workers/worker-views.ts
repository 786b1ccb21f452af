/** Workers and their bus, as an engine shows them. Source: distribution 9; http-api "Worker". */
import type { RunKey, WorkerLoad } from '../../../machines/vocabulary.ts'

/** By the age of its last heartbeat: less than 5 s, less than 15 s, more. */
export type WorkerHealth = 'healthy' | 'warning' | 'unhealthy'

export interface WorkerTask extends RunKey {
  /** The run at the top of the chain of calls; of a root run itself. */
  root: RunKey
  /** The run that called it; absent: it is a root run. */
  parent?: RunKey
  startedAt?: number
}

/** A program that takes runs from this engine, on this or another machine. Instants in epoch ms, by the engine's clock. */
export interface WorkerView {
  /** Chosen by whoever started it; default: host@pid. */
  id: string
  /** Id of the worker's home folder, by which it is known when it is restarted. */
  home: string
  labels: Readonly<Record<string, string>>
  /** Runs that it takes at a time. */
  slots: number
  /** Version of the program. */
  version: string
  host: string
  pid: number
  /** Types of steps that it can run. */
  executors: readonly string[]
  /** `draining`: gets no further run, and leaves without any. `incompatible`: refused, gets nothing. `lost`: silent, has runs. */
  status: 'serving' | 'draining' | 'incompatible' | 'lost'
  /** The worker drains because it was told to on its own machine, by a signal. */
  isLeaving: boolean
  /** Why the worker is refused; empty: it is not. */
  refusal: string
  /** Why the worker takes no further run although it serves, such as a full disk; empty: it takes some. */
  trouble: string
  health: WorkerHealth
  /** When the latest message of the worker arrived. */
  heardAt: number
  /** When the worker is lost unless it is heard before; absent: it is heard, or the message bus is out of reach. */
  lostAt?: number
  /** When the worker said hello. */
  connectedAt: number
  /** Measurements of the worker, in percent. */
  load: Readonly<WorkerLoad>
  tasks: WorkerTask[]
  /** Slots that they take: a sub run beside its caller takes none. */
  taken: number
}

/** What a worker is asked to do. */
export interface DrainRequest {
  /** Default true; false: it takes runs again. */
  drain?: boolean
  /** Runs that it still has after so many seconds are stopped. Default: it waits for them without a limit. */
  timeoutSec?: number
  /** The id of the API request, which is logged with it. */
  requestId?: string
}

/** A worker that was given a key, whether it takes part or not. Instants in epoch ms. */
export interface EnrolledView {
  id: string
  /** Id of the worker's home folder. */
  home: string
  enrolledAt: number
  /** Absent: its key counts. */
  revokedAt?: number
}

export interface WorkersView {
  /** By id. */
  workers: WorkerView[]
  /** Present faults, in sentences, such as a bus that cannot be reached. */
  errors: string[]
  /** Workers that were given a key (`troupe worker enroll`), by id. */
  enrolled: EnrolledView[]
}

/** A server through which engine and workers talk. */
export interface CoordinatorView {
  host: string
  port: number
  /** Since when it serves; of a server that others run: since when this engine uses it. Epoch ms. */
  startedAt: number
}

/** The message bus between an engine and its workers. */
export interface BusView {
  connected: boolean
  /** Why the bus is not connected, as a sentence; empty: it is. */
  trouble: string
  coordinators: CoordinatorView[]
  /** Messages since the engine was opened. */
  messages: { kind: string; direction: 'in' | 'out'; count: number }[]
  /** Runs that lack a worker and nothing else, by the labels that they ask for, such as `gpu=true,zone=a`; most first. */
  waiting: { selector: string; count: number }[]
  /** Workers that were lost since then, and those of them whose fence has ended what they had. */
  losses: { lost: number; fenced: number }
}
