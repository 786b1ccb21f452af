/** One frame of a running run, as tall and wide as the terminal allows. Source: api-semantics 11 (start). */
import type { RunDetails } from '../../client/index.ts'
import { branchOf, SUB_COLUMNS } from './branches.ts'
import { glyphOf, isWait, type Paint, shownState, wordOf } from './paint.ts'
import { noteAlone, type Row, tookMs } from './row.ts'
import { countsText, isStep, rowsOf } from './rows.ts'
import { headOf } from './summary.ts'
import { columnsOf, cut, durationText, padded } from './text.ts'

export interface FrameOptions {
  now: number
  /** Columns and lines of the terminal. */
  columns: number
  lines: number
  paint: Paint
  /** The last lines of a step, by its name, oldest first. */
  lastLines: (name: string) => string[]
  /** A notice for the reader; empty: none. */
  notice: string
}

const WIDEST_NAME = 40
/** Lines shown of a step's output. */
const MOST_LINES = 5

const isWriting = ({ status, isSub }: Row) => !isSub && (status === 'running' || status === 'stopping')

/** The lines of the frame. None is wider than the terminal, and its last line stays free. */
export function frame(run: RunDetails, { now, columns, lines, paint, lastLines, notice }: FrameOptions): string[] {
  const all = rowsOf(run, now)
  const head = headOf(run, facts(run, all.filter(isStep), now), columns - 3)
  const picture = [`${glyphOf(shownState(run), paint)} ${paint('bold', head)}`]
  const room = Math.max(1, lines - 2 - (notice ? 1 : 0))
  const rows = all.length <= room ? all : all.filter(isStep) // when not all fit, steps take precedence over sub DAG runs
  const chosen = rowsInView(rows, room)
  const shown = chosen.flatMap((index) => rows[index] ?? [])
  const indent = ({ isSub }: Row) => (isSub ? SUB_COLUMNS : 0)
  const width = Math.min(WIDEST_NAME, Math.max(0, ...shown.map((row) => columnsOf(row.name) + indent(row))))
  const inView = new Set(chosen)
  const hidden = rows.filter((_row, index) => !inView.has(index))
  // The free lines are shared between the steps that write; with none free, each shows one line beside its name.
  const free = room - shown.length - (hidden.length > 0 ? 1 : 0)
  const below = Math.min(MOST_LINES, Math.floor(free / Math.max(1, shown.filter(isWriting).length)))
  for (const [index, row] of shown.entries()) {
    const branch = branchOf(shown, index, hidden.length === 0)
    const took = row.tookMs === undefined ? '' : durationText(row.tookMs)
    const said = isWriting(row) ? lastLines(row.name) : []
    const note = noteAlone(row)
    const beside = below === 0 ? [note, said.at(-1) ?? ''].filter(Boolean).join('  ') : note
    const room = width - indent(row)
    const text = `${padded(cut(row.name, room), room)}  ${took.padStart(6)}  ${beside}`.trimEnd()
    picture.push(`${paint('faint', branch)} ${glyphOf(row.status, paint)} ${cut(text, columns - 6 - indent(row))}`)
    const rail = `${branch.startsWith('└') ? ' ' : '│'}     `
    for (const line of below === 0 ? [] : said.slice(-below))
      picture.push(`${paint('faint', rail)}${cut(line, columns - 1 - rail.length)}`)
  }
  if (hidden.length > 0) {
    const more = `${hidden.length} more: ${countsText(hidden, wordOf)}`
    picture.push(paint('faint', cut(`└─ … ${more}`, columns - 1)))
  }
  if (notice) picture.push(paint('yellow', cut(notice, columns - 1)))
  return picture
}

function facts(run: RunDetails, rows: Row[], now: number): string[] {
  const ended = rows.filter(({ status }) => !/^(not_started|running|stopping|waiting.*)$/.test(status)).length
  return [durationText(tookMs(run, now) ?? 0), `${ended}/${rows.length} steps`]
}

/**
 * Indexes, ascending, of the rows to show in `room` lines. When not all fit, one line is left for the rest; running rows
 * come first, then failed ones, then those nearest to the progress of the run.
 */
export function rowsInView(rows: readonly Row[], room: number): number[] {
  const indexes = rows.map((_row, index) => index)
  if (rows.length <= room) return indexes
  const isActive = ({ status }: Row) => status === 'running' || status === 'stopping' || isWait(status)
  const active = rows.findIndex(isActive)
  const front = active >= 0 ? active : rows.findIndex(({ status }) => status === 'not_started')
  const rank = (index: number) => {
    const row = rows[index]
    const distance = Math.abs(index - Math.max(0, front))
    if (!row) return Number.POSITIVE_INFINITY
    return distance + (isActive(row) ? 0 : row.status === 'failed' ? rows.length : 2 * rows.length)
  }
  return indexes
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, Math.max(0, room - 1))
    .sort((a, b) => a - b)
}
