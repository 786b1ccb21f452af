/** Rows of a table with a head, each column as wide as its widest cell. */
import type { Output } from '../context.ts'
import type { Paint, Style } from './paint.ts'
import { columnsOf, cut, harmless, padded } from './text.ts'

/** A cell, or one with a style. */
export type Cell = string | { text: string; style: Style | undefined }

// D1592: removed where it is written
const textOf = (cell: Cell) => harmless(typeof cell === 'string' ? cell : cell.text).replaceAll('\n', ' ')
const GAP = '  '

/** Columns of a terminal; whatever is no terminal has room for all. */
export const roomIn = ({ isTTY, columns }: Output): number => (isTTY && columns) || Number.POSITIVE_INFINITY

type Rows = readonly (readonly Cell[])[]
/** A column gives up its room down to a width; to 0: it is left out. */
export type Yield = readonly [column: number, least: number]

/**
 * @param room columns: what is beyond them is cut, so that no line is broken
 * @param yields what gives up its room where there is too little, in this order
 * @returns the line of the head, then one for each row
 */
export const tableLines = (
  head: readonly string[],
  rows: Rows,
  paint: Paint,
  room?: number,
  yields: readonly Yield[] = []
): string[] => growingTable(head, paint, room, yields)(rows)

/** The same for rows that come bit by bit: the head is above the first ones, and a column becomes wider when it has to. */
export function growingTable(
  head: readonly string[],
  paint: Paint,
  room = Number.POSITIVE_INFINITY,
  yields: readonly Yield[] = []
): (rows: Rows) => string[] {
  let widths = head.map(columnsOf)
  let isBegun = false
  const line = (cells: readonly Cell[], fitted: readonly (number | undefined)[]) => {
    let left = room
    return cells
      .flatMap((cell, at) => {
        const width = fitted[at]
        if (left < 1 || width === undefined) return []
        const text = cut(textOf(cell), at === cells.length - 1 ? left : width)
        const whole = at === cells.length - 1 ? text : padded(text, width)
        const shown = columnsOf(whole) <= left ? whole : cut(textOf(cell), left)
        left -= columnsOf(whole) + GAP.length
        return [typeof cell === 'string' ? shown : paint(cell.style, shown)]
      })
      .join(GAP)
      .trimEnd()
  }
  return (rows) => {
    widths = widths.map((width, at) =>
      rows.reduce((widest, row) => Math.max(widest, columnsOf(textOf(row[at] ?? ''))), width)
    )
    const fitted = fittedTo(room, widths, yields)
    const above = isBegun ? [] : [paint('faint', line(head, fitted))]
    isBegun = true
    return [...above, ...rows.map((row) => line(row, fitted))]
  }
}

/** Widths of columns; undefined: there is no room for it. */
function fittedTo(room: number, widths: readonly number[], yields: readonly Yield[]): (number | undefined)[] {
  const fitted: (number | undefined)[] = [...widths]
  let over = widths.reduce((sum, width) => sum + width + GAP.length, -GAP.length) - room
  for (const [at, least] of yields) {
    const width = fitted[at]
    if (over <= 0 || width === undefined || width <= least) continue
    const kept = least === 0 ? undefined : Math.max(least, width - over)
    over -= kept === undefined ? width + GAP.length : width - kept
    fitted[at] = kept
  }
  return fitted
}
