/** Queues and the runs in them, as lines. Source: api-semantics 6.1. */
import type { Queue, RunSummary } from '../../client/index.ts'
import { glyphOf, type Paint, shownState, wordOf } from './paint.ts'
import { startOf } from './row.ts'
import { columnsOf, durationText, idIn, instant, oneLine, padded } from './text.ts'

/** @param now epoch ms @param room columns that there are */
export function queueLines(
  { name, maxConcurrency, running, queued }: Queue,
  paint: Paint,
  now: number,
  room?: number
): string[] {
  const limit = maxConcurrency === undefined ? '' : ` of ${maxConcurrency}`
  const head = `${paint('bold', oneLine(name))}  ${running.length}${limit} running, ${queued.length} queued`
  const runs = [...running, ...queued]
  const width = runs.reduce((most, run) => Math.max(most, columnsOf(oneLine(run.name))), 0)
  const rows = runs.map((run, index) => {
    const branch = paint('faint', index === runs.length - 1 ? '└─' : '├─')
    return `${branch} ${runText(run, width, paint, now, room)}`
  })
  return [head, ...rows]
}

/** A queued run, such as `◌ etl  queued    12.0s  run r2`. */
export const waitingLine = (run: RunSummary, paint: Paint, now: number, room?: number): string =>
  runText(run, 0, paint, now, room)

const WIDEST_WORD = 'running'.length

function runText(run: RunSummary, width: number, paint: Paint, now: number, room: number | undefined) {
  const { name, dagRunId, queuedAt } = run
  const status = shownState(run)
  const since = (status === 'queued' ? instant(queuedAt) : startOf(run)) ?? now
  const cells = [
    padded(oneLine(name), width),
    wordOf(status).padEnd(WIDEST_WORD),
    durationText(now - since).padStart(6)
  ]
  const place = status === 'queued' ? placeText(run, now) : ''
  return `${glyphOf(status, paint)} ${cells.join('  ')}  run ${idIn(room, dagRunId)}${place}`
}

/** What else its turn depends on, if anything does. */
function placeText({ priority, at }: RunSummary, now: number): string {
  const isLater = at !== undefined && (instant(at) ?? 0) > now
  return (priority === undefined ? '' : `, priority ${priority}`) + (isLater ? `, not before ${at}` : '')
}
