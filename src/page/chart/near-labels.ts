/** Where words stand in the drawing of a chart: on no line, state or other word. A pure computation. */
import type { ChartState } from '../answers.ts'
import { type ElkBox, type ElkLine, isStart, wordsOf } from './chart-shape.ts'
import { type Area, areasOf, isOver, type Label, LINE_PX } from './labels.ts'

interface Point {
  x: number
  y: number
}
/** Numbers of the way at their line, with their middle. */
interface Badge extends Point {
  id: string
  text: string
}
interface Looked {
  states: ReadonlyMap<string, ChartState>
  /** Path of the state that is looked at. */
  near: string | undefined
  badges: readonly Badge[]
  /** Px that are free at each side of the drawing. */
  beside: number
  /** All words that have room are shown, not only those around the state that is looked at. */
  isWhole?: boolean
}
const SHARES = [0.5, 0.35, 0.65, 0.2, 0.8, 0.1, 0.9]
/** Between words and a line. */
const AWAY_PX = 5
const BADGE_PX = 8
/** From the corner of a state to its name. */
const TITLE_PX = 16
/** Width of a sign in the largest label that its style allows. */
const SIGN_PX = 7.8

export const pointsOf = ({ sections = [] }: ElkLine): Point[] =>
  sections.flatMap(({ startPoint, bendPoints = [], endPoint }) => [startPoint].concat(bendPoints, endPoint))

// D1291: words along a transition are shown where they cover nothing
// D1733: of the part of a chart that is drawn, words that would cover something are left out; the list below has them all
export function nearLabels(
  layout: ElkBox,
  lines: readonly ElkLine[],
  { states, near, badges, beside, isWhole = false }: Looked
): Label[] {
  const taken: Area[] = (layout.children ?? []).flatMap(areasOf)
  taken.push(...badges.map(badgeArea))
  const segments = lines.flatMap((line) => segmentsOf(pointsOf(line))).concat((layout.children ?? []).flatMap(edgesOf))
  const isFree = (area: Area) =>
    area.left > -beside &&
    area.right < (layout.width ?? 0) + beside &&
    area.top > 0 &&
    !taken.some((other) => isOver(area, other)) &&
    !segments.some(([from, to]) => crosses(area, from, to))
  const wanted = lines.flatMap((line) => {
    const [from = '', target = ''] = [line.sources[0], line.targets[0]]
    const state = states.get(from)
    const words = state ? stacked(wordsOf(state, target)) : []
    if (isStart(from) || words.length === 0) return []
    return [{ line, from, words, rank: from === near ? 0 : target === near ? 1 : 2 }]
  })
  const widest = ({ words }: { words: string[] }) => Math.max(...words.map(({ length }) => length))
  wanted.sort((one, other) => one.rank - other.rank || widest(one) - widest(other))
  return wanted.map(({ line, from, words, rank }): Label => {
    const half = (widest({ words }) * SIGN_PX) / 2 + AWAY_PX
    const points = pointsOf(line)
    const places = SHARES.map((share) => pointAt(points, share)).flatMap(({ x, y }) => [
      { x: x + half, y },
      { x: x - half, y }
    ])
    const free = places.find((place) => isFree(areaOf(words, place)))
    if (free && (isWhole || rank < 2)) taken.push(areaOf(words, free))
    const { x, y } = free ?? pointAt(points, 0.5)
    return { id: line.id, from, words, x, y: y - ((words.length - 1) * LINE_PX) / 2, hasRoom: free !== undefined }
  })
}

/** Names of states with others inside are where no line crosses them, as far to the left as possible. */
export function withTitles({ children = [], ...box }: ElkBox, lines: readonly ElkLine[]): ElkBox {
  const segments = lines.flatMap((line) => segmentsOf(pointsOf(line)))
  const titled = (inner: ElkBox): ElkBox => {
    const { id, x = 0, y = 0, width = 0, children = [], title } = inner
    if (children.length === 0) return inner
    const half = ((id.split('.').at(-1) ?? '').length * SIGN_PX) / 2
    const middle = y + TITLE_PX
    const first = x + half + TITLE_PX
    const isFree = (at: number) =>
      !segments.some(([from, to]) =>
        crosses({ left: at - half, right: at + half, top: middle - 9, bottom: middle + 9 }, from, to)
      )
    const places = Array.from(
      { length: Math.max(1, Math.floor((width - 2 * half) / AWAY_PX)) },
      (_, at) => first + at * AWAY_PX
    )
    const place = places.find(isFree) ?? first
    return { ...inner, title: title ?? { x: place, y: middle }, children: children.map(titled) }
  }
  return { ...box, children: children.map(titled) }
}

