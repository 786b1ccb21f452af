/** Lays out the part of a chart that an actor can reach; ELK would be too large for a browser. A pure computation. */
import { graphlib, layout } from '@dagrejs/dagre'
import { type ElkBox, type ElkLine, isStart } from './chart-shape.ts'

const END = 'the end of all'
/** Narrow, so that a step of eight states fits a phone. */
const GAP = { betweenRanks: 24, alongRank: 14, margin: 8 }
const SIGN_PX = 7.4
/** Id of the room for the name of a state with others inside. */
const titleOf = (id: string) => `title of ${id}`
interface Point {
  x: number
  y: number
}

// D1732: the part of a chart is laid out by dagre, its final states in one row
/** @param tree states as boxes with a size, those with others inside without; lines of all of them @param ends ids of the final states */
export function partLayout(
  { children: whole = [], edges: lines = [], ...tree }: ElkBox,
  ends: readonly string[]
): ElkBox {
  const children = whole.map(withoutStarts)
  const graph = new graphlib.Graph({ compound: true, multigraph: true })
  graph.setGraph({
    rankdir: 'TB',
    ranksep: GAP.betweenRanks,
    nodesep: GAP.alongRank,
    edgesep: 10,
    marginx: GAP.margin,
    marginy: GAP.margin
  })
  const boxes = new Map<string, ElkBox>()
  const add = (box: ElkBox, parent?: string) => {
    boxes.set(box.id, box)
    graph.setNode(box.id, box.children ? {} : { width: box.width ?? 0, height: box.height ?? 0 })
    if (parent !== undefined) graph.setParent(box.id, parent)
    if (!box.children) return
    const title = titleOf(box.id)
    graph.setNode(title, { width: (box.id.split('.').at(-1) ?? '').length * SIGN_PX + 10, height: 20 })
    graph.setParent(title, box.id)
    for (const inner of box.children) add(inner, box.id)
    graph.setEdge(title, firstIn(box, box.id), { weight: 3 }, title)
  }
  for (const box of children) add(box)
  const first = (id: string): string => firstIn(boxes.get(id), id)
  const last = (id: string): string => {
    const inner = boxes.get(id)?.children?.at(-1)
    return inner ? last(inner.id) : id
  }
  const endsOf = ({ sources, targets }: ElkLine) => [last(sources[0] ?? ''), first(targets[0] ?? '')] as const
  // One that leads back to where it comes from is among the words of its state.
  const edges = lines.filter((line) => boxes.has(line.sources[0] ?? '') && endsOf(line)[0] !== endsOf(line)[1])
  for (const line of edges) {
    const [from, to] = endsOf(line)
    const { id } = line
    graph.setEdge(from, to, { weight: isStart(from) ? 4 : 1 }, id)
  }
  graph.setNode(END, { width: 0, height: 0 })
  for (const id of ends) graph.setEdge(id, END, { weight: 50 }, `${id} ends`)
  layout(graph)
  const placed = (box: ElkBox): ElkBox => {
    const { x, y, width, height } = graph.node(box.id)
    const title = box.children && graph.node(titleOf(box.id))
    return {
      ...box,
      x: x - width / 2,
      y: y - height / 2,
      width,
      height,
      ...(title ? { title: { x: title.x, y: title.y } } : {}),
      ...(box.children ? { children: box.children.map(placed) } : {})
    }
  }
  const done = children.map(placed)
  const all = new Map(done.flatMap(inside).map((box) => [box.id, box]))
  const drawn = edges.map((line): ElkLine => {
    const [from, to] = endsOf(line)
    const points = graph.edge({ v: from, w: to, name: line.id }).points ?? []
    const [startPoint, ...rest] = clipped(points, all.get(line.sources[0] ?? ''))
    const given = rest.pop()
    const final = ends.includes(to) ? all.get(to) : undefined
    const endPoint = given && final ? onTop(final, rest.at(-1) ?? startPoint ?? given) : given
    return startPoint && endPoint
      ? { ...line, sections: [{ id: line.id, startPoint, endPoint, bendPoints: rest }] }
      : line
  })
  const bottom = Math.max(...done.map(({ y = 0, height = 0 }) => y + height))
  return { ...tree, children: done, edges: drawn, width: graph.graph().width ?? 0, height: bottom + GAP.margin }
}

/** Within a state, the first is entered: no dot stands for its beginning. */
const withoutStarts = (box: ElkBox): ElkBox =>
  box.children ? { ...box, children: box.children.filter(({ id }) => !isStart(id)).map(withoutStarts) } : box

const inside = (box: ElkBox): ElkBox[] => [box].concat((box.children ?? []).flatMap(inside))

/** A line meets a final state from above: at its side it would cross those beside it. */
function onTop({ x = 0, y = 0, width = 0 }: ElkBox, before: Point): Point {
  const corner = Math.min(12, width / 2)
  return { x: Math.min(Math.max(before.x, x + corner), x + width - corner), y }
}

/** What has others inside is entered where they begin. */
function firstIn(box: ElkBox | undefined, id: string): string {
  const inner = box?.children?.[0]
  return inner ? firstIn(inner, inner.id) : id
}

/** Without what of a line lies in the box that it begins in. */
function clipped(points: readonly Point[], box: ElkBox | undefined): Point[] {
  if (!box?.children) return [...points]
  const { x = 0, y = 0, width = 0, height = 0 } = box
  const isIn = (point: Point) => point.x > x && point.x < x + width && point.y > y && point.y < y + height
  const out = points.findIndex((point) => !isIn(point))
  const [outer, inner] = [points[out], points[out - 1]]
  if (!outer || !inner) return [...points]
  let [a, b] = [inner, outer]
  for (let at = 0; at < 12; at++) {
    const middle = { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
    if (isIn(middle)) a = middle
    else b = middle
  }
  return [b].concat(points.slice(out))
}
