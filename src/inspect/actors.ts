/** The actors of a run as of an event, with what each would take next. Source: architecture 9; docs/inspect.md. */
import type { JournalRecord, NodeRecord, Plan, RunKey, RunStatus } from '../../machines/vocabulary.ts'
import { answersIn, statesOn } from './accepts.ts'
import { MACHINES } from './charts.ts'
import { nodeAt, type PlacedStep, placesOf, storedContext, wholeContext } from './contexts.ts'
import type { ActorFacts, RunFacts } from './facts.ts'
import { type ActorState, isRunAddress, type RunState } from './replay.ts'

export interface Seen {
  run: RunKey
  plan: Plan
  state: RunState
  /** Address of the run in its own journal. */
  address: string
  places: PlacedStep[]
  /** The same by name of the step. */
  byName: ReadonlyMap<string, PlacedStep>
  /** The record of a node then. Made once: an explanation asks for those of all others again and again. */
  node(placed: PlacedStep): NodeRecord
  /** Names of the steps and handlers that were running. */
  running: string[]
}

export function seenAs(run: RunKey, plan: Plan, state: RunState): Seen {
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

/** The same object for the same record: few have changed since the last look. */
export const nodesOf = ({ places, node }: Seen): RunFacts['nodes'] =>
  places.map((placed) => {
    const record = node(placed)
    const facts = told.get(record) ?? Object.freeze({ ...record, handler: typeof placed.place !== 'number' })
    told.set(record, facts)
    return facts
  })
const told = new WeakMap<NodeRecord, RunFacts['nodes'][number]>()

export type SubRuns = (placed: PlacedStep, actor: ActorState) => { run: RunKey; status: RunStatus }[]

/** @param subRuns looks up what a call has begun @param wanted address of the only one; absent: all */
export function actorsOf(seen: Seen, subRuns: SubRuns, wanted?: string): ActorFacts[] {
  const actors = [...seen.state.actors.values()].filter(({ address }) => wanted === undefined || address === wanted)
  const byAddress = new Map(seen.places.map((placed) => [placed.address, placed]))
  return actors.map((actor) => {
    const placed = byAddress.get(actor.kind === 'call' ? actor.address.replace(/\/attempt$/, '') : actor.address)
    return actorFacts(seen, actor, placed, subRuns)
  })
}

function actorFacts(seen: Seen, actor: ActorState, placed: PlacedStep | undefined, subRuns: SubRuns): ActorFacts {
  const { run, plan, state, places, address: runAddress } = seen
  const { address, kind, path, since, seq } = actor
  const machine = MACHINES.get(kind)
  const on = machine ? statesOn(machine, path) : []
  const isDone = on.at(-1)?.type === 'final' || actor.isGone || state.parked || (kind !== 'run' && isOver(seen))
  const context = wholeContext(run, plan, state, actor, placed, places)
  const answers = machine && !isDone ? answersIn(machine, path, context) : { accepts: [], refuses: [] }
  return {
    address,
    machine: kind,
    ...(placed ? { step: placed.step.name } : {}),
    ...(kind === 'run' ? {} : { parent: kind === 'call' ? (placed?.address ?? runAddress) : runAddress }),
    states: on.map(({ path }) => path.join('.')),
    tags: [...new Set(on.flatMap(({ tags }) => tags))],
    status: isDone ? 'done' : 'active',
    since,
    seq,
    context: storedContext(actor, plan, placed),
    ...answers,
    ...(kind === 'call' && placed ? { subRuns: subRuns(placed, actor) } : {})
  }
}

/** The run has ended, and took with it whoever was left. */
function isOver({ state, address }: Seen): boolean {
  const path = state.actors.get(address)?.path
  const machine = MACHINES.get('run')
  return path !== undefined && machine !== undefined && statesOn(machine, path).at(-1)?.type === 'final'
}

/** Status of the run after the latest event that was taken. */
export const statusIn = ({ status, isQueued }: RunState): RunStatus => status ?? (isQueued ? 'queued' : 'not_started')

/** Records that led to one, nearest first. */
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
