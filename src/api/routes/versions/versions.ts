/** `/dags/{fileName}/versions...`: the texts that a definition has had. An addition: docs/http-api.md "Versions of a definition". */
import type Router from '@koa/router'
import type { RunRecord } from '../../../../machines/vocabulary.ts'
import { revisionOf } from '../../../definition/text/revision.ts'
import type { Engine } from '../../../engine/engine.ts'
import { TroupeError } from '../../../errors.ts'
import { seenHistoryOf, seenRuns } from '../../access/seen.ts'
import { anyone } from '../../auth/principal.ts'
import type { Shape } from '../../contract/schema.ts'
import type { DefinitionVersion } from '../../contract/versions/operations.ts'
import { RUN_STATUSES, statusShape } from '../../shapes/shapes.ts'
import { timeTextOf } from '../../shapes/time-text.ts'
import { turns } from '../../turns.ts'

/** Of the DAG: those whose text is looked at. */
const LATEST_RUNS = 200
/** Of each version. */
const MOST_RUNS = 10

export function versionRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/dags/:fileName/versions', async (ctx) => {
    const { fileName = '' } = ctx.params
    const { spec } = engine.definition(fileName)
    const current = revisionOf(spec)
    const name = await seenHistoryOf(ctx, engine, fileName)
    const byRevision = await runsByText(await seenRuns(ctx, engine.runs({ name, limit: LATEST_RUNS })))
    const versions: Shape<typeof DefinitionVersion>[] = engine.versions(fileName).map((version, index) => {
      const { revision, spec, at, by, how } = version
      const runs = byRevision.get(revision) ?? []
      return {
        revision,
        at: time(at),
        atMs: at,
        ...(by === undefined || by === anyone.name ? {} : { by }),
        how,
        size: Buffer.byteLength(spec),
        // A text that was restored is there twice.
        isCurrent: index === 0 && revision === current,
        runCount: runs.length,
        runs: runs.slice(0, MOST_RUNS).map(({ dagRunId, status, createdAt }) => ({
          dagRunId,
          ...statusShape(RUN_STATUSES, status),
          createdAt: time(createdAt),
          createdAtMs: createdAt
        }))
      }
    })
    ctx.body = { versions }
  })

  router.get('/dags/:fileName/versions/:revision', (ctx) => {
    const { fileName = '', revision = '' } = ctx.params
    engine.definition(fileName)
    const found = engine.versions(fileName).find((version) => version.revision === revision)
    if (!found) throw new TroupeError('not_found', `${fileName} has no version ${revision}`)
    ctx.body = { revision, spec: found.spec }
  })

  /** Newest first, by the revision of the text that they were started with. */
  async function runsByText(runs: readonly RunRecord[]): Promise<Map<string, RunRecord[]>> {
    const revisions = new Map<string, string>()
    const found = new Map<string, RunRecord[]>()
    const turn = turns()
    for (const run of runs) {
      const revision = revisions.get(run.plan) ?? revisionOfRun(run)
      if (revision === undefined) continue
      revisions.set(run.plan, revision)
      found.set(revision, [...(found.get(revision) ?? []), run])
      await turn()
    }
    return found
  }

  /** Undefined: its text cannot be read. */
  function revisionOfRun(run: RunRecord): string | undefined {
    try {
      const spec = engine.runSpec(run)
      return spec === undefined ? undefined : revisionOf(spec)
    } catch (error) {
      if (error instanceof TroupeError) return undefined
      throw error
    }
  }
}
