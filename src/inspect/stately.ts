/**
 * Formats of Stately's tools: a chart as a machine config for their editor, and transitions as records of the protocol of
 * `@statelyai/inspect`. Source: docs/inspect.md.
 */
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { statesOn } from './accepts.ts'
import { chart, MACHINES } from './charts.ts'
import type { Chart, ChartState, ChartTransition } from './inspection.ts'
import { isRunAddress, type ReplayedRun } from './replay.ts'

/** JSON of a machine config: no functions, names for everything. */
export type MachineConfig = Record<string, unknown>

export const machineConfig = ({ id, description, initial, states, transitions }: Chart): MachineConfig => ({
  id,
  description,
  initial,
  ...handlersOf(id, transitions),
  states: Object.fromEntries(states.map((state) => [state.key, stateConfig(id, state)]))
})

function stateConfig(id: string, state: ChartState): MachineConfig {
  const { key: _, description, type, tags, initial, states, invokes, entry, exit, transitions } = state
  return {
    description,
    ...(type === 'final' || type === 'parallel' ? { type } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(initial === undefined ? {} : { initial: initial.split('.').at(-1) }),
    ...(invokes.length > 0
      ? { invoke: invokes.map((invoke) => ({ id: invoke.id, src: invoke.machine ?? invoke.id })) }
      : {}),
    ...(entry.length > 0 ? { entry: entry.map(named) } : {}),
    ...(exit.length > 0 ? { exit: exit.map(named) } : {}),
    ...handlersOf(id, transitions),
    ...(states.length > 0
      ? { states: Object.fromEntries(states.map((inner) => [inner.key, stateConfig(id, inner)])) }
      : {})
  }
}

const named = (type: string) => ({ type })

function handlersOf(id: string, transitions: readonly ChartTransition[]): MachineConfig {
  const on: Record<string, unknown[]> = {}
  const always: unknown[] = []
  for (const { event, targets, guard, actions, description } of transitions) {
    const [target] = targets
    const config = {
      ...(target === undefined ? {} : { target: `#${id}.${target}` }),
      ...(guard === undefined ? {} : { guard: named(guard) }),
      ...(actions.length > 0 ? { actions: actions.map(named) } : {}),
      ...(description === undefined ? {} : { description })
    }
    if (event === '') always.push(config)
    else on[event] = [...(on[event] ?? []), config]
  }
  return { ...(Object.keys(on).length > 0 ? { on } : {}), ...(always.length > 0 ? { always } : {}) }
}

/** One record of the protocol. Session ids are addresses. */
export type InspectionRecord = Record<string, unknown> & {
  type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot'
}
const PROTOCOL = '0.7.0'

/** What the records of a transition depend on. */
export interface Transition {
  /** The run after the transition. */
  state: ReplayedRun
  /** Address of the actor that sent the event; absent: it came from outside. */
  sender?: string | undefined
  /** Addresses that the inspector knows; changed in place. */
  introduced: Set<string>
}

/**
 * The records of a transition. Unknown actors are introduced first, parents before children. A node that its run has resolved without
 * an actor is not one.
 */
export function inspectionRecords(
  record: JournalRecord,
  { state, sender, introduced }: Transition
): InspectionRecord[] {
  const { actor, at, seq, event, from, to } = record
  const isThrown = event === 'node.settled' && introduced.has(actor)
  if (event === 'node.set' || event === 'run.parked' || (event === 'node.settled' && !isThrown)) return []
  const snapshot = isThrown
    ? { ...snapshotOf(actor, to, state), status: 'error', error: String(record.context?.error ?? '') }
    : snapshotOf(actor, to, state)
  const base = (address: string) => ({
    sessionId: address,
    rootId: rootOf(address),
    createdAt: String(at),
    _version: PROTOCOL
  })
  const introductions = (address: string): InspectionRecord[] => {
    if (introduced.has(address) && !(address === actor && from === '')) return []
    introduced.add(address)
    const parentId = parentOf(address)
    const path = address === actor ? to : (state.actors.get(address)?.path ?? '')
    const introduction = {
      ...base(address),
      type: '@xstate.actor' as const,
      id: `${address}#${seq}.actor`,
      name: address,
      parentId,
      snapshot: snapshotOf(address, path, state),
      definition: definitionOf(machineOf(address))
    }
    return [...(parentId === undefined ? [] : introductions(parentId)), introduction]
  }
  const own = { ...base(actor), event: { type: event } }
  return [
    ...introductions(actor),
    { ...own, type: '@xstate.event', id: `${actor}#${seq}.event`, sourceId: sender },
    { ...own, type: '@xstate.snapshot', id: `${actor}#${seq}.snapshot`, snapshot }
  ]
}

function snapshotOf(address: string, path: string, { actors }: ReplayedRun) {
  const isOver = isFinal(machineOf(address), path)
  return { status: isOver ? 'done' : 'active', value: stateValue(path), context: actors.get(address)?.memory ?? {} }
}

/** The kind of an actor follows from its address: `queue/q`, `run/etl/r1`, below it `node/load`, `handler/onExit`, `node/kids/attempt`. */
const rootOf = (address: string) => address.split('/').slice(0, 3).join('/')

function machineOf(address: string): string {
  if (isRunAddress(address)) return 'run'
  if (address.startsWith('queue/')) return 'queue'
  return address.split('/').length > 5 ? 'call' : 'node'
}

function parentOf(address: string): string | undefined {
  const machine = machineOf(address)
  if (machine === 'node') return rootOf(address)
  return machine === 'call' ? address.slice(0, address.lastIndexOf('/')) : undefined
}

/** Whether a chart ends in a state. */
export function isFinal(machine: string, path: string): boolean {
  const found = MACHINES.get(machine)
  return found !== undefined && statesOn(found, path).at(-1)?.type === 'final'
}

const definitions = new Map<string, string>()

/** A chart as text for the introduction of an actor. Cached: each node of a run is introduced. */
function definitionOf(machine: string): string {
  const known = definitions.get(machine)
  if (known !== undefined) return known
  const found = chart(machine)
  const text = JSON.stringify(found ? machineConfig(found) : { id: machine })
  definitions.set(machine, text)
  return text
}

/** `attempting.executing` as XState writes it: `{ attempting: 'executing' }`. */
function stateValue(path: string): unknown {
  const [first = '', ...rest] = path.split('.')
  return rest.length === 0 ? first : { [first]: stateValue(rest.join('.')) }
}
