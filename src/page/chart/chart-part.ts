/** The part of a chart that an actor can reach, and the way that it took in it. A pure computation. */
import type { Chart, ChartState, Reached } from '../answers.ts'
import { type ElkLine, isStart } from './chart-shape.ts'

/** A step of the way: where the actor was, and where it came to. */
export interface Move {
  from: string
  to: string
}

// D1731: what an actor was in is drawn, whatever its plan says
/** @param seen paths of states that it was in */
export function partOf(chart: Chart, reach: readonly Reached[], seen: readonly string[]): Chart {
  const taken = new Map(reach.map(({ path, transitions }) => [path, new Set(transitions)]))
  const isShown = (path: string) => taken.has(path) || seen.some((one) => one === path || one.startsWith(`${path}.`))
  const lead = ({ transitions }: Pick<Chart, 'transitions'>, path: string) => {
    const possible = taken.get(path)
    return transitions.filter(
      ({ targets }, at) => (possible?.has(at) ?? true) && (targets.length === 0 || targets.some(isShown))
    )
  }
  const within = (states: readonly ChartState[]): ChartState[] =>
    states
      .filter(({ path }) => isShown(path))
      .map((state) => ({ ...state, invokes: [], states: within(state.states), transitions: lead(state, state.path) }))
  return { ...chart, states: within(chart.states), transitions: lead(chart, '') }
}

/** Ids of the lines of a way, with the numbers of its moves. What is left at once, such as `picked`, lies between two places of a move. */
export function wayOf(
  lines: readonly ElkLine[],
  states: ReadonlyMap<string, ChartState>,
  moves: readonly Move[]
): Map<string, number[]> {
  const way = new Map<string, number[]>()
  for (const [at, move] of moves.entries())
    for (const [place, id] of lineIdsOf(lines, states, move).entries()) {
      const numbers = way.get(id) ?? []
      way.set(id, place === 0 ? numbers.concat(at + 1) : numbers)
    }
  return way
}

function lineIdsOf(lines: readonly ElkLine[], states: ReadonlyMap<string, ChartState>, { from, to }: Move): string[] {
  const open: { path: string; ids: string[] }[] = [{ path: from, ids: [] }]
  const seen = new Set<string>()
  for (let next = open.shift(); next; next = open.shift()) {
    const { path, ids } = next
    const state = states.get(path)
    const isPassing = path === from || state?.transitions.some(({ event }) => event === '') === true
    const leaving = lines.filter(({ sources: [source = ''] }) =>
      isStart(source) ? path === '' && source === 'start of ' : path === source || path.startsWith(`${source}.`)
    )
    for (const { id, targets } of isPassing ? leaving : []) {
      const entered = innermost(targets[0] ?? '', states, lines)
      const found = ids.concat(id, entered.ids)
      if (entered.path === to || targets[0] === to) return found
      if (!seen.has(entered.path)) open.push({ path: entered.path, ids: found })
      seen.add(entered.path)
    }
  }
  return []
}

function innermost(path: string, states: ReadonlyMap<string, ChartState>, lines: readonly ElkLine[]) {
  let ids: string[] = []
  let inner = path
  for (let state = states.get(path); state?.initial !== undefined; state = states.get(inner)) {
    const start = `start of ${inner}`
    ids = ids.concat(lines.filter(({ sources }) => sources[0] === start).map(({ id }) => id))
    inner = state.initial
  }
  return { path: inner, ids }
}
