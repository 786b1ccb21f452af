/** A transition as one line of a run that is not shown live. Source: api-semantics 11 (start). */
import type { EngineEvent, RunView } from '../../engine/engine.ts'
import { glyphOf, type Paint, type Shown, wordOf } from './paint.ts'
import { rowsOf } from './rows.ts'
import { durationText, oneLine, padded } from './text.ts'

/** What a line shows: a status, or one of the two waits that matter to a reader. Undefined: nothing. */
export function shownOf({ status, to }: EngineEvent): Shown | 'retry' | undefined {
  if (status === 'running' && to === 'waiting') return 'retry'
  return status === 'canceled' && to !== 'canceled' ? 'stopping' : status
}

export interface LineOptions {
  shown: Shown | 'retry'
  time: (at: number) => string
  paint: Paint
  /** Time of the first event of this node or run; absent: now. */
  begunAt: number | undefined
  /** The run after the transition, for the reason of a failure and the time of a wait. */
  view: RunView | undefined
}

const WIDEST_WORD = 'not started'.length

/** Such as `14:03:07 ✗ failed       transform  1.2s  exit code 3`. */
export function transitionLine(event: EngineEvent, { shown, time, paint, begunAt, view }: LineOptions): string {
  const { at, step, run } = event
  const [status, word] = shown === 'retry' ? (['running', shown] as const) : [shown, wordOf(shown)]
  const name = oneLine(step ?? `run ${run?.dagRunId ?? ''}`)
  const took = begunAt === undefined ? '' : durationText(at - begunAt)
  const reason =
    (shown !== 'failed' && shown !== 'retry') || !view
      ? ''
      : step
        ? noteOf(view, name, at)
        : oneLine(view.run.error ?? '')
  return [`${time(at)} ${glyphOf(status, paint)} ${padded(word, WIDEST_WORD)} ${name}`, took, reason]
    .filter(Boolean)
    .join('  ')
}

const noteOf = (view: RunView, name: string, now: number) =>
  rowsOf(view, now).find((row) => row.name === name)?.note ?? ''
