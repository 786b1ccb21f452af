/** A graph before and after layout; a part of a chart before it. */
import type { ElkBox } from '../../chart/chart-shape.ts'

export interface DagShape {
  nodes: { id: string; width: number; height: number }[]
  /** Ids: a node, and one that depends on it. */
  edges: (readonly [from: string, to: string])[]
  /** The available space in px. */
  room: { width: number; height: number }
}

/** From left to right, or from top to bottom. */
export type Direction = 'LR' | 'TB'

export interface DagLayout {
  width: number
  height: number
  /** Centres. */
  places: Record<string, { x: number; y: number }>
  /** Edges, as data of an SVG path each. */
  lines: { from: string; to: string; path: string }[]
}

export const GAP = { alongRank: 18, betweenRanks: 52, margin: 16 } as const

/** What an actor can reach of its chart. */
export interface ChartPart {
  tree: ElkBox
  /** Ids of the final states. */
  ends: string[]
}
