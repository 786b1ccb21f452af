/** Runs, what they wait for, and queues, as an engine shows them. Types only. */
import type {
  Awaits,
  Condition,
  NodeRecord,
  Plan,
  RunKey,
  RunRecord,
  Step,
  SubRunRef
} from '../../machines/vocabulary.ts'

/** A run with its nodes; `nodes[i]` belongs to `plan.steps[i]`. If the plan cannot be read, only nodes with an entry are included. */
export interface RunView {
  run: RunRecord
  /** As `Engine.awaitedBy`. */
  awaited?: Awaits
  plan: Plan
  /** The parts that cannot be read because the store is damaged: `state unreadable: ...` for each. Absent: none. */
  errors?: string[]
  nodes: HandlerView[]
  handlers: { onSuccess?: HandlerView; onFailure?: HandlerView; onCancel?: HandlerView; onExit?: HandlerView }
  preconditions: { condition: Condition; matched?: boolean; error: string }[]
}
export interface HandlerView {
  step: Step
  node: NodeRecord
  /** Sub DAG runs of its current pass, and of earlier passes; absent: it calls none. */
  calls?: { subRuns: SubRunView[]; subRunsRepeated: SubRunView[] }
  /** Reason for a wait, and when it ends, epoch ms; a signal or an approval may have no limit. */
  wait?:
    | { for: 'retry' | 'repeat' | 'sleep'; until: number }
    | ({ for: 'signal' | 'approval'; until?: number } & WaitAsked)
}
/** A sub DAG run as listed by its node; without a status it never started. */
export interface SubRunView extends SubRunRef {
  record?: RunRecord
  /** As `Engine.awaitedBy`. */
  awaited?: Awaits
}

/** What is asked of the person who gives a signal or an approval. */
export interface WaitAsked {
  ask: string
  /** Since when it waits, epoch ms. */
  since: number
  /** JSON Schema of the payload; absent: any. */
  payloadSchema?: object
}

/** A step that waits for a signal or an approval. */
export interface WaitingStep extends WaitAsked {
  run: RunKey
  /** The root run above a sub DAG run. */
  root?: RunKey
  step: string
  for: 'signal' | 'approval'
  until?: number
}

export interface WaitingPart {
  waiting: WaitingStep[]
  /** Continues after this part; absent: this was the last one. */
  next?: string
}

/** A queue with its runs: running ones by start time, queued ones in the order in which they will start. Source: http-api "Queue". */
export interface QueueView {
  name: string
  /** maxConcurrency of a configured queue; absent: a dag-based one. */
  maxConcurrency?: number
  running: RunRecord[]
  queued: RunRecord[]
  /** How many runs of the queue may be active: for a dag-based queue, maxActiveRuns of its DAGs; 0: no limit. */
  capacity: number
}
