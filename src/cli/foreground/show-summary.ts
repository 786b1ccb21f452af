/** Writes the summary of a run, as wide as the terminal. */
import type { RunView } from '../../engine/engine.ts'
import type { Output, Surroundings } from '../surroundings.ts'
import { lastLines } from '../view/file-end.ts'
import { type SummaryOptions, summary } from '../view/summary.ts'

/** @param to where it is written */
export function writeSummary(
  { clock }: Surroundings,
  view: RunView,
  { to, ...options }: { to: Output } & Pick<SummaryOptions, 'paint' | 'quotes' | 'said'>
): void {
  const columns = (to.isTTY && to.columns) || Number.POSITIVE_INFINITY
  to.write(`${summary(view, { now: clock.now(), columns, lastLines, ...options }).join('\n')}\n`)
}
