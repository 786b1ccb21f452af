/** The input and context of the engine, and the names of its children. */
import type { RunInput } from '../run.ts'
import type { ChurnMap } from '../tables/churn-map.ts'
import type { Fleet } from '../tables/fleet.ts'
import type { RunCounts } from '../tables/run-counts.ts'
import type { RunKey } from '../vocabulary.ts'

export interface EngineInput {
  at: number
  /** maxConcurrency of the configured queues, by name; default: none is configured. */
  queues?: Record<string, number>
  /** Queued runs stay where they are. */
  held?: boolean
  /** Runs can be placed on workers. @see Fleet.lease */
  fleet?: Pick<Fleet, 'lease'>
}
export interface EngineContext {
  at: number
  held: boolean
  queues: Record<string, number>
  /** Shared with the queues, changed in place. */
  fleet?: Fleet
  /** Changed in place. */
  runCounts: RunCounts
  /** When each run that threw was restored, for the limit of restarts. Entries are removed in place. */
  restartedAt: Record<string, number[]>
  /** The input and the queue of each run from its request until its first transition. Changed in place. */
  requests: ChurnMap<RunInput & { queue: string }>
}

/** A run's name in the system; also its address in the journal. */
export const runId = ({ name, dagRunId }: RunKey): string => `run/${name}/${dagRunId}`
export const queueId = (name: string): string => `queue/${name}`
