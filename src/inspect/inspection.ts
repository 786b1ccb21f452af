/**
 * The types of inspection: charts, actors and explanations, as the engine returns them. Instants in epoch ms. Their JSON over HTTP:
 * `../api/shapes/fact-shapes.ts`. Source: architecture 9; docs/inspect.md.
 */
import type { JournalRecord, NodeRecord, RunKey, RunStatus } from '../../machines/vocabulary.ts'
import type { DecisionsPart } from '../store/parts.ts'

export interface ChartSummary {
  /** `engine`, `scheduler`, `restart`, `queue`, `run`, `node` or `call`. */
  id: string
  description: string
}

/** A chart as data, made from the machine. */
export interface Chart extends ChartSummary {
  /** Path of the initial state. */
  initial: string
  /** Every event that some state accepts. */
  events: string[]
  /** Actors that it may invoke or spawn, by their name in the chart. */
  actors: { name: string; machine?: string }[]
  /** Enabled in every state. */
  transitions: ChartTransition[]
  states: ChartState[]
}

export interface ChartState {
  /** From the root, such as `attempting.executing`. */
  path: string
  /** The last part of the path. */
  key: string
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  description: string
  tags: string[]
  /** Path of the initial inner state; compound states only. */
  initial?: string
  states: ChartState[]
  invokes: { id: string; machine?: string }[]
  entry: string[]
  exit: string[]
  transitions: ChartTransition[]
}

export interface ChartTransition {
  /** Empty: taken at once, without an event. */
  event: string
  /** Paths; none: the state is not left. */
  targets: string[]
  guard?: string
  actions: string[]
  description?: string
}

/** An actor of a run, as of one event. */
export interface ActorFacts {
  /** Stable address, such as `run/etl/r1/node/load`. */
  address: string
  /** Id of the actor's chart. */
  machine: string
  /** Name of the actor's step or handler. */
  step?: string
  /** Address of its parent; absent: the run itself. */
  parent?: string
  /** Paths of the active states, outer ones first. */
  states: string[]
  tags: string[]
  status: 'active' | 'done'
  /** When the actor entered its state, and by which event. */
  since: number
  seq: number
  /** The context of the actor, secrets masked, without plan, step and outputs. */
  context: Record<string, unknown>
  /** Events that it would accept now; some may be refused because of their payload. */
  accepts: string[]
  /** Events that its state handles, but that a guard would refuse now. */
  refuses: { event: string; guard: string }[]
  /** The sub DAG runs that it has started; charts of calls only. */
  subRuns?: { run: RunKey; status: RunStatus }[]
  /** What it can be in, by what its plan has; only where it was asked for alone. */
  reach?: Reached[]
}

/** A state that can be reached, and which of its transitions can be taken: their places in the list of its chart. The whole chart has an empty path. */
export interface Reached {
  path: string
  transitions: number[]
}

/** What an event would do to an actor, tried on a copy. */
export interface Preview {
  /** The type of the event. */
  event: string
  /** Anything would follow from it. */
  isTaken: boolean
  /** Paths of the states that would be active, outer ones first. */
  states: string[]
  /** The context as it would be, like that of `ActorFacts`. */
  context: Record<string, unknown>
  /** What the chart would ask for: `sends` an event `to` an actor, `starts` an actor, `does` an action. */
  effects: { kind: 'sends' | 'starts' | 'does'; what: string; to: string }[]
}

/** Every actor of a run, as of one event. */
export interface RunFacts {
  run: RunKey
  /** `seq` of the event asked for; 0: before the first. */
  at: number
  /** `seq` of the latest event. */
  latest: number
  /** The event with that number, or the latest before it: numbers may have gaps. */
  event?: JournalRecord
  /** Status of the run after it. */
  status: RunStatus
  /** All steps in order, then the handlers. Without outputs and files. */
  nodes: (NodeRecord & { handler: boolean })[]
  actors: ActorFacts[]
}

export type BlockerKind =
  | 'step'
  | 'handler'
  | 'run'
  | 'queue'
  | 'limit'
  | 'clock'
  | 'condition'
  | 'process'
  | 'worker'
  | 'engine'
  | 'container'
  | 'mail'
  | 'schedule'
  | 'definition'
  | 'person'

