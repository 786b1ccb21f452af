/** A chart as nodes and edges for ELK, and back. A pure transformation: nothing is drawn here. */
import type { Chart, ChartState, ChartTransition } from '../answers.ts'

export interface ElkBox {
  id: string
  x?: number
  y?: number
  width?: number
  height?: number
  children?: ElkBox[]
  edges?: ElkLine[]
  layoutOptions?: Record<string, string>
  /** The middle of the name of a state with others inside; absent: at its upper left. */
  title?: ElkPoint
}
interface ElkPoint {
  x: number
  y: number
}
export interface ElkLine {
  id: string
  sources: string[]
  targets: string[]
  sections?: { id: string; startPoint: ElkPoint; endPoint: ElkPoint; bendPoints?: ElkPoint[] }[]
}

/** Without space for labels beside the lines: it would make a chart of twenty states three times as wide, too small to read. */
const OPTIONS = {
  'elk.algorithm': 'layered',
  'elk.direction': 'DOWN',
  'elk.hierarchyHandling': 'INCLUDE_CHILDREN',
  'elk.json.shapeCoords': 'ROOT',
  'elk.json.edgeCoords': 'ROOT',
  'elk.layered.mergeEdges': 'true',
  'elk.layered.thoroughness': '4',
  'elk.layered.spacing.nodeNodeBetweenLayers': '34',
  'elk.spacing.nodeNode': '26',
  'elk.spacing.edgeNode': '16',
  'elk.spacing.edgeEdge': '12',
  'elk.padding': '[top=16,left=16,bottom=16,right=16]'
}
const NAME_PX = 7.4
const LABEL_PX = 7
const START = 'start of '

// D454: charts are laid out by ELK at build time
/** Every state is a box, history states included. */
export function elkOf(chart: Chart): ElkBox {
  const edges: ElkLine[] = []
  const root = inside(chart.states, chart.initial, '', edges)
  for (const state of all(chart.states)) for (const line of linesFrom(state)) edges.push(line)
  return { id: 'chart', layoutOptions: OPTIONS, children: root, edges }
}

function inside(states: readonly ChartState[], initial: string | undefined, of: string, edges: ElkLine[]): ElkBox[] {
  const boxes = states.map((state) => boxOf(state, edges))
  if (initial === undefined || states.length === 0) return boxes
  const start = `${START}${of}`
  edges.push({ id: start, sources: [start], targets: [initial] })
  return [{ id: start, width: 9, height: 9 }, ...boxes]
}

function boxOf({ path, key, type, states, initial, invokes }: ChartState, edges: ElkLine[]): ElkBox {
  const invoked = invokes.map(({ machine, id }) => `invokes ${machine ?? id}`).join(', ')
  const width = Math.max(64, key.length * NAME_PX + 30, invoked.length * LABEL_PX + 20)
  if (states.length === 0) return { id: path, width, height: invoked === '' ? 34 : 48 }
  return {
    id: path,
    children: inside(states, type === 'parallel' ? undefined : initial, path, edges),
    layoutOptions: {
      'elk.padding': `[top=${invoked === '' ? 38 : 52},left=16,bottom=16,right=16]`,
      'elk.nodeSize.constraints': 'MINIMUM_SIZE',
      'elk.nodeSize.minimum': `(${width},60)`
    }
  }
}

/** Lines of a state, one for each state that it leads to. */
const linesFrom = ({ path, transitions }: ChartState): ElkLine[] =>
  [...new Set(transitions.flatMap(({ targets }) => targets))].map((target) => ({
    id: lineId(path, target),
    sources: [path],
    targets: [target]
  }))

/** The labels of all transitions along a line. */
export const wordsOf = ({ transitions }: ChartState, target: string): string[] => [
  ...new Set(transitions.filter(({ targets }) => targets.includes(target)).map(transitionText))
]

/** Texts of the transitions that do not leave their state. */
export const staysOf = (transitions: readonly ChartTransition[]): string[] => [
  ...new Set(transitions.filter(({ targets }) => targets.length === 0).map(transitionText))
]

export const transitionText = ({ event, guard }: ChartTransition): string =>
  `${event.replace(/^xstate\./, '')}${guard ? ` [${guard}]` : ''}`.trim()

const lineId = (from: string, to: string): string => `${from} > ${to}`
export const isStart = (id: string): boolean => id.startsWith(START)

/** Every state, outer ones first. */
export const all = (states: readonly ChartState[]): ChartState[] =>
  states.flatMap((state) => [state, ...all(state.states)])

/** A line as data of an SVG path, with rounded corners. */
export function pathOfLine({ sections = [] }: ElkLine): string {
  return sections
    .map(({ startPoint, bendPoints = [], endPoint }) => {
      const points = [startPoint, ...bendPoints, endPoint]
      const parts = points.slice(1, -1).map((corner, at) => {
        const [before, after] = [points[at] ?? corner, points[at + 2] ?? corner]
        const [a, b] = [towards(corner, before), towards(corner, after)]
        return `L${a.x} ${a.y}Q${corner.x} ${corner.y} ${b.x} ${b.y}`
      })
      return `M${startPoint.x} ${startPoint.y}${parts.join('')}L${endPoint.x} ${endPoint.y}`
    })
    .join('')
}

const ROUND_PX = 7
function towards(from: ElkPoint, to: ElkPoint): ElkPoint {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const share = length === 0 ? 0 : Math.min(ROUND_PX, length / 2) / length
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