/** An event once, its guards below it: narrow words find room. */
const stacked = (words: readonly string[]): string[] => [
  ...new Set(words.filter((word) => word !== '').flatMap((word) => word.replace(' [', '\n[').split('\n')))
]

function areaOf(words: readonly string[], { x, y }: Point): Area {
  const half = (Math.max(...words.map(({ length }) => length)) * SIGN_PX) / 2
  const high = (words.length * LINE_PX) / 2
  return { left: x - half, right: x + half, top: y - high, bottom: y + high }
}

const segmentsOf = (points: readonly Point[]): [Point, Point][] =>
  points.slice(1).map((to, at) => [points[at] ?? to, to])

/** The edge of a state with others inside, which is a line, too. */
function edgesOf({ x = 0, y = 0, width = 0, height = 0, children = [] }: ElkBox): [Point, Point][] {
  if (children.length === 0) return []
  const [left, right] = [x, x + width]
  const [top, bottom] = [y, y + height]
  const around = [left, right, right, left, left].map((x, at) => ({ x, y: at < 2 || at === 4 ? top : bottom }))
  return segmentsOf(around).concat(children.flatMap(edgesOf))
}

/** A point of a line by its share of the length. */
export function pointAt(points: readonly Point[], share: number): Point {
  const parts = segmentsOf(points).map(([from, to]) => ({ from, to, length: Math.hypot(to.x - from.x, to.y - from.y) }))
  let left = parts.reduce((sum, { length }) => sum + length, 0) * share
  for (const { from, to, length } of parts) {
    if (left <= length && length > 0) {
      const part = left / length
      return { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }
    }
    left -= length
  }
  return points.at(-1) ?? { x: 0, y: 0 }
}

/** A segment touches an area: by Liang and Barsky. */
function crosses({ left, right, top, bottom }: Area, from: Point, to: Point): boolean {
  let [begin, end] = [0, 1]
  const [dx, dy] = [to.x - from.x, to.y - from.y]
  for (const [slope, room] of [
    [-dx, from.x - left],
    [dx, right - from.x],
    [-dy, from.y - top],
    [dy, bottom - from.y]
  ] as const) {
    if (slope === 0) {
      if (room < 0) return false
      continue
    }
    const at = room / slope
    if (slope < 0) begin = Math.max(begin, at)
    else end = Math.min(end, at)
    if (begin > end) return false
  }
  return true
}

const badgeArea = ({ text, x, y }: Badge): Area => {
  const half = BADGE_PX + (text.length - 1) * (SIGN_PX / 2)
  return { left: x - half, right: x + half, top: y - BADGE_PX - 1, bottom: y + BADGE_PX + 1 }
}

/** Where the numbers of a way stand: each on its line, or beside it where that is too short, and on no other number. */
export function badgesOf(lines: readonly ElkLine[], way: ReadonlyMap<string, number[]>): Badge[] {
  const placed: Badge[] = []
  for (const line of lines) {
    const numbers = way.get(line.id) ?? []
    if (numbers.length === 0) continue
    const text = numbers.length > 2 ? `${numbers[0]}…${numbers.at(-1)}` : numbers.join(', ')
    const places = SHARES.map((share) => pointAt(pointsOf(line), share))
    const beside = [-2.5, 2.5].flatMap((far) => places.map(({ x, y }) => ({ x, y: y + far * BADGE_PX })))
    const badges = places.concat(beside).map((place) => ({ id: line.id, text, ...place }))
    const isFree = (badge: Badge) => placed.every((other) => !isOver(badgeArea(other), badgeArea(badge)))
    const [first] = badges
    if (first) placed.push(badges.find(isFree) ?? first)
  }
  return placed
}
