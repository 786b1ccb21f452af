/** `/dags/{fileName}/statistics`, `.../next-runs` and `/dag-runs/{name}/{dagRunId}/diff`. Source: http-api "Definitions", "Runs". */
import type Router from '@koa/router'
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import { nextRunsOf } from '../../definition/dag/next-run.ts'
import type { Engine, RunView } from '../../engine/engine.ts'
import type { ComparedEvent } from '../../engine/views/first-difference.ts'
import { type RunDiff, runDiff, type StepTime } from '../../engine/views/run-diff.ts'
import { type PastRun, statistics } from '../../engine/views/step-statistics.ts'
import { TroupeError } from '../../errors.ts'
import type { Shape } from '../../schema/schema.ts'
import { seenHistoryOf, seenRuns } from '../access/seen.ts'
import type * as contract from '../contract/comparisons.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import { statusShape } from '../shapes/shapes.ts'
import { type TimeText, timeTextOf } from '../shapes/time-text.ts'
import { awaitedShape } from '../shapes/wait-shapes.ts'
import { turns } from '../turns.ts'

const DEFAULT_RUNS = 50
const MOST_RUNS = 200
const DEFAULT_STARTS = 5
const MOST_STARTS = 100

export function comparisonRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/dags/:fileName/statistics', async (ctx) => {
    const { runs: wanted, history = false } = readQuery(ctx, OPERATIONS.getStatistics.query)
    const name = await seenHistoryOf(ctx, engine, ctx.params.fileName ?? '')
    const most = Math.min(wantedNumber(wanted) ?? DEFAULT_RUNS, MOST_RUNS)
    const seen = statistics()
    const turn = turns()
    for (const { dagRunId } of await seenRuns(ctx, engine.runs({ name, limit: most }))) {
      const view = engine.run({ name, dagRunId })
      if (view) seen.add(view)
      await turn()
    }
    ctx.body = { ...seen.result(), ...(history ? { history: seen.history().map((run) => pastShape(run, time)) } : {}) }
  })

  router.get('/dags/:fileName/next-runs', async (ctx) => {
    const { limit } = readQuery(ctx, OPERATIONS.listNextRuns.query)
    const { plan } = engine.definition(ctx.params.fileName ?? '').definition
    const most = Math.min(wantedNumber(limit) ?? DEFAULT_STARTS, MOST_STARTS)
    const found = nextRunsOf(plan?.schedule.start ?? [], engine.now(), engine.config.tz, most, turns())
    ctx.body = { nextRuns: (await found).map(({ at, ...rest }) => ({ at: time(at), atMs: at, ...rest })) }
  })

  router.get('/dag-runs/:name/:dagRunId/diff', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const { with: other } = readQuery(ctx, OPERATIONS.compareRuns.query)
    const after = known(name, dagRunId)
    const turn = turns()
    await turn()
    ctx.body = diffShape(await runDiff(engine, known(name, other), after, turn), time)
  })

  function known(name: string, dagRunId: string): RunView {
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    return view
  }
}

/** What is different between two runs, as JSON. Source: http-api "Runs" (diff). */
const diffShape = ({ steps, event, ...rest }: RunDiff, time: TimeText): Shape<typeof contract.RunDiff> => ({
  ...rest,
  steps: steps.map(({ name, ...sides }) => ({ name, ...eachSide(sides, stepShape) })),
  ...(event ? { event: eachSide(event, (one) => ({ ...one, at: time(one.at), atMs: one.at }) as const) } : {})
})

/** One run of the statistics. */
const pastShape = ({ status, awaited, createdAt, steps, ...run }: PastRun, time: TimeText) => ({
  ...run,
  ...statusShape(RUN_STATUSES, status),
  ...awaitedShape(awaited, time),
  createdAt: time(createdAt),
  createdAtMs: createdAt,
  steps: steps.map((step) => step && { ...stepShape(step), ...awaitedShape(step.awaited, time) })
})

const stepShape = ({ status, ms }: StepTime) => ({
  ...statusShape(NODE_STATUSES, status),
  ...(ms === undefined ? {} : { ms })
})

const eachSide = <T extends StepTime | ComparedEvent, S>(
  { before, after }: { before?: T; after?: T },
  shape: (side: T) => S
): { before?: S; after?: S } => ({
  ...(before ? { before: shape(before) } : {}),
  ...(after ? { after: shape(after) } : {})
})
