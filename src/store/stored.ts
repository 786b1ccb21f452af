/** Types of the store's entries. */
import type { NodeRecord, Plan, RunRecord, ScheduleKind, SubRunRef } from '../../machines/vocabulary.ts'

/** State of an actor that has not ended: enough, with its record, to build the actor again. */
export interface OpenState {
  value: unknown
  context: Record<string, unknown>
  /** Invoked actors that must be running, by id. Nodes of a run are not among them: they have their own entries. */
  children: Record<string, { src: string; input: unknown }>
}

export interface StoredRun {
  record: RunRecord
  open?: OpenState
  /** `seq` of the run's latest journal record when this entry was written. @see latestSeq in history.ts */
  seq: number
}

export interface StoredNode {
  record: NodeRecord
  open?: OpenState
}

export interface StoredPlan {
  plan: Plan
  spec: string
}

/** What one execution of a step calls. */
export interface StoredCall {
  /** Content hash of the sub workflow's plan. */
  plan: string
  maxConcurrent: number
  items: SubRunRef[]
  /** The step's pass, by repetition; 0: its first. */
  pass: number
  /** No further item is begun. */
  stopped: boolean
  /** Length of the step's stdout log when the call began. */
  offset: number
}

/** What a retry of a run leaves behind of the attempt before it. */
export interface StoredAttempt {
  record: RunRecord
  nodes: Map<number | string, NodeRecord>
}

/** A DAG got another name: the runs that were created before go along. */
export interface StoredMove {
  to: string
  /** Epoch ms. */
  before: number
}

/** Which minutes of a definition's schedules are settled. Instants in epoch ms. */
export interface StoredSlots {
  /** The latest ones of each kind. */
  decided: Partial<Record<ScheduleKind, number[]>>
  /** For `catchup`: every start of these expressions up to this instant is settled. */
  starts?: { expressions: string[]; through: number }
}

/** A restart that has begun. Source: execution-semantics 11.11. */
export interface StoredRestart {
  /** Id of the run to come. */
  dagRunId: string
  waitMs: number
}

/** Files of a removed run. */
export interface StoredLeftover {
  /** Absolute path of its run log. */
  log: string
  /** Folders of its attempts. */
  nodeLogs: string[]
  /** Names of its steps and handlers. */
  steps: string[]
  /** Its own working directory. */
  own: string
}
