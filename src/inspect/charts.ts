/** The charts as data, made from the machines. Source: architecture 9; docs/inspect.md. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { getStateNodes } from 'xstate/graph'
import { callMachine } from '../../machines/call.ts'
import { deliveryMachine } from '../../machines/delivery.ts'
import { engineMachine } from '../../machines/engine.ts'
import { nodeMachine } from '../../machines/node.ts'
import { queueMachine } from '../../machines/queue.ts'
import { type Known, reachableIn } from '../../machines/reach/reach.ts'
import { restartMachine } from '../../machines/restart.ts'
import { runMachine } from '../../machines/run.ts'
import { schedulerMachine } from '../../machines/scheduler.ts'
import { workerMachine } from '../../machines/worker.ts'
import type { Chart, ChartState, ChartSummary, ChartTransition, Reached } from './inspection.ts'

/** Parents before children. */
export const MACHINES: ReadonlyMap<string, AnyStateMachine> = new Map(
  [
    engineMachine,
    schedulerMachine,
    restartMachine,
    queueMachine,
    runMachine,
    nodeMachine,
    callMachine,
    workerMachine,
    deliveryMachine
  ].map((machine: AnyStateMachine) => [machine.id, machine])
)

export const charts = (): ChartSummary[] =>
  Array.from(MACHINES.values(), ({ id, root }) => ({ id, description: root.description ?? '' }))

/** Undefined: there is no such chart. */
export function chart(id: string): Chart | undefined {
  const machine = MACHINES.get(id)
  if (!machine) return undefined
  const { root, events, implementations } = machine
  return {
    id,
    description: root.description ?? '',
    initial: initialOf(root) ?? '',
    events: [...events].sort(),
    actors: Object.entries(implementations.actors).map(([name, logic]) => ({ name, ...machineOf(logic) })),
    transitions: transitionsOf(root),
    states: Object.values(root.states).map(stateOf)
  }
}

/** Path of a state from the root, such as `attempting.executing`. */
const pathOf = ({ path }: AnyStateNode) => path.join('.')

function stateOf(node: AnyStateNode): ChartState {
  const { machine } = node
  const initial = initialOf(node)
  return {
    path: pathOf(node),
    key: node.key,
    type: node.type,
    description: node.description ?? '',
    tags: [...node.tags],
    ...(initial === undefined ? {} : { initial }),
    states: Object.values(node.states).map(stateOf),
    invokes: node.invoke.map(({ id, src }) => ({
      id: /^\d+\./.test(id) ? String(src) : id, // XState makes up an id where the chart has none
      ...machineOf(machine.implementations.actors[String(src)])
    })),
    entry: node.entry.map(nameOf),
    exit: node.exit.map(nameOf),
    transitions: transitionsOf(node)
  }
}

/** Only a compound state has one. */
const initialOf = (node: AnyStateNode): string | undefined =>
  node.type === 'compound' ? node.initial.target?.map(pathOf)[0] : undefined

const declaredIn = (node: AnyStateNode) => [...node.transitions.values(), node.always ?? []].flat()

/** Each state that can be reached, with the places of the transitions that can be taken in the list that its chart has of them. */
export function reachOf(machine: AnyStateMachine, known: Known): Reached[] {
  const reached = reachableIn(machine, known)
  return [machine.root, ...getStateNodes(machine)].flatMap((node) => {
    const taken = reached.get(pathOf(node))
    if (!taken) return []
    return [{ path: pathOf(node), transitions: declaredIn(node).flatMap((one, at) => (taken.has(one) ? [at] : [])) }]
  })
}

function transitionsOf(node: AnyStateNode): ChartTransition[] {
  return declaredIn(node).map(({ eventType, target, guard, actions, description }) => ({
    event: eventType,
    targets: target?.map(pathOf) ?? [],
    ...(guard === undefined ? {} : { guard: nameOf(guard) }),
    actions: actions.map(nameOf),
    ...(description === undefined ? {} : { description })
  }))
}

/** Name of a guard or an action: the charts have no inline ones. Fixed params are part of it. */
function nameOf(named: unknown): string {
  if (typeof named === 'string') return named
  const { type, params }: { type?: string; params?: unknown } = Object(named)
  const fixed = typeof params === 'object' && params !== null ? ` (${Object.values(params).join(', ')})` : ''
  return `${type ?? 'unnamed'}${fixed}`
}

function machineOf(logic: unknown): { machine?: string } {
  const { id }: { id?: unknown } = Object(logic)
  return typeof id === 'string' && MACHINES.has(id) ? { machine: id } : {}
}
