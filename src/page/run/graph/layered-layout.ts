/**
 * Layout of a large graph in linear time: ranks by the longest path from a start, order within a rank by the barycenter of the
 * neighbors, several columns for a rank with very many nodes. Less pretty than dagre's, which takes seconds for a thousand nodes.
 */
import { type DagLayout, type DagShape, type Direction, GAP } from './dag-shape.ts'

const SWEEPS = 4
const LONGEST_COLUMN = 32

// D453: graphs of up to 150 steps are laid out by dagre
export function layeredLayout({ nodes, edges }: DagShape, direction: Direction): DagLayout {
  const before = new Map<string, string[]>(nodes.map(({ id }) => [id, []]))
  const after = new Map<string, string[]>(nodes.map(({ id }) => [id, []]))
  for (const [from, to] of edges) {
    before.get(to)?.push(from)
    after.get(from)?.push(to)
  }
  const ranks = ranksOf(nodes, before, after)
  order(ranks, before, after)

  const isWide = direction === 'LR'
  const sizes = new Map(
    nodes.map(({ id, width, height }) => [id, isWide ? { deep: width, tall: height } : { deep: height, tall: width }])
  )
  const columns = ranks.flatMap(split)
  const tallOf = (column: string[]) =>
    column.reduce((sum, id) => sum + (sizes.get(id)?.tall ?? 0) + GAP.alongRank, -GAP.alongRank)
  const tallest = columns.reduce((most, column) => Math.max(most, tallOf(column)), 0)
  const places: DagLayout['places'] = {}
  let depth: number = GAP.margin
  for (const column of columns) {
    const deepest = column.reduce((most, id) => Math.max(most, sizes.get(id)?.deep ?? 0), 0)
    let along = GAP.margin + (tallest - tallOf(column)) / 2
    for (const id of column) {
      const { tall = 0 } = sizes.get(id) ?? {}
      const [across, down] = [depth + deepest / 2, along + tall / 2]
      places[id] = isWide ? { x: across, y: down } : { x: down, y: across }
      along += tall + GAP.alongRank
    }
    depth += deepest + GAP.betweenRanks
  }
  const [deep, tall] = [depth - GAP.betweenRanks + GAP.margin, tallest + 2 * GAP.margin]
  const lines = edges.flatMap(([from, to]) => {
    const [start, end] = [places[from], places[to]]
    if (!start || !end) return []
    const half = { from: (sizes.get(from)?.deep ?? 0) / 2, to: (sizes.get(to)?.deep ?? 0) / 2 }
    return [{ from, to, path: isWide ? wideLine(start, end, half) : tallLine(start, end, half) }]
  })
  return { width: isWide ? deep : tall, height: isWide ? tall : deep, places, lines }
}

type Neighbours = ReadonlyMap<string, readonly string[]>

/** Nodes in a cycle, which no valid definition has, come last. */
function ranksOf(nodes: DagShape['nodes'], before: Neighbours, after: Neighbours): string[][] {
  const open = new Map(nodes.map(({ id }) => [id, before.get(id)?.length ?? 0]))
  const ranks: string[][] = []
  let rank = nodes.filter(({ id }) => open.get(id) === 0).map(({ id }) => id)
  const placed = new Set<string>()
  while (rank.length > 0) {
    ranks.push(rank)
    const next: string[] = []
    for (const id of rank) {
      placed.add(id)
      for (const follower of after.get(id) ?? []) {
        const left = (open.get(follower) ?? 0) - 1
        open.set(follower, left)
        if (left === 0) next.push(follower)
      }
    }
    rank = next
  }
  const rest = nodes.filter(({ id }) => !placed.has(id)).map(({ id }) => id)
  return rest.length > 0 ? [...ranks, rest] : ranks
}

/** Sorts each rank by the mean position of its predecessors, then of its successors. */
function order(ranks: string[][], before: Neighbours, after: Neighbours): void {
  const place = new Map<string, number>()
  const note = (rank: string[]) => {
    for (const [at, id] of rank.entries()) place.set(id, (at + 0.5) / rank.length)
  }
  for (const rank of ranks) note(rank)
  const sort = (rank: string[], neighbours: Neighbours) => {
    const means = new Map(
      rank.map((id) => {
        const all = neighbours.get(id) ?? []
        const sum = all.reduce((total, neighbour) => total + (place.get(neighbour) ?? 0), 0)
        return [id, all.length > 0 ? sum / all.length : (place.get(id) ?? 0)]
      })
    )
    rank.sort((a, b) => (means.get(a) ?? 0) - (means.get(b) ?? 0))
    note(rank)
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    if (sweep % 2 === 0) for (const rank of ranks) sort(rank, before)
    else for (const rank of ranks.toReversed()) sort(rank, after)
  }
}

function split(rank: string[]): string[][] {
  const count = Math.ceil(rank.length / LONGEST_COLUMN)
  const length = Math.ceil(rank.length / count)
  return Array.from({ length: count }, (_, at) => rank.slice(at * length, (at + 1) * length))
}

interface Point {
  x: number
  y: number
}
interface Half {
  from: number
  to: number
}

function wideLine({ x, y }: Point, end: Point, half: Half): string {
  const [left, right] = [x + half.from, end.x - half.to]
  const middle = (left + right) / 2
  return `M${n(left)} ${n(y)}C${n(middle)} ${n(y)} ${n(middle)} ${n(end.y)} ${n(right)} ${n(end.y)}`
}

function tallLine({ x, y }: Point, end: Point, half: Half): string {
  const [top, bottom] = [y + half.from, end.y - half.to]
  const middle = (top + bottom) / 2
  return `M${n(x)} ${n(top)}C${n(x)} ${n(middle)} ${n(end.x)} ${n(middle)} ${n(end.x)} ${n(bottom)}`
}

const n = (value: number) => Math.round(value * 10) / 10
