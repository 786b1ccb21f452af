/** The screen of the overview: exactly as many lines as it has, none wider than it is, nothing of a name that steers it. */
import type { RunSummary } from '../../client/index.ts'
import { glyphOf, type Paint, shownState, wordOf } from '../view/paint.ts'
import { tookMs } from '../view/row.ts'
import { begunAt } from '../view/run-rows.ts'
import { columnsOf, cut, durationText, harmless, idIn, oneLine, padded } from '../view/text.ts'
import type { Overview } from './look.ts'
import { listed, placeOf, START, type State } from './state.ts'

export interface Screen {
  columns: number
  rows: number
  /** Epoch ms. */
  now: number
  time(at: number): string
  paint: Paint
  /** Printed once, where no terminal is. */
  isOnce?: true
}

/** Lines above and below the list or the log. */
const HEAD = 2
const FOOT = 1
const MOST_QUEUES = 5
const KEYS = '↑↓ select  enter log  s stop  r retry  f only failures  q quit'
const LOG_KEYS = '↑↓ scroll  end follow  q back'

/** Lines of the list, or of the log, that are on the screen. */
export const pageOf = (state: State, { rows }: Pick<Screen, 'rows'>): number =>
  Math.max(1, rows - HEAD - FOOT - (state.log ? 1 : queuesOf(state.overview).length + 1))

export function screenLines(state: State, screen: Screen): string[] {
  const { columns, rows, paint } = screen
  const body = state.log ? logLines(state, screen) : listLines(state, screen)
  const lines = [...headLines(state, screen), ...body].slice(0, Math.max(0, rows - FOOT))
  while (lines.length < rows - FOOT) lines.push('')
  const { asked, message } = state
  const question = asked && `${asked.act} run ${asked.key.dagRunId} of ${oneLine(asked.key.name)}? y or n`
  const foot = cut(question ?? (message ? oneLine(message) : state.log ? LOG_KEYS : KEYS), columns)
  return [...lines, paint(question || message ? 'bold' : 'faint', foot)]
}

function headLines({ overview, trouble }: State, { columns, now, time, paint }: Screen): string[] {
  const clock = time(now)
  const place = cut(`troupe  ${oneLine(overview?.place ?? '')}`, Math.max(0, columns - clock.length - 2))
  const first = `${paint('bold', padded(place, columns - clock.length))}${clock}`
  const stands = overview && !overview.isServed ? 'no engine is there: runs stand still (troupe start-all)' : ''
  const problem = trouble || stands
  if (problem) return [first, paint('yellow', cut(oneLine(problem), columns))]
  if (!overview) return [first, paint('faint', 'looking ...')]
  const count = (status: string) => overview.runs.filter(({ statusLabel }) => statusLabel === status).length
  const counts = [`${count('running')} running`, `${count('queued')} queued`]
  const text = cut(`${counts.join(', ')}, ${overview.failures} failed in 24 hours`, columns)
  return [first, paint(overview.failures > 0 ? 'red' : 'faint', text)]
}

function queuesOf(overview: Overview | undefined): string[] {
  const texts = (overview?.queues ?? []).map(({ name, maxConcurrency, running, queued }) => {
    const limit = maxConcurrency === undefined ? '' : ` of ${maxConcurrency}`
    return `queue ${oneLine(name)}: ${running.length}${limit} running, ${queued.length} waiting`
  })
  const more = texts.length - MOST_QUEUES
  return more > 0 ? [...texts.slice(0, MOST_QUEUES - 1), `and ${more + 1} more queues`] : texts
}

function listLines(state: State, screen: Screen): string[] {
  const { columns, paint } = screen
  const runs = listed(state)
  const page = pageOf(state, screen)
  const place = placeOf(state)
  // The selected one is always in sight.
  const top = Math.max(0, Math.min(place - Math.floor(page / 2), runs.length - page))
  const shown = runs.slice(top, top + page)
  const names = shown.map(({ name }) => columnsOf(oneLine(name)))
  const width = Math.min(Math.max(4, ...names), Math.max(4, Math.floor(columns / 3)))
  const lines = shown.map((run, index) => {
    const text = cut(rowOf(run, width, screen), Math.max(0, columns - 4))
    const mark = top + index === place ? '>' : ' '
    return `${mark} ${glyphOf(shownState(run), paint)} ${top + index === place ? paint('bold', text) : text}`
  })
  const nothing = state.overview
    ? [paint('faint', cut(state.onlyFailed ? 'no run has failed' : 'no runs', columns))]
    : []
  const queues = queuesOf(state.overview).map((text) => paint('cyan', cut(text, columns)))
  return [...queues, '', ...(lines.length > 0 ? lines : nothing)]
}

const WIDEST_WORD = 'waiting for approval'.length

function rowOf(run: RunSummary, width: number, { columns, now, time, isOnce }: Screen): string {
  const began = begunAt(run)
  const took = tookMs(run, now)
  const word = columns < 100 ? '' : `${wordOf(shownState(run)).padEnd(WIDEST_WORD)}  `
  const took_ = (took === undefined ? '' : durationText(took)).padStart(6)
  const name = padded(cut(oneLine(run.name), width), width)
  return [
    `${word}${name}`,
    began === undefined ? '' : time(began),
    took_,
    isOnce ? harmless(run.dagRunId) : idIn(columns, run.dagRunId),
    oneLine(run.error ?? '')
  ]
    .join('  ')
    .trimEnd()
}

function logLines({ log }: State, { columns, rows, paint }: Screen): string[] {
  if (!log) return []
  const { key, lines, back, isOver } = log
  const page = pageOf({ ...START, log }, { rows })
  const end = lines.length - back
  const shown = lines.slice(Math.max(0, end - page), end).map((line) => cut(line, columns))
  const where = back > 0 ? `, ${back} lines below` : isOver ? ', ended' : ''
  const title = cut(`log of ${oneLine(key.name)} ${harmless(key.dagRunId)}${where}`, columns)
  return [paint('cyan', title), ...(lines.length === 0 ? [paint('faint', 'nothing yet')] : shown)]
}
