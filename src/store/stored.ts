/** Types of the store's entries. */
import type {
  NodePlace,
  NodeRecord,
  Plan,
  RunKey,
  RunRecord,
  ScheduleKind,
  SecretMark,
  SubRunRef,
  WorkerSelf
} from '../../machines/vocabulary.ts'

/** State of an actor that has not ended: together with its record, enough to restore the actor. */
export interface OpenState {
  value: unknown
  context: Record<string, unknown>
  /** Invoked actors that must be running, by id. Without the nodes of a run, which have their own entries. */
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

/** The call of one execution of a step. */
export interface StoredCall {
  /** Content hash of the sub workflow's plan. */
  plan: string
  maxConcurrent: number
  items: SubRunRef[]
  /** Number of earlier passes of the step. */
  pass: number
  /** No further item starts. */
  stopped: boolean
  /** Length of the step's stdout log when the call began. */
  offset: number
}

/** The result of an item of a step with `each`. */
export interface StoredItem {
  /** Content hash of the item: another one in its place has no result yet. */
  item: string
  /** Its result as JSON, secrets masked. */
  output: string
  outputMarks?: SecretMark[]
}

/** The previous attempt of a retried run. */
export interface StoredAttempt {
  record: RunRecord
  nodes: Map<NodePlace, NodeRecord>
}

/** A renamed DAG: the runs that were created before are moved. */
export interface StoredMove {
  to: string
  /** Epoch ms. */
  before: number
}

/** Which minutes of a definition's schedules have been decided. Instants in epoch ms. */
export interface StoredSlots {
  /** The latest ones of each kind. */
  decided: Partial<Record<ScheduleKind, number[]>>
  /** For `catchup`: every start of these expressions up to this instant has been decided. */
  starts?: { expressions: string[]; through: number }
}

/** A restart that has begun. Source: execution-semantics 11.11. */
export interface StoredRestart {
  /** Id of the new run. */
  dagRunId: string
  waitMs: number
}

/** A text that the file of a definition has had. */
export interface StoredVersion {
  /** Of the text, as the API has it. */
  revision: string
  /** Epoch ms: when it was saved or found. */
  at: number
  /** Who saved it; absent: not known. */
  by?: string
  /** `saved`: through the engine; `found`: in the file, when that was read. */
  how: 'saved' | 'found'
  /** Absent: an earlier version of the same revision has it. */
  spec?: string
}

/** A worker, as its chart has it. Instants in epoch ms. */
export interface StoredWorker {
  /** State of its chart, such as `serving.warning`. */
  state: string
  /** What it says about itself; absent: nothing that could be read. */
  self?: WorkerSelf
  /** Its process. */
  session: string
  greetedAt: number
  heardAt: number
  /** Why it is refused; empty: it is not. */
  refusal: string
  /** It has a fence. */
  fences?: true
  /** It was asked to drain. @see DrainAsked */
  drain?: { timeoutMs?: number }
}

/** An event that is to be delivered to a target of `notify`. Instants in epoch ms. */
export interface StoredDelivery {
  /** Such as `run.failed`. */
  event: string
  /** The root run that it is about; absent: it is about no run. */
  run?: RunKey
  /** When it happened. */
  at: number
  /** Body of the request: a CloudEvent as JSON, secrets masked. */
  body: string
  /** Failed attempts since it was written, or asked for again. */
  attempts: number
  /** Earliest instant of the next attempt. */
  dueAt: number
  /** No attempt begins later, except the first. */
  giveUpAt: number
  /** When the latest attempt ended; absent: there was none. */
  triedAt?: number
  /** Why that failed, or why it is given up: a sentence. */
  error?: string
  /** It is a dead letter since then; absent: it waits. */
  deadAt?: number
}

/** An API key without its text, which nobody has but who was given it. */
export interface StoredKey {
  name: string
  /** On the whole server. */
  role: string
  /** Roles for some definitions, with patterns of DAG names, groups and tags. */
  rules: { may: string; dags?: readonly string[]; groups?: readonly string[]; tags?: readonly string[] }[]
  createdAt: number
  /** Name of who made it. */
  createdBy: string
  /** Absent: never. */
  expiresAt?: number
  revokedAt?: number
  revokedBy?: string
  /** Absent: it was never used. Written once a minute at most. */
  lastUsedAt?: number
  /** Of scrypt; base64. */
  hash: { N: number; r: number; p: number; salt: string; value: string }
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
