/** `/dags/{fileName}/versions...`: the texts that a definition has had. An addition: docs/http-api.md "Versions of a definition". */
import type Router from '@koa/router'
import type { Engine } from '../../../engine/engine.ts'
import { TroupeError } from '../../../errors.ts'
import { seenHistoryOf, seenRuns } from '../../access/seen.ts'
import { timeTextOf } from '../../shapes/time-text.ts'
import { LATEST_RUNS, listedVersions, versionShape } from '../../shapes/version-shape.ts'

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
