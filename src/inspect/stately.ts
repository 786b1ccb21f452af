/**
 * What Stately's tools take: a chart as the config of a machine for their editor, and what happens as records of the protocol that
 * `@statelyai/inspect` speaks. Source: docs/inspect.md.
 */
import type { JournalRecord } from '../../machines/vocabulary.ts'
import { chart } from './charts.ts'
import type { Chart, ChartState, ChartTransition } from './facts.ts'
import { isRunAddress } from './replay.ts'

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

/** One record of the protocol. Addresses take the place of session ids. */
export type InspectionRecord = Record<string, unknown> & {
  type: '@xstate.actor' | '@xstate.event' | '@xstate.snapshot'
}
const PROTOCOL = '0.4.0'

/**
 * What is to be told of a transition; addresses that were told of before are not introduced again.
 * @param context all that the actor remembers @param introduced changed in place
 */
export function inspectionRecords(
  record: JournalRecord,
  context: Record<string, unknown>,
  introduced: Set<string>
): InspectionRecord[] {
  const { actor, at, seq, event, to, status } = record
  const parts = actor.split('/')
  const root = parts.slice(0, 3).join('/')
  const machine = isRunAddress(actor)
    ? 'run'
    : parts[0] === 'queue'
      ? 'queue'
      : record.step === undefined
        ? 'call'
        : 'node'
  const base = { sessionId: actor, rootId: root, createdAt: String(at), _version: PROTOCOL }
  const snapshot = { status: isEnd(status) ? 'done' : 'active', value: stateValue(to), context }
  const said: InspectionRecord[] = []
  if (record.from === '' || !introduced.has(actor)) {
    introduced.add(actor)
    const found = chart(machine)
    said.push({
      ...base,
      type: '@xstate.actor',
      id: `${actor}#${seq}.actor`,
      name: actor,
      parentId:
        machine === 'run' || machine === 'queue' ? undefined : machine === 'node' ? root : parts.slice(0, -1).join('/'),
      snapshot,
      definition: found ? JSON.stringify(machineConfig(found)) : undefined
    })
  }
  return [
    ...said,
    { ...base, type: '@xstate.event', id: `${actor}#${seq}.event`, event: { type: event }, sourceId: undefined },
    { ...base, type: '@xstate.snapshot', id: `${actor}#${seq}.snapshot`, event: { type: event }, snapshot }
  ]
}

/** A status that something ends with. */
export const isEnd = (status: string | undefined): boolean =>
  status !== undefined && !['running', 'queued', 'not_started'].includes(status)

/** `attempting.executing` as XState writes it: `{ attempting: 'executing' }`. */
function stateValue(path: string): unknown {
  const [first = '', ...rest] = path.split('.')
  return rest.length === 0 ? first : { [first]: stateValue(rest.join('.')) }
}
