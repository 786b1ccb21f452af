/**
 * The `assign` actions of a chart, provided in place of XState's own: the same functions with the same arguments, at a sixth of the
 * cost. XState copies a context with `Object.assign`, after which V8 keeps an object of more than sixteen members (a node's context
 * has twenty) in dictionary mode: later copies, reads and serializations cost several times as much. XState also recomputes state and
 * tags, which an `assign` does not change. The charts say what they decide. Source: performance 6; pinned in
 * `test/actors/journal/quick-assigns.test.ts`.
 */
import type { AnyStateMachine } from 'xstate'

type Assignment = (args: object, params: unknown) => object
/** What a member of the context may be: JSON, so no function. */
type Value = string | number | boolean | object | null | undefined
/** The result of XState's `assign(...)`; not in its types. */
interface Assign {
  type: 'xstate.assign'
  assignment: Assignment | Record<string, Assignment | Value>
}
/** An `assign` as XState calls it: returns the next snapshot, and nothing to execute. */
type Resolve = (
  scope: { self: unknown; system: unknown },
  snapshot: { context: object },
  args: { context: object; event: unknown },
  params: unknown
) => [snapshot: object, params: undefined, actions: undefined]

// D40: charts run with our own assigns
/** By name. Those that spawn stay XState's. */
export function quickAssigns<M extends AnyStateMachine>(
  machine: M
): NonNullable<Parameters<M['provide']>[0]['actions']> {
  const found = Object.entries<unknown>(machine.implementations.actions).flatMap(([name, action]) =>
    isAssign(action) && !mentionsSpawn(action) ? [[name, quick(action)] as const] : []
  )
  return Object.fromEntries(found) as never // to XState each is an action of the same name and type
}

/** An action that is a function may be one of XState's, which carry their type. */
const isAssign = (action: unknown): action is Assign =>
  typeof action === 'function' && 'type' in action && action.type === 'xstate.assign'

/** Whether an `assign` may use `spawn`: its source text would contain the word. */
const mentionsSpawn = ({ assignment }: Assign): boolean =>
  (typeof assignment === 'function' ? [assignment] : Object.values(assignment)).some((part) =>
    String(part).includes('spawn')
  )

function quick(action: Assign) {
  const { assignment } = action
  const changesIn: Assignment =
    typeof assignment === 'function'
      ? assignment
      : (args, params) =>
          Object.fromEntries(
            Object.entries(assignment).map(([name, part]) => [
              name,
              typeof part === 'function' ? part(args, params) : part
            ])
          )
  const resolve: Resolve = ({ self, system }, snapshot, { context, event }, params) => {
    const changes = changesIn({ context, event, self, system }, params)
    return [{ ...snapshot, context: { ...snapshot.context, ...changes } }, undefined, undefined]
  }
  return Object.assign(() => {}, action, { resolve })
}
