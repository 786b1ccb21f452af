/** A worker that lays out a graph, or a part of a chart, without blocking the page. Dagre for graphs that are small enough for it. */
import { graphlib, layout } from '@dagrejs/dagre'
import { partLayout } from '../../chart/part-layout.ts'
import { type ChartPart, type DagLayout, type DagShape, type Direction, GAP } from './dag-shape.ts'
import { layeredLayout } from './layered-layout.ts'

// D453: graphs of up to 150 steps are laid out by dagre
const MOST_FOR_DAGRE = 150
/** A graph from left to right that hardly needs to shrink is preferred. */
const NEARLY = 0.85

function dagreLayout({ nodes, edges }: DagShape, direction: Direction): DagLayout {
  const graph = new graphlib.Graph()
  graph.setGraph({
    rankdir: direction,
    nodesep: GAP.alongRank,
    ranksep: GAP.betweenRanks,
    marginx: GAP.margin,
    marginy: GAP.margin
  })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const { id, width, height } of nodes) graph.setNode(id, { width, height })
  for (const [from, to] of edges) graph.setEdge(from, to)
  layout(graph)
  const { width = 0, height = 0 } = graph.graph()
  return {
    width,
    height,
    places: Object.fromEntries(nodes.map(({ id }) => [id, { x: graph.node(id).x, y: graph.node(id).y }])),
    lines: edges.map(([from, to]) => ({ from, to, path: smooth(graph.edge(from, to).points ?? []) }))
  }
}

/** Through the middles of the segments, so that there are no corners. */
function smooth(points: { x: number; y: number }[]): string {
  const [first, ...rest] = points
  const last = rest.at(-1)
  if (!first || !last) return ''
  const parts = rest.slice(0, -1).map(({ x, y }, at) => {
    const next = rest[at + 1] ?? last
    const end = at === rest.length - 2 ? next : { x: (x + next.x) / 2, y: (y + next.y) / 2 }
    return `Q${n(x)} ${n(y)} ${n(end.x)} ${n(end.y)}`
  })
  return `M${n(first.x)} ${n(first.y)}${parts.length > 0 ? parts.join('') : `L${n(last.x)} ${n(last.y)}`}`
}

const n = (value: number) => Math.round(value * 10) / 10

/** In the direction in which it can be larger; a large graph fits in neither. */
function laidOut(shape: DagShape): DagLayout {
  const isLarge = shape.nodes.length > MOST_FOR_DAGRE
  const lay = isLarge ? layeredLayout : dagreLayout
  const across = lay(shape, 'LR')
  if (isLarge || scaleOf(across, shape) > NEARLY) return across
  const down = lay(shape, 'TB')
  return scaleOf(down, shape) > scaleOf(across, shape) ? down : across
}

const scaleOf = ({ width, height }: DagLayout, { room }: DagShape) =>
  Math.min(1, room.width / width, room.height / height)

addEventListener('message', ({ data: { id, shape } }: MessageEvent<{ id: number; shape: DagShape | ChartPart }>) => {
  postMessage({ id, layout: 'tree' in shape ? partLayout(shape.tree, shape.ends) : laidOut(shape) })
})
