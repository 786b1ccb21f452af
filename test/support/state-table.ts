/** The table of states on top of a chart's file: read from its text, and held against the chart. */
import type { AnyStateMachine, AnyStateNode } from 'xstate'
import { getStateNodes } from 'xstate/graph'

export interface StateRow {
  /** Path of the state, such as `attempting.executing`. */
  state: string
  waitsFor: string
  /** As written: beside this state, in a state around it, or a path from the top. */
  goesTo: string[]
}

const HEADER = /^ \* state +waits for +goes to$/

/**
 * The rows of the table. A state inside a state is indented; `goes to` lists targets, with a reason in brackets, and may go on in
 * its own lines.
 */
export function stateTable(text: string): StateRow[] {
  const lines = text.split('\n')
  const top = lines.findIndex((line) => HEADER.test(line))
  if (top < 0) return []
  const end = lines.indexOf(' */', top)
  const indent = lines[top]?.indexOf('goes to') ?? 0
  const rows: StateRow[] = []
  /** The states around the next line, by their depth. */
  const around: string[] = []
  for (const line of lines.slice(top + 1, end)) {
    if (line.slice(3, indent).trim() === '') {
      rows.at(-1)?.goesTo.push(...targetsIn(line))
      continue
    }
    const [, space = '', states = '', waitsFor = '', goesTo = ''] =
      /^ \*( +)(.+?)(?: {2,}(.+?))?(?: {2,}(.+))?$/.exec(line) ?? []
    around.length = (space.length - 1) / 2
    for (const state of states.split(', '))
      rows.push({ state: [...around, state].join('.'), waitsFor, goesTo: targetsIn(goesTo) })
    around.push(states)
  }
  return rows
}

const targetsIn = (cell: string): string[] =>
  cell
    .replace(/^[ *]+/, '')
    .replaceAll(/ \([^)]*\)/g, '')
    .split(/[;,]/)
    .map((target) => target.trim())
    .filter((target) => target !== '' && !target.startsWith('nowhere:'))

/** What the table says otherwise than the chart does, in sentences. */
export function tableFaults(machine: AnyStateMachine, rows: readonly StateRow[]): string[] {
  const nodes = new Map(getStateNodes(machine).map((node) => [pathOf(node), node]))
  const named = rows.map(({ state }) => state)
  return [
    ...[...nodes.keys()].flatMap((path) => (named.includes(path) ? [] : [`${path}: is not in the table`])),
    ...named.flatMap((state, place) => (named.indexOf(state) < place ? [`${state}: is there twice`] : [])),
    ...rows.flatMap((row) => {
      const node = nodes.get(row.state)
      return node ? rowFaults(node, row) : [`${row.state}: is no state of the chart`]
    })
  ]
}

function rowFaults(node: AnyStateNode, { state, waitsFor, goesTo }: StateRow): string[] {
  const actual = targetsOf(node)
  const written = goesTo.map((target) => resolved(node, target))
  return [
    ...[...actual].flatMap((target) =>
      written.includes(target) ? [] : [`${state}: goes to ${target}, says the chart`]
    ),
    ...written.flatMap((target, place) =>
      target === undefined || !actual.has(target)
        ? [`${state}: goes to ${goesTo[place]}, says the table`]
        : written.indexOf(target) < place
          ? [`${state}: names ${target} twice`]
          : []
    ),
    ...(waitsFor === waitOf(node, waitsFor) ? [] : [`${state}: waits for ${waitOf(node, waitsFor)}, says the chart`])
  ]
}

const pathOf = ({ path }: AnyStateNode) => path.join('.')

/** Where the transitions of a state lead, and where it begins when it has child states. */
function targetsOf({ transitions, always, initial, type }: AnyStateNode): Set<string> {
  const all = [...[...transitions.values()].flat(), ...(always ?? []), ...(type === 'compound' ? [initial] : [])]
  return new Set(all.flatMap(({ target }) => (target ?? []).map(pathOf)))
}

/** The path that a name means in a state: a child, or the nearest state around it. */
function resolved(node: AnyStateNode | undefined, name: string): string | undefined {
  if (!node) return undefined
  const found = name.split('.').reduce<AnyStateNode | undefined>((inner, key) => inner?.states[key], node)
  return found ? pathOf(found) : resolved(node.parent, name)
}

/** What the table must say that a state waits for, where the chart leaves no choice. */
function waitOf({ type, transitions, always }: AnyStateNode, written: string): string {
  if (type === 'final') return 'the end'
  const leavesAtOnce = transitions.size === 0 && always?.some(({ guard }) => guard === undefined) === true
  if (leavesAtOnce) return 'nothing'
  return ['', 'nothing', 'the end'].includes(written) ? 'something' : written
}
