/** Writes the summary of a run, as wide as the terminal. */
import type { RunView } from '../engine.ts'
import type { Surroundings } from './surroundings.ts'
import { lastLines } from './view/file-end.ts'
import type { Paint } from './view/paint.ts'
import { summary } from './view/summary.ts'

export function writeSummary({ out, clock }: Surroundings, view: RunView, paint: Paint): void {
  const columns = (out.isTTY && out.columns) || Number.POSITIVE_INFINITY
  out.write(`${summary(view, { now: clock.now(), columns, paint, lastLines }).join('\n')}\n`)
}
