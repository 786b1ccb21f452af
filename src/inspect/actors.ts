/** The actors of a run as of an event, with the events that each would accept. Source: architecture 9; docs/inspect.md. */
import { knownOfNode } from '../../machines/reach/node-reach.ts'
import { type Known, UNKNOWN } from '../../machines/reach/reach.ts'
import { knownOfRun } from '../../machines/reach/run-reach.ts'
import { interruption } from '../../machines/run/run-context.ts'
import type { JournalRecord, NodeRecord, Plan, RunKey, RunStatus } from '../../machines/vocabulary.ts'
import { answersIn, statesOn } from './accepts.ts'
import { MACHINES, reachOf } from './charts.ts'
import { nodeAt, type PlacedStep, placesOf, storedContext, wholeContext } from './contexts.ts'
import type { ActorFacts, RunFacts } from './inspection.ts'
import type { Copied } from './preview.ts'
import { type ActorState, isRunAddress, type ReplayedRun } from './replay.ts'

export interface Seen {
  run: RunKey
  plan: Plan
  state: ReplayedRun
  /** Address of the run in its own journal. */
  address: string
  places: PlacedStep[]
  byName: ReadonlyMap<string, PlacedStep>
  /** The record of a node at that event. Cached: an explanation reads those of all other nodes repeatedly. */
  node(placed: PlacedStep): NodeRecord
  /** Names of the steps and handlers that were running. */
  running: string[]
}

export function seenAs(run: RunKey, plan: Plan, state: ReplayedRun): Seen {
  const address = [...state.actors.keys()].find(isRunAddress) ?? `run/${run.name}/${run.dagRunId}`
  const { places, byName } = placesOf(plan, address)
  const nodes = new Map(places.map((placed) => [placed, nodeAt(state, placed)]))
  return {
    run,
    plan,
    state,
    address,
    places,
    byName,
    running: places.filter((placed) => nodes.get(placed)?.status === 'running').map(({ step }) => step.name),
    node: (placed) => nodes.get(placed) ?? nodeAt(state, placed)
  }
}

/** Returns the same object for the same record: few change between two answers. */
export const nodesOf = ({ places, node }: Seen): RunFacts['nodes'] =>
  places.map((placed) => {
    const record = node(placed)
    const facts = shown.get(record) ?? Object.freeze({ ...record, handler: typeof placed.place !== 'number' })
    shown.set(record, facts)
    return facts
  })
const shown = new WeakMap<NodeRecord, RunFacts['nodes'][number]>()

export type SubRuns = (placed: PlacedStep, actor: ActorState) => { run: RunKey; status: RunStatus }[]

/** @param subRuns looks up the sub DAG runs of a call @param wanted address of a single actor; absent: all */
export function actorsOf(seen: Seen, subRuns: SubRuns, wanted?: string): ActorFacts[] {
  const actors = [...seen.state.actors.values()].filter(({ address }) => wanted === undefined || address === wanted)
  const byAddress = new Map(seen.places.map((placed) => [placed.address, placed]))
  const isAlone = wanted !== undefined
  return actors.map((actor) => {
    const placed = byAddress.get(addressOfStep(actor))
    return actorFacts(seen, { actor, placed, isAlone }, subRuns)
  })
}

const addressOfStep = ({ kind, address }: ActorState) => (kind === 'call' ? address.replace(/\/attempt$/, '') : address)

/** The actor has ended, or its run has. */
function isDone(seen: Seen, { kind, path, isGone }: ActorState): boolean {
  const machine = MACHINES.get(kind)
  const isFinal = machine !== undefined && statesOn(machine, path).at(-1)?.type === 'final'
  return isFinal || isGone === true || seen.state.parked || (kind !== 'run' && isOver(seen))
}

/** Undefined: there is no such actor, or it has ended. */
export function copyOfActor(seen: Seen, address: string): Copied | undefined {
  const { run, plan, state, places } = seen
  const actor = state.actors.get(address)
  const machine = actor && MACHINES.get(actor.kind)
  if (!machine || isDone(seen, actor)) return undefined
  const placed = places.find((one) => one.address === addressOfStep(actor))
  const others = [...state.actors.values()].filter((other) => !isDone(seen, other))
  return {
    machine,
    path: actor.path,
    context: wholeContext(run, plan, state, actor, placed, places),
    shown: storedContext(actor, plan, placed),
    children: others.flatMap((other) =>
      other.address.startsWith(`${address}/`) ? [other.address.slice(address.length + 1)] : []
    )
  }
}

/** What its plan says of it, and whether the run has had a worker. */
function knownOf({ plan, state, address }: Seen, { kind, memory }: ActorState, placed: PlacedStep | undefined): Known {
  const isPlaced = [memory, state.actors.get(address)?.memory].some((it) => it?.placement ?? it?.loss ?? it?.worker)
  if (kind === 'run') return knownOfRun(plan, isPlaced || plan.workerSelector !== undefined)
  if (kind !== 'node' || !placed) return UNKNOWN
  const { step, place } = placed
  return knownOfNode({
    step,
    place,
    ...interruption({ plan }, step),
    ignoresRetry: memory.ignoresRetry === true,
    isPlaced: isPlaced || (step.workerSelector ?? plan.workerSelector) !== undefined
  })
}

interface Wanted {
  actor: ActorState
  placed: PlacedStep | undefined
  /** No other actor is asked for. */
  isAlone: boolean
}

function actorFacts(seen: Seen, { actor, placed, isAlone }: Wanted, subRuns: SubRuns): ActorFacts {
  const { run, plan, state, places, address: runAddress } = seen
  const { address, kind, path, since, seq } = actor
  const machine = MACHINES.get(kind)
  const on = machine ? statesOn(machine, path) : []
  const hasEnded = isDone(seen, actor)
  const context = wholeContext(run, plan, state, actor, placed, places)
  const answers = machine && !hasEnded ? answersIn(machine, path, context) : { accepts: [], refuses: [] }
  return {
    address,
    machine: kind,
    ...(placed ? { step: placed.step.name } : {}),
    ...(kind === 'run' ? {} : { parent: kind === 'call' ? (placed?.address ?? runAddress) : runAddress }),
    states: on.map(({ path }) => path.join('.')),
    tags: [...new Set(on.flatMap(({ tags }) => tags))],
    status: hasEnded ? 'done' : 'active',
    since,
    seq,
    context: storedContext(actor, plan, placed),
    ...answers,
    ...(kind === 'call' && placed ? { subRuns: subRuns(placed, actor) } : {}),
    ...(machine && isAlone ? { reach: reachOf(machine, knownOf(seen, actor, placed)) } : {})
  }
}

/** The run has ended, and with it all remaining actors. */
function isOver({ state, address }: Seen): boolean {
  const path = state.actors.get(address)?.path
  const machine = MACHINES.get('run')
  return path !== undefined && machine !== undefined && statesOn(machine, path).at(-1)?.type === 'final'
}

/** Status of the run after the latest applied event. */
export const statusIn = ({ status, isQueued }: ReplayedRun): RunStatus =>
  status ?? (isQueued ? 'queued' : 'not_started')

/** Causes of a record, nearest first. */
export function causesOf(record: JournalRecord, at: (seq: number) => JournalRecord | undefined): JournalRecord[] {
  const causes: JournalRecord[] = []
  for (let { cause } = record; cause !== undefined; ) {
    const before = at(cause)
    if (!before || before.seq >= (causes.at(-1)?.seq ?? record.seq)) break // each cause is older than its effect
    causes.push(before)
    cause = before.cause
  }
  return causes
}
