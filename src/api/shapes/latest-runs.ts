/** The latest runs of each definition of a page, for a strip of them in its row. */
import type { ParameterizedContext } from 'koa'
import { RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Engine } from '../../engine/engine.ts'
import type { Shape } from '../../schema/schema.ts'
import { seenRuns } from '../access/seen.ts'
import { type LatestRun, MOST_LATEST_RUNS } from '../contract/dag-shapes.ts'
import { turns } from '../turns.ts'
import type { Entry } from './catalogue.ts'
import { dagNameOf } from './dag-names.ts'
import { statusShape } from './shapes.ts'
import type { TimeText } from './time-text.ts'
import { awaitedShape } from './wait-shapes.ts'

/** In the order of the page. @param wanted of each; 0: undefined is returned */
export async function latestRunsOf(
  ctx: ParameterizedContext,
  engine: Engine,
  page: readonly Entry[],
  wanted: number,
  time: TimeText
): Promise<Shape<typeof LatestRun>[][] | undefined> {
  const limit = Math.min(wanted, MOST_LATEST_RUNS)
  if (limit < 1) return undefined
  const turn = turns()
  const rows: Shape<typeof LatestRun>[][] = []
  for (const { stored } of page) {
    const runs = await seenRuns(ctx, engine.runs({ name: dagNameOf(stored), limit }))
    rows.push(
      runs.map((run) => {
        const { dagRunId, status, createdAt, startedAt, finishedAt } = run
        return {
          dagRunId,
          ...statusShape(RUN_STATUSES, status),
          ...awaitedShape(engine.awaitedBy(run), time),
          createdAtMs: createdAt,
          ...(startedAt === undefined || finishedAt === undefined ? {} : { ms: Math.max(0, finishedAt - startedAt) })
        }
      })
    )
    await turn()
  }
  return rows
}
