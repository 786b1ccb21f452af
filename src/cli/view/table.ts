/** Rows of a table with a head, each column as wide as its widest cell. */
import type { Paint, Style } from './paint.ts'
import { columnsOf, padded } from './text.ts'

/** A cell, or one with a style; expects harmless text. */
export type Cell = string | { text: string; style: Style | undefined }

const textOf = (cell: Cell) => (typeof cell === 'string' ? cell : cell.text)

/** @returns the line of the head, then one for each row */
export function tableLines(head: readonly string[], rows: readonly (readonly Cell[])[], paint: Paint): string[] {
  const widths = head.map((title, at) =>
    rows.reduce((widest, row) => Math.max(widest, columnsOf(textOf(row[at] ?? ''))), columnsOf(title))
  )
  const line = (cells: readonly Cell[]) =>
    cells
      .map((cell, at) => {
        const text = at === cells.length - 1 ? textOf(cell) : padded(textOf(cell), widths[at] ?? 0)
        return typeof cell === 'string' ? text : paint(cell.style, text)
      })
      .join('  ')
      .trimEnd()
  return [paint('faint', line(head)), ...rows.map(line)]
}
