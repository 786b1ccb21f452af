/**
 * Wraps a machine so that each of its transitions is recorded, without XState's `inspect` (which makes every event 2.5 times
 * as expensive), and so that an actor can be created from its stored state.
 */
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { normalized } from './normalized-ends.ts'

export interface Recorder {
  /** An actor is about to process `event`. @returns what `noted` gets afterwards */
  begin(actor: AnyActorRef, event: AnyEventObject): Transition | undefined
  noted(transition: Transition, actor: AnyActorRef, from: AnyMachineSnapshot | undefined, to: AnyMachineSnapshot): void
  /** The stored state of an actor that is about to start; returned once. Absent: it is part of its parent's. */
  stored?(actor: AnyActorRef): unknown
  /** The trail that all recorders of a system share. */
  readonly trail: Trail
}
export interface Trail {
  /** The transition whose effects are happening. */
  cause: Transition | undefined
}
export interface Transition {
  seq: number
  /** Counts the transitions of all actors, in the order in which they started. */
  order: number
  event: string
  cause: number | undefined
  /** Private to the recorder. */
  who: unknown
}

const BIRTH = { type: 'xstate.init' }
const STOP = 'xstate.stop'

// D3: transitions are recorded by wrapping the machine's `transition`
/** A machine, observed by `recorder`. */
export function recorded<M extends AnyStateMachine>(machine: M, recorder: Recorder): M {
  const { trail } = recorder
  type Scope = Parameters<M['transition']>[2]
  const noting = <T extends AnyMachineSnapshot>(
    scope: Scope,
    event: AnyEventObject,
    from: AnyMachineSnapshot | undefined,
    move: (scope: Scope) => T
  ): T => {
    const transition = recorder.begin(scope.self, event)
    if (!transition) return move(scope)
    const outer = trail.cause
    trail.cause = transition
    try {
      // Effects run after the transition, when others may have been recorded in between: each keeps its own cause.
      const defer = (effect: () => void) =>
        scope.defer(() => {
          const outer = trail.cause
          trail.cause = transition
          try {
            effect()
          } finally {
            trail.cause = outer
          }
        })
      const to = move({ ...scope, defer })
      recorder.noted(transition, scope.self, from, to)
      return to
    } finally {
      trail.cause = outer
    }
  }
  type Restorable = Parameters<M['restoreSnapshot']>[0]
  /**
   * Spares XState the search for actors in the context: a stored one has none, and a plan may be large. The casts: `persistedRun` made
   * `stored`, so it has a context, and with another one it is still a snapshot.
   */
  const restored = (stored: Restorable, scope: Scope) =>
    Object.assign(machine.restoreSnapshot({ ...stored, context: {} } as Restorable, scope), {
      context: (stored as unknown as { context: object }).context
    })
  return Object.assign(Object.create(machine), {
    restoreSnapshot: restored,
    transition: (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: Scope) =>
      event.type === STOP
        ? machine.transition(snapshot, event, scope)
        : noting(scope, event, snapshot, (scope) => machine.transition(snapshot, normalized(event), scope)),
    getInitialSnapshot(scope: Scope, input: unknown) {
      const stored = recorder.stored?.(scope.self)
      if (stored) return restored(stored as Restorable, scope)
      return noting(scope, BIRTH, undefined, (scope) => machine.getInitialSnapshot(scope, input))
    }
  })
}

/** A state path: `attempting.executing`. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.entries<unknown>(Object(value))
    .map(([key, inner]) => `${key}.${pathOf(inner)}`)
    .join(',')
}
