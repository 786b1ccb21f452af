/** `/dags/{fileName}/statistics`, `.../next-runs` and `/dag-runs/{name}/{dagRunId}/diff`. Source: http-api "Definitions", "Runs". */
import type Router from '@koa/router'
import { nextRunsOf } from '../../definition/dag/next-run.ts'
import type { Engine, RunView } from '../../engine/engine.ts'
import { runDiff } from '../../engine/views/run-diff.ts'
import { statistics } from '../../engine/views/step-statistics.ts'
import { TroupeError } from '../../errors.ts'
import { seenHistoryOf, seenRuns } from '../access/seen.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import { diffShape, pastShape } from '../shapes/comparison-shapes.ts'
import { timeTextOf } from '../shapes/time-text.ts'
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
