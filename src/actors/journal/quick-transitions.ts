/**
 * Takes the transitions of a chart with a table of its moves, in place of XState's interpreter, which takes a dozen sets and as many copies
 * of the snapshot for each event. Guards and actions are the chart's, called in the same order with the same arguments; which transition
 * an event causes, XState says, and what the table does not have is left to it: errors and stops. Source: performance 6; pinned in
 * `test/actors/journal/quick-transitions.test.ts`.
 */
import {
  type AnyActorScope,
  type AnyEventObject,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type BuiltinActionResolution,
  stopChild,
  type UnknownAction
} from 'xstate'
import { type Move, type Moves, movesOf } from './chart-moves.ts'
import { quickAssigns } from './quick-assigns.ts'

/** What the functions of XState make, such as `spawnChild(...)`, and a plain function; not in its types. */
interface Resolvable {
  (args: unknown, params: unknown): void
  type: string
  resolve?(
    scope: AnyActorScope,
    snapshot: AnyMachineSnapshot,
    args: object,
    params: unknown,
    action: Resolvable,
    extra: Extra
  ): BuiltinActionResolution
  retryResolve?(scope: AnyActorScope, snapshot: AnyMachineSnapshot, params: unknown): void
  execute?(scope: AnyActorScope, params: unknown): void
}
interface Extra {
  internalQueue: AnyEventObject[]
  deferredActorIds: string[] | undefined
}
interface Turn {
  machine: AnyStateMachine
  moves: Moves
  scope: AnyActorScope
  /** The event at hand: what has come, and then what was raised. */
  event: AnyEventObject
  raised: AnyEventObject[]
}
type Named = { type: string; params?: unknown }

/** A chart as it runs: its actors provided, its assigns and transitions made quick. */
export const quick = <M extends AnyStateMachine>(
  chart: M,
  actors: NonNullable<Parameters<M['provide']>[0]['actors']>
): M => quickTransitions(chart.provide({ actions: quickAssigns(chart), actors }) as M)

// D1782: transitions are taken by a table that is made of the chart
/** The same chart; one with states at the same time, with a history, or with actors in its first context stays as it is. */
export function quickTransitions<M extends AnyStateMachine>(machine: M): M {
  const moves = movesOf(machine)
  const { context } = machine.config
  if (!moves || typeof context !== 'function' || String(context).includes('spawn')) return machine
  return Object.assign(Object.create(machine), {
    transition(snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: AnyActorScope) {
      const { type } = event
      if (snapshot.status !== 'active' || type === 'xstate.stop' || type.startsWith('xstate.error.'))
        return machine.transition(snapshot, event as never, scope)
      const turn: Turn = { machine, moves, scope, event, raised: [] }
      return settled(turn, selected(turn, snapshot))
    },
    getInitialSnapshot(scope: AnyActorScope, input: unknown) {
      const event = { type: 'xstate.init', input }
      const turn: Turn = { machine, moves, scope, event, raised: [] }
      let first = { ...moves.begin.to.resting, context: {}, children: {} }
      try {
        first = { ...first, context: context({ input, self: scope.self } as never) } // no context spawns: see above
        return settled(turn, moved(turn, first, moves.begin))
      } catch (error) {
        return { ...first, tags: new Set(), status: 'error', error }
      }
    }
  })
}

/** After the transition that the event causes; the same snapshot: it causes none. */
function selected(turn: Turn, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
  const { machine, moves, event } = turn
  const [transition] = machine.getTransitionData(snapshot, event)
  return transition ? moved(turn, snapshot, moves.moveFrom(moves.placeOf(snapshot), transition)) : snapshot
}

