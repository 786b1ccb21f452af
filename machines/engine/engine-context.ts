/** The input, context and events of the engine, and the names of its children. Source: architecture 3. */
import type { SignalGiven, WorkerLost } from '../node/node-context.ts'
import type { AdmissionResult, EnqueueRequested, ItemFound, ItemNews, StartRequested } from '../queue/queue-events.ts'
import type { RunInput, RunOutput } from '../run.ts'
import type { ChurnMap } from '../tables/churn-map.ts'
import type { Fleet, FleetWorker } from '../tables/fleet.ts'
import type { RunCounts } from '../tables/run-counts.ts'
import type { Placement, Plan, RunKey, Stopper, WorkerNeeds } from '../vocabulary.ts'

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

/** Asks one run to stop. Source: execution-semantics 7.3. */
export interface RunEnding {
  /** `run.kill` follows a stop when the caller's grace period is over; `run.force` kills at once, handlers included. */
  type: 'run.stop' | 'run.kill' | 'run.force'
  key: RunKey
  at: number
  /** The one who asks for a stop. */
  from?: Stopper
}

export type RunNews =
  | { type: 'release.differs'; key: RunKey; at: number; version: string; wanted: string }
  | { type: 'release.opened'; key: RunKey; at: number }

export type EngineEvent =
  | (Omit<StartRequested, 'active'> & RunInput)
  | (Omit<EnqueueRequested, 'active'> & { plan: Plan })
  | ItemNews
  /** What a dispatched item needs was loaded, or could not be. */
  | ({ type: 'item.loaded' } & RunInput)
  | { type: 'item.unreadable'; key: RunKey; at: number; error: string }
  /** A run that was queued when the previous engine ended. */
  | (ItemFound & { queue: string })
  | { type: 'dequeue.requested'; key: RunKey; at: number }
  /** A node calls a sub workflow. A sub DAG run has no limit, and waits only for the worker that it needs by itself. */
  | ({ type: 'sub.requested'; needs?: WorkerNeeds } & RunInput)
  | AdmissionResult
  /** Root runs that were running when the previous engine ended. */
  | {
      type: 'runs.found'
      /** `held`: it waits for its version, and has no slot. */
      runs: { key: RunKey; queue: string; held?: true }[]
      /** Runs of these, and sub runs of theirs, that hold the slot of a worker. */
      placed?: { key: RunKey; placement: Placement }[]
      at: number
    }
  /** The states of the found runs and their sub runs have been loaded, or what was stored cannot be used. */
  | { type: 'runs.restored'; runs: { key: RunKey; plan: Plan }[]; at: number }
  | { type: 'run.unreadable'; key: RunKey; at: number; error: string }
  | RunEnding
  /** The engine has another version of a run's definition in code than the run, or has opened with the one that it waits for. */
  | RunNews
  /** A run waits for its version, or goes on. */
  | { type: 'run.superseded' | 'run.continued'; key: RunKey; at: number }
  /** For a step of a run. */
  | (SignalGiven & { key: RunKey })
  /** A worker is new, or what placements depend on has changed. */
  | { type: 'worker.changed'; worker: FleetWorker; at: number }
  /** A worker is lost, refused or forgotten. Its runs keep its slots. */
  | { type: 'worker.gone'; home: string; at: number }
  /** A worker is lost. @param keys runs that were placed on it @param worker its id */
  | (Omit<WorkerLost, 'type'> & { type: 'worker.lost'; home: string; keys: RunKey[] })
  /** A worker was heard again, or it is certain that nothing of it is at work any more. */
  | { type: 'worker.back' | 'worker.fenced'; home: string; keys: RunKey[]; at: number }
  /** A run has lost its worker and needs another one. */
  | { type: 'placement.wanted'; key: RunKey; at: number }
  | { type: 'move.requested'; key: RunKey; needs: WorkerNeeds; at: number }
  | { type: 'run.moved'; key: RunKey; placement: Placement; at: number }
  /** The engine stops its runs and closes: from now on queued runs stay queued. */
  | { type: 'queues.held' }
  /** The server shuts down and limits how long it waits for handlers. */
  | { type: 'handlers.limited'; at: number }
  | { type: `xstate.done.actor.${string}`; actorId: string; output: RunOutput }
  | { type: `xstate.error.actor.${string}`; actorId: string; error: unknown }
  /** A run that threw cannot be restored: nothing of it was stored, or it is not readable. */
  | { type: 'run.lost'; key: RunKey; at: number; error: string }
  /** A child threw: which one, and when. */
  | { type: 'scheduler.faulted'; at: number }
  | { type: 'run.faulted'; key: RunKey; plan: Plan; at: number; error: string }

/** A run's name in the system; also its address in the journal. */
export const runId = ({ name, dagRunId }: RunKey): string => `run/${name}/${dagRunId}`
export const queueId = (name: string): string => `queue/${name}`
