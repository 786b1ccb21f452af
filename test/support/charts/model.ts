/**
 * Live charts walked as graphs: moves of the outside world are the edges, and every state is reached by playing the shortest way to it
 * again, because contexts are changed in place. What each chart does on the way is counted: states, and transitions by their place in
 * the chart. To explore a model takes seconds; the ways on which something happened for the first time can be followed again in
 * milliseconds. Source: design "Tests" (paths of `xstate/graph` over every chart).
 */
import type { ActorLogic, AnyMachineSnapshot, AnyStateMachine, EventObject, InspectionEvent, Snapshot } from 'xstate'
import { getShortestPaths, getStateNodes } from 'xstate/graph'
import { pathOf } from '../../../src/actors/journal/recorded.ts'

/** A chart at work, and what can happen to it. */
export interface Model<L> {
  /** Starts it. @param inspect for the root actor */
  open(inspect: (event: InspectionEvent) => void): L
  /** By name; one that throws cannot happen in that state. */
  moves: Record<string, (live: L) => void>
  /** Whether a move can do anything where it is; spares the way there. Default: it can. */
  can?(live: L, move: string): boolean
  /** What distinguishes two states. */
  keyOf(live: L): string
  /** Moves in a row. */
  depth: number
}

type Walked = Snapshot<unknown> & { trail: string[]; key: string; open: ReadonlySet<string> }

export interface Explored {
  /** How many states of the model were reached. */
  states: number
  /** Between them they do all that was done for the first time: names of moves, in a row. */
  ways: string[]
}

const BETWEEN = ' > '

export interface Coverage {
  inspect(event: InspectionEvent): void
  explore<L>(model: Model<L>): Explored
  follow<L>(model: Model<L>, ways: string[]): void
  /** How many different things have been done. */
  count(): number
  /** Tags that were seen, in order. */
  tagsOf(machine: AnyStateMachine): string[]
  of(machine: AnyStateMachine): { states: string[]; unreached: string[]; transitions: string[]; untaken: string[] }
}

export function openCoverage(): Coverage {
  const reached = new Set<string>()
  const taken = new Set<string>()
  const seenTags = new Set<string>()
  const inspect = (event: InspectionEvent) => {
    if (event.type === '@xstate.microstep') {
      for (const transition of event._transitions) taken.add(nameOf(transition as Transition))
      noteState(event.snapshot as AnyMachineSnapshot)
    } else if (event.type === '@xstate.snapshot' && 'machine' in event.snapshot)
      noteState(event.snapshot as AnyMachineSnapshot)
  }
  const noteState = ({ machine, value, tags }: AnyMachineSnapshot) => {
    reached.add(`${machine.id} ${pathOf(value)}`)
    for (const tag of tags) seenTags.add(`${machine.id} ${tag}`)
  }

  const count = () => reached.size + taken.size + seenTags.size

  return {
    inspect,
    count,
    explore(model) {
      const names = Object.keys(model.moves)
      const ways: string[] = []
      const play = (trail: string[]): Walked => {
        const before = count()
        const live = model.open(inspect)
        for (const move of trail) model.moves[move]?.(live)
        if (count() > before) ways.push(trail.join(BETWEEN))
        const open = new Set(names.filter((name) => model.can?.(live, name) ?? true))
        return { status: 'active', output: undefined, error: undefined, trail, key: model.keyOf(live), open }
      }
      const logic: ActorLogic<Walked, EventObject> = {
        transition(from, { type }) {
          if (!from.open.has(type)) return from
          try {
            return play([...from.trail, type])
          } catch (error) {
            if (error instanceof ImpossibleMove) return from
            throw new Error(`${[...from.trail, type].join(', ')}: ${(error as Error).message}`, { cause: error })
          }
        },
        getInitialSnapshot: () => play([]),
        getPersistedSnapshot: (state) => state
      }
      const paths = getShortestPaths(logic, {
        events: names.map((type) => ({ type })),
        serializeState: ({ key }) => key,
        stopWhen: ({ trail }) => trail.length >= model.depth,
        limit: 100_000
      })
      return { states: paths.length, ways }
    },
    follow(model, ways) {
      for (const way of ways) {
        const live = model.open(inspect)
        for (const move of way === '' ? [] : way.split(BETWEEN)) {
          const act = model.moves[move]
          if (!act) throw new Error(`${way}: no move "${move}" in this model`)
          try {
            act(live)
          } catch (error) {
            throw new Error(`${way}: "${move}" failed: ${(error as Error).message}`, { cause: error })
          }
        }
      }
    },
    tagsOf: ({ id }) =>
      [...seenTags].flatMap((tag) => (tag.startsWith(`${id} `) ? [tag.slice(id.length + 1)] : [])).sort(),
    of(machine) {
      const nodes = [machine.root, ...getStateNodes(machine)]
      const states = nodes.filter(
        ({ type, always }) => rests(type) && !always?.some(({ guard }) => guard === undefined)
      )
      const paths = states.filter(({ path }) => path.length > 0).map(({ path }) => path.join('.'))
      const transitions = nodes.flatMap((node) =>
        [...[...node.transitions.values()].flat(), ...(node.always ?? [])].map((transition) =>
          nameOf(transition as unknown as Transition)
        )
      )
      return {
        states: paths,
        unreached: paths.filter((path) => !reached.has(`${machine.id} ${path}`)),
        transitions,
        untaken: transitions.filter((name) => !taken.has(name))
      }
    }
  }
}

const rests = (type: string) => type === 'atomic' || type === 'final'

/** A model on its way to be walked, whatever it is that lives in it. */
export interface Walk {
  /** As deep as the model says, or less. */
  explore(coverage: Coverage, depth?: number): Explored
  /** @throws Error when a move of a way is gone, or cannot happen where it did */
  follow(coverage: Coverage, ways: string[]): void
}
export const walking = <L>(model: Model<L>): Walk => ({
  explore: (coverage, depth = model.depth) => coverage.explore({ ...model, depth }),
  follow: (coverage, ways) => coverage.follow(model, ways)
})

/** Of the ways of some models, by name, so many as are needed to do all that they do: long ones do much of what short ones do. */
export function fewestWays(models: Record<string, Walk>, ways: Record<string, string[]>): Record<string, string[]> {
  const coverage = openCoverage()
  const kept = Object.entries(models).map(([name, model]) => {
    const longestFirst = [...(ways[name] ?? [])].sort((a, b) => b.split(BETWEEN).length - a.split(BETWEEN).length)
    const needed = longestFirst.filter((way) => {
      const before = coverage.count()
      model.follow(coverage, [way])
      return coverage.count() > before
    })
    return [name, needed] as const
  })
  return Object.fromEntries(kept)
}

export type Inspect = (event: InspectionEvent) => void

/** A move that makes no sense in a state. */
export class ImpossibleMove extends Error {}

/** @throws ImpossibleMove when there is none */
export function needed<T>(found: T | undefined): T {
  if (found === undefined) throw new ImpossibleMove('there is none')
  return found
}

/** As XState has it, as far as its place is concerned. */
interface Transition {
  eventType: string
  source: {
    path: string[]
    machine: { id: string }
    transitions: Map<string, unknown[]>
    always?: unknown[]
  }
}

/** `node attempting.executing: attempt.ended 3`: the third of those for that event, in that state. */
function nameOf(transition: Transition): string {
  const { source, eventType } = transition
  const { machine, path, transitions, always = [] } = source
  const place = always.includes(transition) ? always : (transitions.get(eventType) ?? [])
  const event = place === always ? 'always' : eventType
  return `${machine.id} ${path.join('.')}: ${event} ${place.indexOf(transition) + 1}`
}
