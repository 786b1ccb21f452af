/**
 * What can be known about charts, actors and waits: the answers of the inspection, as the engine gives them. Instants in epoch
 * ms. How they look as JSON over HTTP: `../api/shapes/fact-shapes.ts`. Source: architecture 9; docs/inspect.md.
 */
import type { JournalRecord, NodeRecord, RunKey, RunStatus } from '../../machines/vocabulary.ts'
import type { DecisionsPart } from '../store/parts.ts'

export interface ChartSummary {
  /** `engine`, `scheduler`, `restart`, `queue`, `run`, `node` or `call`. */
  id: string
  description: string
}

/** A chart as data, made from the machine itself. */
export interface Chart extends ChartSummary {
  /** Path of the state in which it begins. */
  initial: string
  /** Every event that some state takes. */
  events: string[]
  /** What it may invoke or spawn, by the name the chart has for it. */
  actors: { name: string; machine?: string }[]
  /** Taken in whatever state. */
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
  /** Path of the state within that is entered first; compound states only. */
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
  /** Id of its chart. */
  machine: string
  /** Name of the step or handler that it stands for. */
  step?: string
  /** Address of the actor that made it; absent: the run itself. */
  parent?: string
  /** Paths of the active states, outer ones first. */
  states: string[]
  tags: string[]
  status: 'active' | 'done'
  /** When it came into its state, and the event that brought it there. */
  since: number
  seq: number
  /** What it remembers, secrets masked. Plan, step and outputs are left out. */
  context: Record<string, unknown>
  /** Events it would take now; some may be refused for what they say. */
  accepts: string[]
  /** Events that its state takes, and that would change nothing now: the guard that says no. */
  refuses: { event: string; guard: string }[]
  /** The sub DAG runs that it has begun; charts of calls only. */
  subRuns?: { run: RunKey; status: RunStatus }[]
}

/** Every actor of a run, as of one event. */
export interface RunFacts {
  run: RunKey
  /** `seq` of the event asked for; 0: before the first. */
  at: number
  /** `seq` of the latest event there is. */
  latest: number
  /** The event with that number, or the one before it: numbers may have gaps. */
  event?: JournalRecord
  /** Status of the run after it. */
  status: RunStatus
  /** All steps in their order, then the handlers that there are. Without outputs and files. */
  nodes: (NodeRecord & { handler: boolean })[]
  actors: ActorFacts[]
}

/** Kinds of things that can hold something back. */
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
  /** Id of the run, when it is one. */
  dagRunId?: string
}

/** One reason why something does not go on, or why it ended as it did. */
export interface Reason {
  /** A word for programs; docs/inspect.md lists all. */
  cause: string
  about: { kind: 'run' | 'node' | 'handler' | 'dag'; name: string }
  /** Something goes on when it ends; otherwise it says why something ended, or never began. */
  waiting: boolean
  /** A sentence. */
  text: string
  since?: number
  until?: number
  /** Nearest first; empty: nothing that has a name. */
  blockedBy: Blocker[]
  /** What would change it: a sentence; empty: nothing would. */
  unblock: string
}

export interface Explanation {
  subject:
    | { kind: 'run'; name: string; dagRunId: string; status: RunStatus }
    | { kind: 'dag'; name: string; fileName: string }
  reasons: Reason[]
}

/** A message from one actor to another, read off the journal. */
export interface SequenceMessage {
  seq: number
  at: number
  /** Addresses; or `caller`, `scheduler`, `clock`, `process`, `engine`: it came from outside the run's actors. */
  from: string
  to: string
  event: string
  /** The state it led to. */
  state: string
}
export interface Sequence {
  run: RunKey
  /** In the order in which they first say or hear something. */
  participants: string[]
  messages: SequenceMessage[]
  /** How many are left out, because there are more than were asked for. */
  omitted: number
  /** A Mermaid sequence diagram of the same. */
  mermaid: string
}

/** A part of a run's journal. */
export interface EventsPart {
  run: RunKey
  events: { record: JournalRecord; causes?: EventCause[] }[]
  latest: number
  /** To be given as `after` for the next part; absent: this was the last. */
  next?: number
}
/** What led to an event, nearest first. */
export type EventCause = Pick<JournalRecord, 'seq' | 'actor' | 'event'>

/** What an engine can tell about its charts and runs, from the machines and the journal; it asks no actor. */
export interface Facts {
  charts(): ChartSummary[]
  /** @throws TroupeError not_found */
  chart(id: string): Chart
  /**
   * Every actor of a run, now or as of an event. `dagRunId` may be `latest`, here and below.
   * @throws TroupeError not_found (run, actor); bad_request: `at` lies beyond the journal
   */
  run(
    key: RunKey,
    options?: { at?: number | undefined; actor?: string | undefined; brief?: boolean | undefined }
  ): RunFacts
  /** @param options.limit default 1,000, at most 10,000 @throws TroupeError not_found */
  events(
    key: RunKey,
    options?: { after?: number | undefined; limit?: number | undefined; causes?: boolean | undefined }
  ): EventsPart
  /** Why a run and its steps wait, or ended as they did. @throws TroupeError not_found (run, step) */
  explain(key: RunKey, step?: string): Explanation
  /** Why a stored definition has no run now, or not the one that its schedule should have begun. @throws TroupeError not_found */
  explainDefinition(fileName: string): Explanation
  /**
   * What the scheduler made of scheduled minutes, of one definition or of all, newest first. A part may be short, or empty, and
   * have a `next`: so many were looked at and no more.
   * @param options.limit default 100, at most 1,000
   */
  decisions(options?: {
    fileName?: string | undefined
    before?: number | undefined
    limit?: number | undefined
  }): DecisionsPart
  /** The messages between a run's actors. @param options.limit default 500, at most 5,000 @throws TroupeError not_found */
  sequence(key: RunKey, options?: { limit?: number | undefined }): Sequence
}
