/**
 * Replays a run's journal from its beginning: state and context of every actor at an event. The only input are records, so the answer
 * for a past event never changes. Source: architecture 1, 9; docs/inspect.md.
 */
import { BLANK_NODE } from '../../machines/node/node-context.ts'
import type { JournalRecord, NodePlace, NodeRecord, NodeStatus, RunStatus } from '../../machines/vocabulary.ts'

export interface ActorState {
  address: string
  kind: 'run' | 'node' | 'call'
  step?: string
  /** Innermost active state, such as `attempting.executing`. */
  path: string
  /** Status of a node after its latest transition. */
  status?: NodeStatus
  /** Members of its context that do not follow from the plan. */
  memory: Record<string, unknown>
  /** When the actor entered its state, and by which event. */
  since: number
  seq: number
  /** When the process of a step's latest execution began. */
  begunAt?: number
  /** The actor has thrown: its run has resolved the node without it. */
  isGone?: true
}

/** A run as of an event. Changed in place by `take`. */
export interface ReplayedRun {
  /** The latest applied event. */
  event?: JournalRecord
  /** Absent: the run does not exist yet. */
  status?: RunStatus
  /** The run is waiting in its queue. */
  isQueued?: boolean
  /** The engine has failed the run, whatever the state of its actors. */
  parked: boolean
  actors: Map<string, ActorState>
  /** Nodes by address that were resolved by a rule or set by hand: they override the state of an actor. */
  settled: Map<string, NodeRecord>
  /** Nodes whose status was set by hand since, by address. */
  setByHand: Set<string>
  /** The nodes that its latest attempt has kept, by index. */
  kept: Map<NodePlace, NodeRecord>
  /** The first event of that attempt; 0: there is none. */
  begun: number
  /** The latest event of each actor since then, and of each node that was resolved without one, by address. */
  touched: Map<string, number>
}

export const nothingYet = (): ReplayedRun => ({
  parked: false,
  actors: new Map(),
  settled: new Map(),
  setByHand: new Set(),
  kept: new Map(),
  begun: 0,
  touched: new Map()
})

/** A copy to continue from. */
export const copyOf = ({ actors, settled, setByHand, kept, touched, ...state }: ReplayedRun): ReplayedRun => ({
  ...state,
  actors: new Map(Array.from(actors, ([address, actor]) => [address, { ...actor, memory: { ...actor.memory } }])),
  settled: new Map(settled),
  setByHand: new Set(setByHand),
  kept: new Map(kept),
  touched: new Map(touched)
})

/** `run/etl/r1`; the rest of the address is one of its actors. */
const RUN = /^run\/[^/]+\/[^/]+$/
export const isRunAddress = (address: string): boolean => RUN.test(address)

/** Applies the next record of the journal. */
export function take(state: ReplayedRun, record: JournalRecord): void {
  const { actor, event, from, to, status, seq } = record
  state.event = record
  if (actor.startsWith('queue/')) {
    state.isQueued = record.context?.waits === true
    return
  }
  if (event === 'run.parked') {
    state.parked = true
    state.status = 'failed'
    return
  }
  if (event === 'node.settled' || event === 'node.set') {
    const { step = '', context } = record
    state.touched.set(actor, seq)
    const before = nodeIn(state, actor) ?? keptAs(state, step) ?? { step, retryCount: 0, doneCount: 0 }
    const thrown = state.actors.get(actor)
    if (event === 'node.set') state.setByHand.add(actor)
    else if (thrown) thrown.isGone = true
    const said = event === 'node.settled' ? { ...context, error: String(context?.error ?? '') } : {}
    state.settled.set(actor, { ...before, ...said, status: (status ?? to) as NodeStatus }) // nodes have no other status
    return
  }
  const isRun = RUN.test(actor)
  if (isRun && from === '') {
    state.actors.clear()
    state.settled.clear()
    state.setByHand.clear()
    state.touched.clear()
    state.parked = false
    state.begun = seq
    state.kept = new Map(record.kept)
  }
  state.touched.set(actor, seq)
  let now = from === '' ? undefined : state.actors.get(actor)
  if (!now) {
    now = born(record, isRun)
    state.actors.set(actor, now)
    state.settled.delete(actor)
  }
  move(now, record)
  if (isRun && status) state.status = status as RunStatus // runs have no other status
}

/** The actor after a transition. */
function move(actor: ActorState, { context, whole, from, to, at, seq, event, status }: JournalRecord): void {
  records.delete(actor)
  if (whole) actor.memory = blank(actor.kind)
  remember(actor.memory, context)
  const isAnew = context?.attempt !== undefined
  if (from !== to || isAnew) {
    actor.since = at
    actor.seq = seq
  }
  actor.path = to
  if (event === 'attempt.began') actor.begunAt = at
  else if (isAnew) delete actor.begunAt
  if (actor.kind === 'node' && status) actor.status = status as NodeStatus // nodes have no other status
}

/** @param changes null: it no longer exists */
export function remember(memory: ActorState['memory'], changes: JournalRecord['context']): void {
  for (const name in changes) {
    const value = changes[name]
    if (value === null) delete memory[name]
    else memory[name] = value
  }
}

const keptAs = ({ kept }: ReplayedRun, step: string): NodeRecord | undefined =>
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

/** The initial context, which the journal does not repeat. */
export const blank = (kind: ActorState['kind']): ActorState['memory'] =>
  kind === 'run' ? { handlerFailed: false } : kind === 'call' ? {} : { ...BLANK_NODE }

/** A node's record, as it was stored with the latest event; without outputs and files. Undefined: it has no event. */
export function nodeIn({ settled, actors }: ReplayedRun, address: string): NodeRecord | undefined {
  const found = settled.get(address)
  if (found) return found
  const actor = actors.get(address)
  if (!actor) return undefined
  const made = records.get(actor) ?? nodeOf(actor)
  records.set(actor, made)
  return made
}

/** Cached: clients that watch read every node repeatedly, and few of them change in between. */
const records = new WeakMap<ActorState, NodeRecord>()

function nodeOf({ step = '', status = 'running', memory }: ActorState): NodeRecord {
  const record: Record<string, unknown> = { step, status }
  if (memory.at !== undefined) record.startedAt = memory.at
  for (const name of REMEMBERED) if (memory[name] !== undefined) record[name] = memory[name]
  if (memory.continues) record.continues = true
  return record as unknown as NodeRecord // by its members
}
const REMEMBERED = [
  'finishedAt',
  'retryCount',
  'doneCount',
  'exitCode',
  'signal',
  'error',
  'conditions',
  'worker',
  'given'
] as const
