/**
 * A chart read as what it allows: whether an event may lead from one state to another, whatever the guards say. A journal has
 * states and names of events, and no payloads: this is how far it can be held against a chart. Source: reliability T14.
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** Whether there is such a state. @param path such as `attempting.executing` */
export const hasState = (machine: AnyStateMachine, path: string): boolean => nodeAt(machine, path) !== undefined

/** Whether the chart can go from one state to another by this event. An empty `from`: it comes into being. */
export function mayLead(machine: AnyStateMachine, from: string, event: string, to: string): boolean {
  if (from === '') return settledFrom(machine.root).has(to)
  const state = nodeAt(machine, from)
  if (!state) return false
  const transitions = transitionsOf(state, event)
  if (transitions.length === 0) return from === to // nobody minds
  return transitions.some(({ target }) =>
    target ? target.some((node) => settledFrom(node).has(to)) : from === to || settledFrom(state).has(to)
  )
}

/** Those of the state and of all around it: an outer one counts where no inner one applies. */
function transitionsOf(state: AnyStateNode, event: string): { target: readonly AnyStateNode[] | undefined }[] {
  const own = [...state.transitions].flatMap(([name, transitions]) => (matches(name, event) ? transitions : []))
  return [...own, ...(state.parent ? transitionsOf(state.parent, event) : [])]
}

const matches = (name: string, event: string) =>
  name.endsWith('*') ? event.startsWith(name.slice(0, -1)) : name === event

/** Where it may rest when it enters a state: `always` may be taken, and may be passed over. */
function settledFrom(entered: AnyStateNode): Set<string> {
  const rests = new Set<string>()
  const seen = new Set<AnyStateNode>()
  const visit = (node: AnyStateNode): void => {
    if (seen.has(node)) return
    seen.add(node)
    const inner = Object.keys(node.states).length > 0 ? (node.initial.target ?? []) : []
    for (const state of inner) visit(state)
    if (inner.length === 0) rests.add(node.path.join('.'))
    for (let around: AnyStateNode | undefined = node; around; around = around.parent)
      for (const { target } of around.always ?? []) for (const state of target ?? []) visit(state)
  }
  visit(entered)
  return rests
}

const nodeAt = (machine: AnyStateMachine, path: string): AnyStateNode | undefined =>
  path.split('.').reduce<AnyStateNode | undefined>((node, key) => node?.states[key], machine.root)
