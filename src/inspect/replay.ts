/**
 * A run's journal read from its beginning: what every actor was and remembered at an event. Nothing but records goes in, so the
 * answer for an event that has passed never changes. Source: architecture 1, 9; docs/inspect.md.
 */
import type { JournalRecord, NodeRecord, NodeStatus, RunStatus } from '../../machines/vocabulary.ts'

export interface ActorState {
  address: string
  kind: 'run' | 'node' | 'call'
  step?: string
  /** Innermost active state, such as `attempting.executing`. */
  path: string
  /** Members of its context that do not follow from the plan. */
  memory: Record<string, unknown>
  /** When it came into its state, and the event that brought it there. */
  since: number
  seq: number
  /** Of its latest execution: when its process began. */
  begunAt?: number
  /** It has thrown: its run has settled the node without it. */
  isGone?: true
}

/** A run as of an event. `take` puts new entries into it and changes none, so that a copy is cheap. */
export interface RunState {
  /** The latest event that has been taken. */
  event?: JournalRecord
  /** Absent: it is not a run yet. */
  status?: RunStatus
  /** It has a place in a queue: its own first word was to be let in. */
  queue?: string
  /** It was given up from outside, whatever its actors were doing. */
  parked: boolean
  actors: Map<string, ActorState>
  /** Nodes by address; those that nothing has happened to are missing. */
  nodes: Map<string, NodeRecord>
  /** Nodes whose status somebody has set by hand since, by address. */
  setByHand: Set<string>
  /** The nodes that its latest attempt has kept, by place. */
  kept: Map<number | string, NodeRecord>
}

export const nothingYet = (): RunState => ({
  parked: false,
  actors: new Map(),
  nodes: new Map(),
  setByHand: new Set(),
  kept: new Map()
})

/** The same, to go on from. */
export const copyOf = ({ actors, nodes, setByHand, kept, ...state }: RunState): RunState => ({
  ...state,
  actors: new Map(actors),
  nodes: new Map(nodes),
  setByHand: new Set(setByHand),
  kept: new Map(kept)
})

/** `run/etl/r1`, and what follows it is one of its actors. */
const RUN = /^run\/[^/]+\/[^/]+$/
export const isRunAddress = (address: string): boolean => RUN.test(address)

/** Takes the next record of the journal. */
export function take(state: RunState, record: JournalRecord): void {
  const { actor, event, from, to, status } = record
  state.event = record
  if (actor.startsWith('queue/')) {
    state.queue = actor.slice('queue/'.length)
    return
  }
  if (event === 'run.parked') {
    state.parked = true
    state.status = 'failed'
    return
  }
  if (event === 'node.settled' || event === 'node.set') {
    const { step = '', context } = record
    const before = state.nodes.get(actor) ?? keptAs(state, step) ?? { step, retryCount: 0, doneCount: 0 }
    const thrown = state.actors.get(actor)
    if (event === 'node.set') state.setByHand.add(actor)
    else if (thrown) state.actors.set(actor, { ...thrown, isGone: true })
    const said = event === 'node.settled' ? { error: String(context?.error ?? '') } : {}
    state.nodes.set(actor, { ...before, ...said, status: (status ?? to) as NodeStatus }) // nodes have no other status
    return
  }
  const isRun = RUN.test(actor)
  if (isRun && from === '') {
    state.actors.clear()
    state.nodes.clear()
    state.setByHand.clear()
    state.parked = false
    state.kept = new Map(record.kept)
  }
  const known = from === '' ? undefined : state.actors.get(actor)
  const now = next(known ?? born(record, isRun), record)
  state.actors.set(actor, now)
  if (isRun && status) state.status = status as RunStatus // runs have no other status
  if (now.kind === 'node') state.nodes.set(actor, nodeOf(now, (status ?? 'running') as NodeStatus))
}

/** An actor after its next transition. */
function next(known: ActorState, { context = {}, whole, from, to, at, seq, event }: JournalRecord): ActorState {
  const memory = { ...(whole ? blank(known.kind) : known.memory) }
  for (const [name, value] of Object.entries(context)) {
    if (value === null) delete memory[name]
    else memory[name] = value
  }
  const { begunAt, ...before } = known
  const isAnew = context.attempt !== undefined
  const moved = from !== to || isAnew ? { since: at, seq } : {}
  const began = event === 'attempt.began' ? at : isAnew ? undefined : begunAt
  return { ...before, memory, path: to, ...moved, ...(began === undefined ? {} : { begunAt: began }) }
}

const keptAs = ({ kept }: RunState, step: string): NodeRecord | undefined =>
  [...kept.values()].find((node) => node.step === step)

function born({ actor, step, to, at, seq }: JournalRecord, isRun: boolean): ActorState {
  const kind = isRun ? 'run' : step === undefined ? 'call' : 'node'
  return {
    address: actor,
    kind,
    ...(step === undefined ? {} : { step }),
    path: to,
    memory: blank(kind),
    since: at,
    seq
  }
}

/** What a memory begins with; the journal does not repeat it. */
const blank = (kind: ActorState['kind']): ActorState['memory'] =>
  kind === 'run'
    ? { handlerFailed: false }
    : kind === 'call'
      ? {}
      : {
          attempt: 0,
          retryCount: 0,
          doneCount: 0,
          continues: false,
          dueAt: 0,
          timeoutAt: 0,
          remindAt: 0,
          killAt: 0
        }

/** The node's record, as it was stored with that event. */
function nodeOf({ step = '', memory }: ActorState, status: NodeStatus): NodeRecord {
  const { at, finishedAt, retryCount, doneCount, exitCode, signal, error, conditions, continues } = memory
  const all = { step, status, startedAt: at, finishedAt, retryCount, doneCount, exitCode, signal, error, conditions }
  const present = Object.entries({ ...all, continues: continues || undefined }).filter(
    ([, value]) => value !== undefined
  )
  return Object.fromEntries(present) as unknown as NodeRecord // by its members
}
