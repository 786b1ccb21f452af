/** Which events an actor in a state would accept, by the transitions and guards of its chart. Source: docs/inspect.md. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import type { ActorFacts } from './inspection.ts'

// D903: `accepts` includes events whose guard reads the event
/** The state nodes on the way to a path, outer ones first; those that the chart lacks are left out. */
export function statesOn(machine: AnyStateMachine, path: string): AnyStateNode[] {
  const found: AnyStateNode[] = []
  let node: AnyStateNode | undefined = machine.root
  for (const key of path.split('.')) {
    node = node?.states[key]
    if (node) found.push(node)
  }
  return found
}

type Answers = Pick<ActorFacts, 'accepts' | 'refuses'>

/**
 * An event is accepted when one of its transitions has no guard, a guard that passes, or one that depends on the payload of the
 * event, which is not known in advance.
 */
export function answersIn(machine: AnyStateMachine, path: string, context: Record<string, unknown>): Answers {
  const accepts = new Set<string>()
  const refused = new Map<string, string>()
  for (const node of [...statesOn(machine, path).reverse(), machine.root])
    for (const [event, transitions] of node.transitions)
      for (const { guard } of transitions) {
        const no = guardThatRefuses(machine, guard, event, context)
        if (no === undefined) accepts.add(event)
        else if (!refused.has(event)) refused.set(event, no)
      }
  return {
    accepts: [...accepts].sort(),
    refuses: [...refused].filter(([event]) => !accepts.has(event)).map(([event, guard]) => ({ event, guard }))
  }
}

type Named = { type: string; params?: unknown }
type Predicate = (args: { context: unknown; event: unknown }, params: unknown) => boolean

/** Name of the guard; undefined: it passes, or is undecided. */
function guardThatRefuses(
  { implementations }: AnyStateMachine,
  guard: unknown,
  event: string,
  context: unknown
): string | undefined {
  if (guard === undefined) return undefined
  const { type, params }: Named = typeof guard === 'string' ? { type: guard } : Object(guard)
  if (typeof params === 'function') return undefined
  const says: Predicate | undefined = implementations.guards[type]
  try {
    return says?.({ context, event: { type: event } }, params) === false ? type : undefined
  } catch {
    return undefined // it looks at something of the event that only a real one has
  }
}
