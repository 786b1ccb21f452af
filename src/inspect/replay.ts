/**
 * A run's journal read from its beginning: what every actor was and remembered at an event. Nothing but records goes in, so the
 * answer for an event that has passed never changes. Source: architecture 1, 9; docs/inspect.md.
 */
import { BLANK_NODE } from '../../machines/node/node-context.ts'
import type { JournalRecord, NodeRecord, NodeStatus, RunStatus } from '../../machines/vocabulary.ts'

export interface ActorState {
  address: string
  kind: 'run' | 'node' | 'call'
  step?: string
  /** Innermost active state, such as `attempting.executing`. */
  path: string
  /** A node's, after its latest transition. */
  status?: NodeStatus
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

/** A run as of an event. Changed in place by `take`. */
export interface RunState {
  /** The latest event that has been taken. */
  event?: JournalRecord
  /** Absent: it is not a run yet. */
  status?: RunStatus
  /** It waits in its queue. */
  isQueued?: boolean
  /** It was given up from outside, whatever its actors were doing. */
  parked: boolean
  actors: Map<string, ActorState>
  /** Nodes by address that were settled by a rule or set by hand: what an actor has left of them counts no more. */
  settled: Map<string, NodeRecord>
  /** Nodes whose status somebody has set by hand since, by address. */
  setByHand: Set<string>
  /** The nodes that its latest attempt has kept, by place. */
  kept: Map<number | string, NodeRecord>
  /** The event with which that attempt began; 0: none has. */
  begun: number
  /** The latest event of each actor since then, and of each node that was settled without one, by address. */
  touched: Map<string, number>
}

export const nothingYet = (): RunState => ({
  parked: false,
  actors: new Map(),
  settled: new Map(),
  setByHand: new Set(),
  kept: new Map(),
  begun: 0,
  touched: new Map()
})

/** The same, to go on from. */
export const copyOf = ({ actors, settled, setByHand, kept, touched, ...state }: RunState): RunState => ({
  ...state,
  actors: new Map(Array.from(actors, ([address, actor]) => [address, { ...actor, memory: { ...actor.memory } }])),
  settled: new Map(settled),
  setByHand: new Set(setByHand),
  kept: new Map(kept),
  touched: new Map(touched)
})

/** `run/etl/r1`, and what follows it is one of its actors. */
const RUN = /^run\/[^/]+\/[^/]+$/
export const isRunAddress = (address: string): boolean => RUN.test(address)

/** Takes the next record of the journal. */
export function take(state: RunState, record: JournalRecord): void {
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

/** What a transition makes of its actor. */
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

/** @param changes null: it is no more there */
export function remember(memory: ActorState['memory'], changes: JournalRecord['context']): void {
  for (const name in changes) {
    const value = changes[name]
    if (value === null) delete memory[name]
    else memory[name] = value
  }
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
export const blank = (kind: ActorState['kind']): ActorState['memory'] =>
  kind === 'run' ? { handlerFailed: false } : kind === 'call' ? {} : { ...BLANK_NODE }

/** A node's record, as it was stored with the latest event; without outputs and files. Undefined: nothing has happened to it. */
export function nodeIn({ settled, actors }: RunState, address: string): NodeRecord | undefined {
  const found = settled.get(address)
  if (found) return found
  const actor = actors.get(address)
  if (!actor) return undefined
  const made = records.get(actor) ?? nodeOf(actor)
  records.set(actor, made)
  return made
}

/** Whoever watches looks at every node again and again, and few of them have changed meanwhile. */
const records = new WeakMap<ActorState, NodeRecord>()

function nodeOf({ step = '', status = 'running', memory }: ActorState): NodeRecord {
  const record: Record<string, unknown> = { step, status }
  if (memory.at !== undefined) record.startedAt = memory.at
  for (const name of REMEMBERED) if (memory[name] !== undefined) record[name] = memory[name]
  if (memory.continues) record.continues = true
  return record as unknown as NodeRecord // by its members
}
const REMEMBERED = ['finishedAt', 'retryCount', 'doneCount', 'exitCode', 'signal', 'error', 'conditions'] as const
