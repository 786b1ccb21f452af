/**
 * What an event would do to an actor, tried on a copy of it: the chart computes the next state, and nothing of what it asks for is
 * carried out. Source: docs/inspect.md.
 */
import {
  type AnyActorRef,
  type AnyActorScope,
  type AnyMachineSnapshot,
  type AnyStateMachine,
  createActor,
  type StateValue
} from 'xstate'
import { TroupeError } from '../errors.ts'
import { statesOn } from './accepts.ts'
import type { Preview } from './inspection.ts'

/** An actor as of an event. */
export interface Copied {
  machine: AnyStateMachine
  /** Innermost active state. */
  path: string
  /** With everything that guards and actions read. */
  context: Record<string, unknown>
  /** The part of it that is published. */
  shown: Record<string, unknown>
  /** The actors that it has, by the names that its chart gives them. */
  children: readonly string[]
}

// D1290: what an event would do is computed by the server
/**
 * @param event with `type`, and the members that the chart reads
 * @throws TroupeError bad_request: the chart has no such event, or needs a member that the event lacks
 */
export function previewOf(
  { machine, path, context, shown, children }: Copied,
  event: { type: string; [member: string]: unknown }
): Preview {
  if (!machine.events.includes(event.type))
    throw new TroupeError('bad_request', `event: the chart ${machine.id} has no event ${JSON.stringify(event.type)}`)
  const on = statesOn(machine, path)
  const before: AnyMachineSnapshot = machine.resolveState({ value: nested(on.map(({ key }) => key)), context })
  const invoked = on.flatMap(({ invoke }) => invoke.map(({ id }) => id))
  const copy = { ...before, children: standIns([...invoked, ...SPAWNED, ...children]) }
  const actions: Wanted[] = []
  let after: AnyMachineSnapshot
  try {
    after = machine.transition(
      copy,
      event,
      inertScope(machine, copy, (action) => actions.push(action))
    )
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    throw new TroupeError('bad_request', `event: ${event.type} cannot be tried without more members: ${why}`)
  }
  const states = after._nodes
    .map(({ path }) => path.join('.'))
    .filter((name) => name !== '')
    .sort((one, other) => one.length - other.length)
  const effects = actions.flatMap((action) => effectOf(action) ?? [])
  const changed = Object.keys({ ...context, ...after.context }).filter((name) => context[name] !== after.context[name])
  const next = [...new Set([...Object.keys(shown), ...changed])]
    .filter((name) => !INNER.has(name) && after.context[name] !== undefined)
    .map((name) => [name, after.context[name]] as const)
  return {
    event: event.type,
    isTaken: states.at(-1) !== path || effects.length > 0 || changed.length > 0,
    states,
    context: Object.fromEntries(next),
    effects
  }
}

/** Members of a whole context that follow from the definition, and outputs, which may be large. */
const INNER: ReadonlySet<string> = new Set(['run', 'key', 'plan', 'step', 'runState', 'output', 'outputMarks'])

/** `attempting.executing` as a value of XState. */
const nested = (keys: readonly string[]): StateValue =>
  keys.slice(0, -1).reduceRight<StateValue>((inner, key) => ({ [key]: inner }), keys.at(-1) ?? '')

interface Wanted {
  type: string
  params?: unknown
}

/** Like that of XState's `transition`, of an actor that has a parent and the children of the copy. Nothing is carried out. */
function inertScope(machine: AnyStateMachine, copy: AnyMachineSnapshot, want: (action: Wanted) => void): AnyActorScope {
  const self: AnyActorRef = createActor(machine)
  self.getSnapshot = () => copy
  Object.assign(self, { _parent: standIns(['parent']).parent })
  const nothing = () => {}
  return {
    self,
    id: '',
    sessionId: '',
    system: self.system,
    defer: nothing,
    logger: nothing,
    stopChild: nothing,
    emit: nothing,
    actionExecutor: want
  }
}

/** In the place of actors that the copy would send to: they get nothing. */
function standIns(ids: readonly string[]): Record<string, AnyActorRef> {
  const one = (id: string) => ({ id, sessionId: id, send() {}, getSnapshot: () => undefined }) as unknown as AnyActorRef // all that a transition reads of one
  return Object.fromEntries(ids.map((id) => [id, one(id)]))
}
/** Actors that charts of steps spawn: the journal does not say which of them there are. */
const SPAWNED = ['attempt', 'timeout', 'placing']

/** An action that XState would carry out; changes of the context have happened in the copy, and what ends with its state is not told. */
function effectOf({ type, params }: Wanted): Effect | undefined {
  const { event, to, targetId, src }: Record<string, unknown> = Object(params)
  const named = (what: unknown): string => (typeof what === 'string' ? what : String(Object(what).id ?? ''))
  if (type === 'xstate.sendTo') return { kind: 'sends', what: String(Object(event).type), to: named(targetId ?? to) }
  if (type === 'xstate.spawnChild') return { kind: 'starts', what: named(src), to: '' }
  return type.startsWith('xstate.') ? undefined : { kind: 'does', what: type, to: '' }
}
type Effect = Preview['effects'][number]
