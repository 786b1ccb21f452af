/** The result of a run: its steps as a tree, and the reasons of failures. Source: api-semantics 11 (start, status). */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { RunDetails } from '../../client/index.ts'
import { branchOf, SUB_COLUMNS } from './branches.ts'
import { glyphOf, type Paint, type Style, shownState, wordOf } from './paint.ts'
import { noteAlone, type Row, tookMs } from './row.ts'
import { rowsOf } from './rows.ts'
import { columnsOf, cut, durationText, harmless, idIn, oneLine, padded, wrapped } from './text.ts'

export interface SummaryOptions {
  now: number
  /** Columns of the terminal; Infinity: nothing is cut. */
  columns: number
  paint: Paint
  /** The last `count` lines of a file, oldest first; absent: the logs are elsewhere. */
  lastLines?: (path: string, count: number) => string[]
  /** Which steps are quoted; absent: failed ones. `all`: the others too, from `said`. */
  quotes?: 'all' | 'failed' | 'none'
  /** The last lines of a step, by its name, oldest first; absent: unknown. */
  said?: (name: string) => string[]
}

/** Lines quoted from a step that did not fail. */
const MOST_SAID = 100

/** Lines quoted from the log of a failed step. */
const QUOTED = 5
/** Columns of a duration, with the blanks before it. */
const TIME = 8
/** Least columns of a name. Where the word of a status leaves less, only the glyph is shown. */
const LEAST_NAME = 8
/** Least columns of a reason; a narrower terminal wraps the lines itself. */
const NARROWEST = 16

/** The lines of the summary. */
export function summary(run: RunDetails, options: SummaryOptions): string[] {
  const { now, columns, paint } = options
  const status = shownState(run)
  const took = tookMs(run, now)
  const facts = [
    wordOf(status),
    took === undefined ? '' : durationText(took),
    run.workerId === '' || run.workerId === 'local' ? '' : `on ${harmless(run.workerId)}`
  ]
  const unmet = run.preconditions.find(({ matched, error }) => matched === false || error)
  const reasons = new Set([run.error, unmet?.error ?? ''])
  return [
    `${glyphOf(status, paint)} ${paint('bold', headOf(run, facts, columns - 3))}`,
    ...[...reasons].flatMap((reason) => below('│  ', oneLine(reason), options, 'red')),
    ...rowLines(rowsOf(run, now), options)
  ]
}

/** A run in one line, with what is said of it: where there is no room its id is short, and then its name. */
export function headOf({ name, dagRunId }: RunKey, facts: readonly string[], room: number): string {
  const told = (id: string) => [...facts.filter(Boolean), `run ${id}`].join('  ')
  const whole = `${name}  ${told(harmless(dagRunId))}`
  if (columnsOf(whole) <= room) return whole
  const short = told(idIn(room, dagRunId))
  return cut(`${cut(name, Math.max(LEAST_NAME, room - columnsOf(short) - 2))}  ${short}`, room)
}

/** The note of a row is beside it, or below it when the terminal is too narrow. */
function rowLines(rows: readonly Row[], options: SummaryOptions): string[] {
  const { columns, paint } = options
  const indent = ({ isSub }: Row) => (isSub ? SUB_COLUMNS : 0)
  const wordWidth = Math.max(0, ...rows.map(({ status }) => wordOf(status).length))
  const longest = Math.max(0, ...rows.map((row) => columnsOf(row.name) + indent(row)))
  const roomBesideWord = columns - 6 - 2 - wordWidth - TIME
  const hasWord = roomBesideWord >= Math.min(longest, LEAST_NAME)
  const word = ({ status }: Row) => (hasWord ? `  ${wordOf(status).padEnd(wordWidth)}` : '')
  const nameRoom = hasWord ? roomBesideWord : columns - 6 - TIME
  const nameWidth = Math.min(longest, nameRoom, Math.floor(columns / 2)) // a longer name moves the columns after it
  const quoted = quotesOf(options)
  return rows.flatMap((row, index) => {
    const branch = branchOf(rows, index, true)
    const goesOn = branch.startsWith('├') || branch.startsWith('│')
    const rail = `${goesOn ? '│' : ' '}${' '.repeat(6 + indent(row))}`
    const room = columns - 6 - indent(row)
    const name = padded(cut(row.name, nameRoom - indent(row)), nameWidth - indent(row))
    const text = `${name}${word(row)}${timeCell(row)}`
    const note = hasWord ? row.note : noteAlone(row)
    const isBeside = columnsOf(text) + 2 + columnsOf(note) <= room
    const shown = cut((isBeside ? `${text}  ${note}` : text).trimEnd(), room)
    return [
      `${paint('faint', branch)} ${glyphOf(row.status, paint)} ${shown}`,
      ...(isBeside ? [] : below(rail, note, options)),
      ...quoted(row).map((line) => `${paint('faint', rail)}${cut(line, columns - 8)}`)
    ]
  })
}

/** A text of any length, in full. */
const below = (rail: string, text: string, { columns, paint }: SummaryOptions, style?: Style): string[] =>
  wrapped(text, Math.max(NARROWEST, columns - rail.length - 1)).map(
    (line) => `${paint('faint', rail)}${paint(style, line)}`
  )

const timeCell = ({ tookMs }: Row) => (tookMs === undefined ? '' : durationText(tookMs)).padStart(TIME)

/** The quotes of all rows. */
function quotesOf({ quotes = 'failed', lastLines, said }: SummaryOptions): (row: Row) => string[] {
  let left = MOST_SAID
  return (row) => {
    if (quotes === 'none' || row.isSub) return []
    if (row.status === 'failed') return lastWords(row, lastLines)
    if (quotes === 'failed') return []
    const lines = said?.(row.name) ?? []
    left -= lines.length
    return left < 0 ? [] : lines
  }
}

/** The last lines of a failed step: of stderr, or else of stdout. */
function lastWords({ stdout, stderr }: Row, lastLines: SummaryOptions['lastLines'] = () => []): string[] {
  for (const [stream, path] of [
    ['stderr', stderr],
    ['stdout', stdout]
  ] as const) {
    const found = path === undefined ? [] : lastLines(path, QUOTED)
    if (found.length > 0) return found.map((line) => `${stream}: ${harmless(line)}`)
  }
  return []
}
