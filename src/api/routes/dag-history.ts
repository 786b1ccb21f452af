/** `/dags/{fileName}/...`: starts of a definition, and its runs. Source: http-api "Runs of one definition", api-semantics 3.4, 3.5. */
import type Router from '@koa/router'
import type { Engine } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { mustRunAs } from '../access/gate.ts'
import { seenHistoryOf, seenRuns } from '../access/seen.ts'
import { requestedBy } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import { answerStart, startBody } from '../input/start-body.ts'
import { dagNameOf } from '../shapes/dag-names.ts'
import { viewsOf } from '../shapes/run-views.ts'
import { gridShape, runAnswer, runDetails } from '../shapes/shapes.ts'
import { shapeSteps } from '../shapes/step-shape.ts'
import { timeTextOf } from '../shapes/time-text.ts'
import { LATEST_RUNS, listedVersions, versionShape } from '../shapes/version-shape.ts'

const DEFAULT_RUNS = 30
const MOST_RUNS = 200

export function dagHistoryRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)
  const evaluated = engine.config.evalParams ? { evaluateParams: true } : {}

  router.post('/dags/:fileName/start', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const asked = await startBody(ctx, engine)
    await mustRunAs(ctx, asked.dagName)
    await answerStart(ctx, engine, engine.start({ fileName, ...asked, ...evaluated }))
  })

  router.post('/dags/:fileName/stop-all', async (ctx) => {
    const name = dagNameOf(engine.definition(ctx.params.fileName ?? ''))
    const asked = { ...(await readBody(ctx, OPERATIONS.stopAllRuns.body)), ...requestedBy(ctx) }
    const running = engine.runs({ name, status: ['running'] })
    const errors = await Promise.all(
      running.map(async ({ dagRunId }) => {
        try {
          await engine.stop({ name, dagRunId }, asked)
          return []
        } catch (error) {
          if (!(error instanceof TroupeError)) throw error
          return error.code === 'not_running' ? [] : [`${dagRunId}: ${error.message}`] // it has ended meanwhile
        }
      })
    )
    ctx.body = { errors: errors.flat() }
  })

  router.get('/dags/:fileName/dag-runs', async (ctx) => {
    const { limit } = readQuery(ctx, OPERATIONS.listRunsOfDag.query)
    const name = await seenHistoryOf(ctx, engine, ctx.params.fileName ?? '')
    const runs = engine.runs({ name, limit: Math.min(wantedNumber(limit) ?? DEFAULT_RUNS, MOST_RUNS) })
    const views = await viewsOf(engine, await seenRuns(ctx, runs))
    ctx.body = { dagRuns: views.map((view) => runDetails(view, time)), gridData: gridShape(views) }
  })

  router.get('/dags/:fileName/dag-runs/:dagRunId', async (ctx) => {
    const { fileName = '', dagRunId = '' } = ctx.params
    const name = await seenHistoryOf(ctx, engine, fileName)
    const view = engine.run({ name, dagRunId })
    if (!view || (await seenRuns(ctx, [view.run])).length === 0)
      throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    await shapeSteps(view.plan.steps)
    ctx.body = runAnswer(view, time)
  })
}

/** `/dags/{fileName}/versions...`: the texts that a definition has had. Source: docs/http-api.md "Versions of a definition". */
export function versionRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/dags/:fileName/versions', async (ctx) => {
    const { fileName = '' } = ctx.params
    const name = await seenHistoryOf(ctx, engine, fileName)
    const runs = await seenRuns(ctx, engine.runs({ name, limit: LATEST_RUNS }))
    const versions = await listedVersions(engine, fileName, runs)
    ctx.body = { versions: versions.map((version) => versionShape(version, time)) }
  })

  router.get('/dags/:fileName/versions/:revision', (ctx) => {
    const { fileName = '', revision = '' } = ctx.params
    engine.definition(fileName)
    const found = engine.versions(fileName).find((version) => version.revision === revision)
    if (!found) throw new TroupeError('not_found', `${fileName} has no version ${revision}`)
    ctx.body = { revision, spec: found.spec }
  })
}
