/**
 * What follows from a chart alone about its transitions: which states each one exits and enters, from where it is taken, and with which
 * actions. XState's interpreter finds that out again for each event. Source: performance 6.
 */
import {
  type AnyMachineSnapshot,
  type AnyStateMachine,
  type AnyStateNode,
  type AnyTransitionDefinition,
  spawnChild,
  stopChild,
  type UnknownAction
} from 'xstate'

/** Where a snapshot is: its innermost state. */
export interface Place {
  /** A snapshot of it. */
  resting: AnyMachineSnapshot
  /** Transitions without an event, by precedence. */
  always: AnyTransitionDefinition[]
  /** By transition, as far as they have been taken from here. */
  moves: Map<AnyTransitionDefinition, Move>
  node: AnyStateNode
}

export interface Move {
  /** Exits of states, innermost first, and what the transition does. */
  actions: UnknownAction[]
  entered: Entered[]
  to: Place
}

export interface Entered {
  actions: UnknownAction[]
  /** Ids of the actors that the state invokes. */
  invoked: string[]
}

export interface Moves {
  placeOf(snapshot: AnyMachineSnapshot): Place
  moveFrom(place: Place, transition: AnyTransitionDefinition): Move
  /** Into the first state. */
  readonly begin: Move
}

/** Undefined: a chart with states at the same time, with a history, with an end within another state, or whose root is entered again. */
export function movesOf(machine: AnyStateMachine): Moves | undefined {
  const { root } = machine
  const isEnteredAgain = [...root.transitions.values()].flat().some(({ reenter }) => reenter)
  if (root.type !== 'compound' || !isPlain(root) || isEnteredAgain) return undefined
  const places = new Map<AnyStateNode, Place>()
  const byValue = new Map<unknown, Place>()

  function placeAt(node: AnyStateNode): Place {
    const known = places.get(node)
    if (known) return known
    const resting = machine.resolveState({ value: valueAt(node.path), context: {} })
    const always = lineOf(node).flatMap(({ always = [] }) => always)
    const place = { node, resting, always, moves: new Map() }
    places.set(node, place)
    byValue.set(resting.value, place)
    return place
  }

  function moveOf(from: Place, { target, source, actions, reenter }: AnyTransitionDefinition): Move {
    const [state] = target ?? []
    if (!state) return { actions: [...actions], entered: [], to: from }
    const isWithin = !reenter && (state === source || isBelow(state, source))
    const domain = isWithin
      ? source
      : (lineOf(state).find((above) => above !== state && isBelow(source, above)) ?? root)
    const exited = lineOf(from.node).filter((node) => isBelow(node, domain))
    const above = lineOf(state).filter((node) => isBelow(node, domain)) // without the domain itself
    const way = [...above.reverse(), ...firstOf(state)]
    return {
      actions: [...exited.flatMap(leaving), ...actions],
      entered: way.map(entering),
      to: placeAt(way.at(-1) ?? state)
    }
  }

  const first = firstOf(root)
  return {
    placeOf: ({ value }) => byValue.get(value) ?? placeAt(nodeAt(root, value)),
    moveFrom(place, transition) {
      const move = place.moves.get(transition) ?? moveOf(place, transition)
      place.moves.set(transition, move)
      return move
    },
    begin: { actions: [], entered: [root, ...first].map(entering), to: placeAt(first.at(-1) ?? root) }
  }
}

const isPlain = (node: AnyStateNode): boolean =>
  (node.type === 'compound' ||
    node.type === 'atomic' ||
    (node.type === 'final' && node.parent?.parent === undefined)) &&
  Object.values(node.states).every(isPlain)

/** From a state to the root. */
const lineOf = (node: AnyStateNode): AnyStateNode[] => (node.parent ? [node, ...lineOf(node.parent)] : [node])
const isBelow = (node: AnyStateNode, above: AnyStateNode): boolean => node !== above && lineOf(node).includes(above)
/** The states that are entered with a state. */
function firstOf({ initial: { target } }: AnyStateNode): AnyStateNode[] {
  const [state] = target
  return state ? [state, ...firstOf(state)] : []
}
function nodeAt(root: AnyStateNode, value: unknown): AnyStateNode {
  if (typeof value === 'string') return root.states[value] ?? root
  const [[key = '', inner] = []] = Object.entries<unknown>(Object(value))
  const child = root.states[key]
  return child ? nodeAt(child, inner) : root
}
const valueAt = ([key = '', ...inner]: string[]): string | Record<string, never> =>
  inner.length === 0 ? key : ({ [key]: valueAt(inner) } as Record<string, never>)

const leaving = ({ exit, invoke }: AnyStateNode): UnknownAction[] => [...exit, ...invoke.map(({ id }) => stopChild(id))]
const entering = ({ entry, invoke, initial }: AnyStateNode): Entered => ({
  actions: [...entry, ...invoke.map(invoking), ...initial.actions],
  invoked: invoke.map(({ id }) => id)
})
const invoking = ({ src, id, input, systemId, onSnapshot }: AnyStateNode['invoke'][number]): UnknownAction =>
  spawnChild(src, { id, input, systemId, syncSnapshot: onSnapshot !== undefined } as never) // typed by names of actors