/** After the transitions that follow by themselves, and those of raised events. */
function settled(turn: Turn, snapshot: AnyMachineSnapshot): AnyMachineSnapshot {
  const { machine, moves, raised } = turn
  let now = snapshot
  let before: AnyMachineSnapshot | undefined
  while (now.status === 'active') {
    const place = moves.placeOf(now)
    const next =
      now === before ? undefined : place.always.find(({ guard }) => holds(machine, guard, now.context, turn.event))
    before = undefined
    if (next) {
      before = now
      now = moved(turn, now, moves.moveFrom(place, next))
    } else {
      const event = raised.shift()
      if (!event) return now
      turn.event = event
      now = selected(turn, now)
    }
  }
  const children = Object.values(now.children as object)
  if (children.length > 0)
    perform(
      turn,
      now,
      children.map((child) => stopChild(child))
    )
  return now
}

function moved(turn: Turn, snapshot: AnyMachineSnapshot, { actions, entered, to }: Move): AnyMachineSnapshot {
  let now = perform(turn, snapshot, actions)
  for (const { actions, invoked } of entered) now = perform(turn, now, actions, invoked)
  if (entered.length === 0) return now
  const { resting, node } = to
  if (resting.status === 'active') return { ...resting, context: now.context, children: now.children }
  const output = outputOf(turn, now, node)
  const { context, children } = perform(turn, now, [...node.exit, ...turn.machine.root.exit])
  return { ...resting, context, children, output } as AnyMachineSnapshot // `resting` is of a state at the end
}

/** What the chart answers at its end. */
function outputOf(
  { machine, scope: { self }, event }: Turn,
  { context }: AnyMachineSnapshot,
  { id, output }: { id: string; output?: unknown }
): unknown {
  const said: unknown = typeof output === 'function' ? output({ context, event, self }) : output
  const whole: unknown = machine.root.output
  return typeof whole === 'function'
    ? whole({ context, event: { type: `xstate.done.state.${id}`, output: said }, self })
    : whole
}

/** @param invoked ids of the actors of the state that is entered: what is sent to them waits until they are there */
function perform(
  turn: Turn,
  snapshot: AnyMachineSnapshot,
  actions: readonly UnknownAction[],
  invoked?: string[],
  retries: ((now: AnyMachineSnapshot) => void)[] | undefined = undefined
): AnyMachineSnapshot {
  const { machine, scope, event, raised } = turn
  const { self, system } = scope
  const later = retries ?? (invoked && invoked.length > 0 ? [] : undefined)
  let now = snapshot
  for (const action of actions) {
    const named: Named | undefined =
      typeof action === 'string' ? { type: action } : typeof action === 'object' ? (action as Named) : undefined
    const found = (named ? machine.implementations.actions[named.type] : action) as Resolvable | undefined
    const { context } = now
    const args = { context, event, self, system }
    const params: unknown = typeof named?.params === 'function' ? named.params({ context, event }) : named?.params
    if (!found?.resolve) {
      const type = named?.type ?? (found?.name || '(anonymous)')
      scope.actionExecutor({ type, info: args, params, exec: found } as never)
      continue
    }
    const [next, resolved, more] = found.resolve(scope, now, args, params, found, {
      internalQueue: raised,
      deferredActorIds: invoked
    })
    now = next
    if (later && found.retryResolve) later.push((now) => found.retryResolve?.(scope, now, resolved))
    if (found.execute) {
      const exec = found.execute.bind(null, scope, resolved)
      scope.actionExecutor({ type: found.type, info: args, params: resolved, exec } as never)
    }
    if (more) now = perform(turn, now, more, invoked, later)
  }
  if (later && !retries) for (const retry of later) retry(now)
  return now
}

/** Whether the guard of a transition without an event holds. */
function holds(machine: AnyStateMachine, guard: unknown, context: unknown, event: AnyEventObject): boolean {
  if (guard === undefined) return true
  const { type, params }: Named = typeof guard === 'string' ? { type: guard } : (guard as Named)
  const found = machine.implementations.guards[type] as (args: object, params: unknown) => boolean
  return found({ context, event }, typeof params === 'function' ? params({ context, event }) : params)
}
