/**
 * Wraps a machine so that each of its transitions is noted, without XState's `inspect` (which makes every event 2.5 x as
 * dear), and so that an actor may begin with what was stored of it.
 */
import type { AnyActorRef, AnyEventObject, AnyMachineSnapshot, AnyStateMachine } from 'xstate'
import { alike } from './normalized-ends.ts'

export interface Recorder {
  /** An actor is about to process `event`. @returns what `noted` is given when it has */
  begin(actor: AnyActorRef, event: AnyEventObject): Transition | undefined
  noted(transition: Transition, actor: AnyActorRef, from: AnyMachineSnapshot | undefined, to: AnyMachineSnapshot): void
  /** What was stored of an actor that is about to come into being; given out once. Absent: it comes with what was stored of its parent. */
  stored?(actor: AnyActorRef): unknown
  /** The same for all recorders of a system. */
  readonly trail: Trail
}
export interface Trail {
  /** The transition whose effects are happening. */
  cause: Transition | undefined
}
export interface Transition {
  seq: number
  /** Counts the transitions of all actors: in which order they began. */
  order: number
  event: string
  cause: number | undefined
  /** The recorder's own note. */
  who: unknown
}

const BIRTH = { type: 'xstate.init' }
const STOP = 'xstate.stop'

// D3
/** The same machine, noted by `recorder`. */
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
      // Effects happen after the transition, when others may have been noted in between: each keeps its own cause.
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
  /** XState looks for actors in all of a context; in those that were stored there are none, and a plan may be large. */
  const restored = (stored: Restorable, scope: Scope) =>
    Object.assign(machine.restoreSnapshot({ ...stored, context: {} } as Restorable, scope), {
      context: (stored as unknown as { context: object }).context // as `persisted.ts` made it
    })
  return Object.assign(Object.create(machine), {
    restoreSnapshot: restored,
    transition: (snapshot: AnyMachineSnapshot, event: AnyEventObject, scope: Scope) =>
      event.type === STOP
        ? machine.transition(snapshot, event, scope)
        : noting(scope, event, snapshot, (scope) => machine.transition(snapshot, alike(event), scope)),
    getInitialSnapshot(scope: Scope, input: unknown) {
      const stored = recorder.stored?.(scope.self)
      if (stored) return restored(stored as Restorable, scope)
      return noting(scope, BIRTH, undefined, (scope) => machine.getInitialSnapshot(scope, input))
    }
  })
}

/** A state as text: `attempting.executing`. */
export function pathOf(value: unknown): string {
  if (typeof value === 'string') return value
  return Object.entries(value as Record<string, unknown>)
    .map(([key, inner]) => `${key}.${pathOf(inner)}`)
    .join(',')
}
