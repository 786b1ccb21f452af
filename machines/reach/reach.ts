/**
 * Which states of a chart a thing can be in, given what is known of it before it begins: a search from the initial state over the
 * transitions that can be taken. The charts say how the states follow each other; what is known of a step is in `node-reach.ts`, of a run in
 * `run-reach.ts`. Source: docs/inspect.md "Charts".
 */
import type { AnyStateMachine, AnyStateNode } from 'xstate'

/** What is known of a thing for all of its life. */
export interface Known {
  /** Whether an event can come while a state is active. @param path such as `attempting.executing` */
  hears(event: string, path: string): boolean
  /** Guards of which it is known how they decide: always or never. One that is missing may do either. */
  guards: Readonly<Record<string, boolean | undefined>>
}

/** Nothing is known: whatever the chart allows is possible. */
export const UNKNOWN: Known = { hears: () => true, guards: {} }

interface Choice {
  guard?: unknown
  target?: readonly AnyStateNode[] | undefined
}

// D1730: what a step can reach is searched in the chart, by what its plan says of events and guards
/** The states by their paths, the whole chart as an empty one, each with those of its transitions that can be taken. */
export function reachableIn({ root }: AnyStateMachine, known: Known): Map<string, Set<unknown>> {
  const reached = new Map<string, Set<unknown>>()
  const open: AnyStateNode[] = []
  const enter = (node: AnyStateNode) => {
    const path = node.path.join('.')
    if (reached.has(path)) return
    reached.set(path, new Set())
    if (node.parent) enter(node.parent)
    open.push(node)
  }
  const enterWhole = (node: AnyStateNode) => {
    enter(node)
    if (node.type === 'compound') for (const first of node.initial.target ?? []) enterWhole(first)
    if (node.type === 'parallel') for (const part of Object.values(node.states)) enterWhole(part)
  }
  /** The first that can be taken hides the rest only when it is certain. */
  const choose = ({ path }: AnyStateNode, choices: readonly Choice[]) => {
    for (const choice of choices) {
      const { guard, target = [] } = choice
      const decides = guard === undefined ? true : known.guards[nameOf(guard)]
      if (decides === false) continue
      reached.get(path.join('.'))?.add(choice)
      for (const node of target) enterWhole(node)
      if (decides === true) return
    }
  }
  enterWhole(root)
  for (let node = open.pop(); node; node = open.pop()) {
    choose(node, node.always ?? [])
    for (const [event, choices] of node.transitions) if (known.hears(event, node.path.join('.'))) choose(node, choices)
  }
  return reached
}

/** A guard with a fixed status is known by both, such as `endsAs failed`. */
function nameOf(guard: unknown): string {
  if (typeof guard === 'string') return guard
  const { type, params }: { type?: string; params?: { status?: string } } = Object(guard)
  return params?.status === undefined ? `${type}` : `${type} ${params.status}`
}