export interface Blocker {
  kind: BlockerKind
  name: string
  /** Id of the run, when the blocker is one. */
  dagRunId?: string
}

/** One reason why something is waiting, or why it ended as it did. */
export interface Reason {
  /** A code for programs; docs/inspect.md lists all. */
  cause: string
  about: { kind: 'run' | 'node' | 'handler' | 'dag'; name: string }
  /** True: something continues when the reason ends; false: why something ended, or never began. */
  waiting: boolean
  /** A sentence. */
  text: string
  since?: number
  until?: number
  /** Nearest first; empty: no blocker has a name. */
  blockedBy: Blocker[]
  /** How to fix it: a sentence; empty: nothing would. */
  unblock: string
}

export interface Explanation {
  subject:
    | { kind: 'run'; name: string; dagRunId: string; status: RunStatus }
    | { kind: 'dag'; name: string; fileName: string }
  reasons: Reason[]
}

/** A message from one actor to another, from the journal. */
export interface SequenceMessage {
  seq: number
  at: number
  /** Addresses; or `caller`, `scheduler`, `clock`, `process`, `engine`: the sender is not an actor of the run. */
  from: string
  to: string
  event: string
  /** The resulting state. */
  state: string
}
export interface Sequence {
  run: RunKey
  /** In the order of their first message. */
  participants: string[]
  messages: SequenceMessage[]
  /** Number of later messages. */
  omitted: number
  /** A Mermaid sequence diagram of the same. */
  mermaid: string
}

/** A part of a run's journal. */
export interface EventsPart {
  run: RunKey
  events: { record: JournalRecord; causes?: EventCause[] }[]
  latest: number
  /** Pass it as `after` for the next part; absent: this was the last. */
  next?: number
}
export type EventCause = Pick<JournalRecord, 'seq' | 'actor' | 'event'>

/** Inspection of an engine's charts and runs, from the machines and the journal; no actor is involved. */
export interface Facts {
  /** The charts that engines decide with, by id. */
  charts(): ChartSummary[]
  /** One chart: its states and transitions. @throws TroupeError not_found */
  chart(id: string): Chart
  /**
   * Every actor of a run, now or as of an event. `dagRunId` may be `latest`, here and below.
   * @throws TroupeError not_found (run, actor); bad_request: `at` is beyond the journal
   */
  run(
    key: RunKey,
    options?: { at?: number | undefined; actor?: string | undefined; brief?: boolean | undefined }
  ): RunFacts
  /**
   * What an event would do to an actor, now or as of an event. It is tried on a copy: nothing happens to the run.
   * @param event with its `type`, and the members that the chart reads; `at` is added when absent
   * @throws TroupeError not_found (run, actor); bad_request: the chart has no such event, or reads members that it lacks
   */
  preview(
    key: RunKey,
    actor: string,
    event: { type: string; [member: string]: unknown },
    options?: { at?: number | undefined }
  ): Preview
  /** The events of a run, oldest first, with changes. @param options.limit default 1,000, at most 10,000 @throws TroupeError not_found */
  events(
    key: RunKey,
    options?: { after?: number | undefined; limit?: number | undefined; causes?: boolean | undefined }
  ): EventsPart
  /** Why a run and its steps are waiting, or ended as they did. @throws TroupeError not_found (run, step) */
  explain(key: RunKey, step?: string): Explanation
  /** Why a stored definition has no run now, or not the one that its schedule should have started. @throws TroupeError not_found */
  explainDefinition(fileName: string): Explanation
  /**
   * The scheduler's decisions about scheduled minutes, of one definition or of all, newest first. A part may be short, or empty, and
   * still have a `next`: the number of decisions examined per call is limited.
   * @param options.limit default 100, at most 1,000
   */
  decisions(options?: {
    fileName?: string | undefined
    before?: number | undefined
    limit?: number | undefined
  }): DecisionsPart
  /**
   * The messages between a run's actors.
   * @param options.after a `seq` that the part comes after @param options.limit default 500, at most 5,000
   * @throws TroupeError not_found
   */
  sequence(key: RunKey, options?: { after?: number | undefined; limit?: number | undefined }): Sequence
}
