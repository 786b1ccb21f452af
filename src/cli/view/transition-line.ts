/** A transition as one line of a run that is not shown live. Source: api-semantics 11 (start). */
import type { EngineEvent, RunView } from '../../engine.ts'
import { glyphOf, type Paint, wordOf } from './paint.ts'
import { rowsOf } from './rows.ts'
import { durationText, oneLine, padded } from './text.ts'

export interface LineOptions {
  time: (at: number) => string
  paint: Paint
  /** When this node, or the run, was first heard of; absent: now. */
  begunAt: number | undefined
  /** The run after it, for the reason of a failure. */
  view: RunView | undefined
}

const WIDEST_WORD = 'not started'.length

/** Such as `14:03:07 ✗ failed       transform  1.2s  exit code 3`. */
export function transitionLine(event: EngineEvent, { time, paint, begunAt, view }: LineOptions): string {
  const { at, status = 'running', step, run, to } = event
  const word = padded(to === 'waiting' ? 'retry' : wordOf(status), WIDEST_WORD)
  const name = oneLine(step ?? `run ${run?.dagRunId ?? ''}`)
  const took = begunAt === undefined ? '' : durationText(at - begunAt)
  const reason = status !== 'failed' || !view ? '' : step ? noteOf(view, name, at) : oneLine(view.run.error ?? '')
  return [`${time(at)} ${glyphOf(status, paint)} ${word} ${name}`, took, reason].filter(Boolean).join('  ')
}

const noteOf = (view: RunView, name: string, now: number) =>
  rowsOf(view, now).find((row) => row.name === name)?.note ?? ''
