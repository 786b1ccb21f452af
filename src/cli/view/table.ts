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

/**
 * @param room columns: what is beyond them is cut, so that no line is broken
 * @returns the line of the head, then one for each row
 */
export const tableLines = (head: readonly string[], rows: Rows, paint: Paint, room?: number): string[] =>
  growingTable(head, paint, room)(rows)

/** The same for rows that come bit by bit: the head is above the first ones, and a column becomes wider when it has to. */
export function growingTable(
  head: readonly string[],
  paint: Paint,
  room = Number.POSITIVE_INFINITY
): (rows: Rows) => string[] {
  let widths = head.map(columnsOf)
  let isBegun = false
  const line = (cells: readonly Cell[]) => {
    let left = room
    return cells
      .flatMap((cell, at) => {
        if (left < 1) return []
        const whole = at === cells.length - 1 ? textOf(cell) : padded(textOf(cell), widths[at] ?? 0)
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
    const above = isBegun ? [] : [paint('faint', line(head))]
    isBegun = true
    return [...above, ...rows.map(line)]
  }
}
