/** Writes the summary of a run, as wide as the terminal. */
import type { RunDetails } from '../../client/index.ts'
import type { CliContext, Output } from '../context.ts'
import type { OpenClient } from '../owner/opened.ts'
import { lastLines } from '../view/file-end.ts'
import { type SummaryOptions, summary } from '../view/summary.ts'

/** @param client that the run is of @param to the stream */
export function writeSummary(
  { clock }: CliContext,
  run: RunDetails,
  {
    to,
    client,
    ...options
  }: { to: Output; client: Pick<OpenClient, 'isElsewhere'> } & Pick<SummaryOptions, 'paint' | 'quotes' | 'said'>
): void {
  const columns = (to.isTTY && to.columns) || Number.POSITIVE_INFINITY
  const files = client.isElsewhere ? {} : { lastLines }
  to.write(`${summary(run, { now: clock.now(), columns, ...files, ...options }).join('\n')}\n`)
}
