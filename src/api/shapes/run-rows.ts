/** Runs as rows of a list. Source: http-api "Runs (global)", "Queues and workers". */
import type { ParameterizedContext } from 'koa'
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Shape } from '../../schema/schema.ts'
import { rowPermissions } from '../access/row-permissions.ts'
import type { RunSummary } from '../contract/run-shapes.ts'
import { runSummary } from './shapes.ts'
import type { TimeText } from './time-text.ts'

export type SummaryOf = (run: RunRecord) => Shape<typeof RunSummary>

/** Summaries with what each waits for, and with what the caller may do with each run, where that is not the same for all. */
export async function rowsFor(ctx: ParameterizedContext, engine: Engine, time: TimeText): Promise<SummaryOf> {
  const permissions = await rowPermissions(ctx, engine.config)
  return (run) => ({ ...runSummary(run, time, engine.awaitedBy(run)), ...permissions.run(run) })
}
