/** `/dags...`: stored definitions, listed and read, created and replaced. Source: http-api "Definitions", api-semantics 3.2, 3.3. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import { revisionOf } from '../../definition/text/revision.ts'
import type { StoredDefinition } from '../../definitions/stored-definition.ts'
import type { Engine } from '../../engine/engine.ts'
import { trendsOf } from '../../engine/views/trend.ts'
import { TroupeError } from '../../errors.ts'
import { mustEdit } from '../access/gate.ts'
import { rowPermissions } from '../access/row-permissions.ts'
import { sightOf } from '../access/sight.ts'
import { permittedTo } from '../auth/permissions.ts'
import { type AccessState, anyone, callerOf } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { checkFields, readBody, readObject } from '../input/body.ts'
import { pageOf } from '../input/pages.ts'
import { readQuery } from '../input/query.ts'
import { refuse } from '../rules/error-body.ts'
import { isStrict, unknownFields } from '../rules/strict.ts'
import type { Catalogue, Entry } from '../shapes/catalogue.ts'
import { dagNameOf, latestShown } from '../shapes/dag-names.ts'
import { dagDetails, dagSummary, errorsOf, isUnreadable, localDags } from '../shapes/dag-shapes.ts'
import { byLatest, byTrend } from '../shapes/latest-order.ts'
import { latestRunsOf } from '../shapes/latest-runs.ts'
import { nextRunsOf } from '../shapes/next-runs.ts'
import type { SeenCatalogue } from '../shapes/seen-catalogue.ts'
import { neverRunDetails, neverRunSummary, runDetails, runSummary } from '../shapes/shapes.ts'
import { shapeSteps } from '../shapes/step-shape.ts'
import { timeTextOf } from '../shapes/time-text.ts'
import { turns } from '../turns.ts'

const { listDags, createDag, validateDag, replaceDagSpec } = OPERATIONS

// D203: `POST /dags/validate` answers `valid: false` for a field of the wrong type
export function dagRoutes(router: Router, engine: Engine, catalogue: SeenCatalogue): void {
  const time = timeTextOf(engine.config)
  const { dagList } = engine.config
  const latestOf = latestShown(engine)
  const nextRunOf = nextRunsOf(engine)
  const trends = trendsOf(engine)
  // D260: callers without `write` cannot probe files
  /** Files that a definition refers to are checked only for callers that may write one: others would learn which files exist. */
  const mayWrite = (ctx: ParameterizedContext<AccessState>) =>
    permittedTo(ctx.state.principal ?? anyone, engine.config.permissions).includes('write') &&
    sightOf(ctx).rights.somewhere('editor')
  const trendOf = (stored: StoredDefinition) => {
    const trend = trends.of(dagNameOf(stored))
    return trend ? { trend } : {}
  }
  const nextRunText = (stored: Pick<StoredDefinition, 'definition' | 'suspended'>) => time(nextRunOf(stored))

  router.get('/dags', async (ctx) => {
    const query = readQuery(ctx, listDags.query)
    const all = await catalogue(ctx)
    const order = (query.order ?? dagList.order) === 'desc' ? 'desc' : 'asc'
    const sort = query.sort ?? dagList.sort
    const inOrder = sort === 'nextRun' ? await all.byNextRun(order) : all.byName(order)
    const wanted = chosen(all, inOrder, query)
    const turn = turns()
    if (query.trend || sort === 'trend') await trends.refresh(turn)
    const found =
      sort === 'trend'
        ? await byTrend(wanted, order, trends)
        : sort === 'latestRun' || sort === 'status'
          ? await byLatest(wanted, sort, order, latestOf)
          : wanted
    const { page, pagination } = pageOf(found, query)
    const permissions = await rowPermissions(ctx, engine.config)
    for (const { stored } of page) {
      nextRunOf(stored) // which remembers it
      if (query.trend) trends.of(dagNameOf(stored)) // which does so too
      await turn()
    }
    const latestRuns = await latestRunsOf(ctx, engine, page, query.latestRuns ?? 0, time)
    ctx.body = {
      dags: page.map(({ stored }, at) => {
        const { fileName, definition, suspended } = stored
        const latest = latestOf(dagNameOf(stored))
        return {
          fileName,
          dag: dagSummary(definition, fileName, nextRunText(stored)),
          latestDAGRun: latest
            ? runSummary(latest, time, engine.awaitedBy(latest))
            : neverRunSummary(dagNameOf(stored)),
          suspended,
          errors: errorsOf(definition),
          ...permissions.named(dagNameOf(stored)),
          ...(query.trend ? trendOf(stored) : {}),
          ...(latestRuns ? { latestRuns: latestRuns[at] } : {})
        }
      }),
      errors: all.unreadable.length === 0 ? [] : found.flatMap(({ unreadable }) => unreadable),
      pagination
    }
  })

  router.post('/dags', async (ctx) => {
    const { name, spec } = await readBody(ctx, createDag.body)
    await mustEdit(engine, ctx, spec, name, name)
    await engine.createDefinition(name, spec, { by: callerOf(ctx) })
    ctx.set('Location', `${ctx.path}/${name}`)
    ctx.status = 201
    ctx.body = { name }
  })

  router.post('/dags/validate', async (ctx) => {
    const object = await readObject(ctx)
    if (!object) throw new TroupeError('bad_request', 'request body: wanted a JSON object, found none')
    if (isStrict(ctx)) refuse(unknownFields(object, validateDag.body))
    const { body, problems } = checkFields(object, validateDag.body)
    const { spec = '', name = '' } = body
    if (problems.length === 0 && spec.trim() === '') problems.push('spec is required')
    if (problems.length > 0) {
      ctx.body = { valid: false, errors: problems }
      return
    }
    const fallback = name || 'validated-dag'
    const definition = await engine.validate(spec, fallback, { by: callerOf(ctx), files: mayWrite(ctx) })
    await shapeSteps(definition.outline.steps)
    ctx.body = {
      valid: definition.problems.length === 0,
      errors: errorsOf(definition),
      ...(definition.warnings.length > 0 ? { warnings: definition.warnings } : {}),
      ...(isUnreadable(definition)
        ? {}
        : { dag: dagDetails(definition, fallback, nextRunText({ definition, suspended: false })) })
    }
  })

  router.get('/dags/:fileName', async (ctx) => {
    const { fileName = '' } = ctx.params
    const stored = engine.definition(fileName)
    const { definition, suspended } = stored
    await shapeSteps(definition.outline.steps)
    const name = dagNameOf(stored)
    const latest = latestOf(name)
    const view = latest && engine.run(latest)
    if (view) await shapeSteps(view.plan.steps)
    await trends.refresh(turns())
    ctx.body = {
      dag: dagDetails(definition, fileName, nextRunText(stored)),
      localDags: localDags(definition),
      latestDAGRun: view ? runDetails(view, time) : neverRunDetails(name, definition.outline.steps),
      suspended,
      errors: errorsOf(definition),
      ...trendOf(stored)
    }
  })

  router.get('/dags/:fileName/spec', async (ctx) => {
    const { fileName = '' } = ctx.params
    const stored = engine.definition(fileName)
    const { definition } = stored
    await shapeSteps(definition.outline.steps)
    const spec = engine.spec(fileName)
    ctx.body = {
      dag: dagDetails(definition, fileName, nextRunText(stored)),
      spec,
      errors: [...errorsOf(definition), ...definition.warnings],
      ...(stored.inCode ? {} : { revision: revisionOf(spec) })
    }
  })

  router.put('/dags/:fileName/spec', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { spec, revision } = await readBody(ctx, replaceDagSpec.body)
    await mustEdit(engine, ctx, spec, fileName)
    const errors = await engine.replaceDefinition(fileName, spec, { by: callerOf(ctx), revision })
    const isToldOfIt = revision !== undefined && errors.length === 0
    ctx.body = { errors, ...(isToldOfIt ? { revision: revisionOf(spec) } : {}) }
  })
}

/** Entries with a name and tags, in the same order. */
function chosen(
  all: Catalogue,
  inOrder: readonly Entry[],
  { name = '', tag }: { name: string | undefined; tag: readonly string[] }
): readonly Entry[] {
  const part = name.toLowerCase()
  const tags = tag.map((tag) => all.tagged(tag.trim().toLowerCase()))
  if (part === '' && tags.length === 0) return inOrder
  return inOrder.filter((entry) => entry.fileKey.includes(part) && tags.every((tagged) => tagged.has(entry)))
}
