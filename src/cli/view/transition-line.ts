/** A transition as one line of a run that is not shown live. Source: api-semantics 11 (start). */
import type { JournalEvent, RunDetails } from '../../client/index.ts'
import { glyphOf, type Paint, type Shown, shownStatus, wordOf } from './paint.ts'
import { rowsOf } from './rows.ts'
import { durationText, oneLine, padded } from './text.ts'

/** What a line shows: a status, or one of the two waits that matter to a reader. Undefined: nothing. */
export function shownOf({ statusLabel, to }: JournalEvent): Shown | 'retry' | undefined {
  if (statusLabel === 'running' && to === 'waiting') return 'retry'
  if (statusLabel === 'canceled' && to !== 'canceled') return 'stopping'
  return statusLabel && shownStatus(statusLabel)
}

export interface LineOptions {
  shown: Shown | 'retry'
  time: (at: number) => string
  paint: Paint
  /** Time of the first event of this node or run; absent: now. */
  begunAt: number | undefined
  /** After the transition, for the reason of a failure and the time of a wait. */
  run: RunDetails | undefined
}

const WIDEST_WORD = 'not started'.length

/** Such as `14:03:07 ✗ failed       transform  1.2s  exit code 3`. */
export function transitionLine(event: JournalEvent, { shown, time, paint, begunAt, run }: LineOptions): string {
  const { atMs: at, step, dagRunId } = event
  const [status, word] = shown === 'retry' ? (['running', shown] as const) : [shown, wordOf(shown)]
  const name = oneLine(step ?? `run ${dagRunId}`)
  const took = begunAt === undefined ? '' : durationText(at - begunAt)
  const reason =
    (shown !== 'failed' && shown !== 'retry') || !run ? '' : step ? noteOf(run, name, at) : oneLine(run.error)
  return [`${time(at)} ${glyphOf(status, paint)} ${padded(word, WIDEST_WORD)} ${name}`, took, reason]
    .filter(Boolean)
    .join('  ')
}

const noteOf = (run: RunDetails, name: string, now: number) =>
  rowsOf(run, now).find((row) => row.name === name)?.note ?? ''
