/** What became of a run: its steps as a tree, why some failed, and where the logs are. Source: api-semantics 11 (start, status). */
import type { RunView } from '../../engine.ts'
import { branchOf, SUB_COLUMNS } from './branches.ts'
import { glyphOf, type Paint, wordOf } from './paint.ts'
import { type Row, rowsOf, tookMs } from './rows.ts'
import { columnsOf, cut, durationText, harmless, oneLine, padded } from './text.ts'

export interface SummaryOptions {
  now: number
  /** Of the terminal; Infinity: nothing is cut. */
  columns: number
  paint: Paint
  /** The last `count` lines of a file, oldest first; none when there is nothing. */
  lastLines: (path: string, count: number) => string[]
}

/** Lines quoted from the log of a failed step. */
const QUOTED = 5

/** The lines of the summary. */
export function summary(view: RunView, { now, columns, paint, lastLines }: SummaryOptions): string[] {
  const { run } = view
  const rows = rowsOf(view, now)
  const indent = ({ isSub }: Row) => (isSub ? SUB_COLUMNS : 0)
  const nameWidth = Math.max(0, ...rows.map((row) => columnsOf(row.name) + indent(row)))
  const wordWidth = Math.max(0, ...rows.map(({ status }) => wordOf(status).length))
  const took = tookMs(run, now)
  const head = [run.name, wordOf(run.status), took === undefined ? '' : durationText(took), `run ${run.dagRunId}`]
  const lines = [`${glyphOf(run.status, paint)} ${paint('bold', cut(head.filter(Boolean).join('  '), columns - 3))}`]
  const unmet = view.preconditions.find(({ matched, error }) => matched === false || error)
  for (const reason of new Set([run.error, unmet?.error].filter(Boolean)))
    lines.push(`${paint('faint', '│')}  ${paint('red', cut(oneLine(reason ?? ''), columns - 4))}`)
  for (const [index, row] of rows.entries()) {
    const branch = branchOf(rows, index, true)
    const cells = [
      padded(row.name, nameWidth - indent(row)),
      wordOf(row.status).padEnd(wordWidth),
      timeCell(row),
      row.note
    ]
    const text = cells.join('  ').trimEnd()
    lines.push(`${paint('faint', branch)} ${glyphOf(row.status, paint)} ${cut(text, columns - 6 - indent(row))}`)
    if (row.status !== 'failed') continue
    const rail = paint('faint', branch === '└─' ? '       ' : '│      ')
    for (const line of lastWords(row, lastLines)) lines.push(`${rail}${cut(line, columns - 8)}`)
  }
  return [...lines, `logs: ${harmless(run.log)} and ${harmless(run.nodeLogs)}`]
}

const timeCell = ({ tookMs }: Row) => (tookMs === undefined ? '' : durationText(tookMs)).padStart(6)

/** What a failed step said last: on stderr, or else on stdout. */
function lastWords({ stdout, stderr }: Row, lastLines: SummaryOptions['lastLines']): string[] {
  for (const [stream, path] of [
    ['stderr', stderr],
    ['stdout', stdout]
  ] as const) {
    const found = path === undefined ? [] : lastLines(path, QUOTED)
    if (found.length > 0) return found.map((line) => `${stream}: ${harmless(line)}`)
  }
  return []
}
