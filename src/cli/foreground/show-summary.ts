/** Writes the summary of a run, as wide as the terminal. */
import type { RunView } from '../../engine/engine.ts'
import type { CliContext, Output } from '../context.ts'
import { lastLines } from '../view/file-end.ts'
import { type SummaryOptions, summary } from '../view/summary.ts'

/** @param to the stream */
export function writeSummary(
  { clock }: CliContext,
  view: RunView,
  { to, ...options }: { to: Output } & Pick<SummaryOptions, 'paint' | 'quotes' | 'said'>
): void {
  const columns = (to.isTTY && to.columns) || Number.POSITIVE_INFINITY
  to.write(`${summary(view, { now: clock.now(), columns, lastLines, ...options }).join('\n')}\n`)
}
