/** `/dags...`: stored definitions and what is started from them. Source: http-api "Definitions", api-semantics 3.2-3.5. */
import type Router from '@koa/router'
import type { Engine, StoredDefinition } from '../../engine.ts'
import { TroupeError } from '../../errors.ts'
import { checkFields, readBody, readObject } from '../body.ts'
import { dagDetails, dagSummary, errorsOf, isUnreadable, localDags } from '../dag-shapes.ts'
import { refuse } from '../error-body.ts'
import { nameProblem, newFileNameProblem } from '../names.ts'
import { pageOf } from '../pages.ts'
import { readQuery } from '../query.ts'
import { neverRunDetails, neverRunSummary, runAnswer, runDetails, runSummary } from '../shapes.ts'
import { startBody } from '../start-body.ts'
import { timeTextIn } from '../time-text.ts'

const LIST_QUERY = { page: 'integer', perPage: 'integer', name: 'text', tag: 'texts', order: 'text' } as const

export function dagRoutes(router: Router, engine: Engine): void {
  const time = timeTextIn(engine.config.tz)

  router.get('/dags', (ctx) => {
    const query = readQuery(ctx, LIST_QUERY)
    const found = engine.definitions().filter(hasName(query.name)).filter(hasTags(query.tag))
    // `sort=nextRun` puts DAGs without a schedule last, by name: no definition has a schedule yet.
    const { page, pagination } = pageOf(sorted(found, query.order === 'desc' ? 'desc' : 'asc'), query)
    ctx.body = {
      dags: page.map(({ fileName, definition, suspended }) => {
        const latest = engine.latest(dagNameOf({ fileName, definition }))
        return {
          fileName,
          dag: dagSummary(definition, fileName),
          latestDAGRun: latest ? runSummary(latest, time) : neverRunSummary(dagNameOf({ fileName, definition })),
          suspended,
          errors: errorsOf(definition)
        }
      }),
      errors: found
        .filter(({ definition }) => isUnreadable(definition))
        .flatMap(({ fileName, definition }) => errorsOf(definition).map((error) => `${fileName}: ${error}`)),
      pagination
    }
  })

  router.post('/dags', async (ctx) => {
    const { name, spec } = await readBody(ctx, { name: 'string', spec: 'string' })
    if (name === undefined) throw new TroupeError('bad_request', "field 'name': required")
    refuse([newFileNameProblem('name', name)])
    if (spec === undefined || spec.trim() === '') engine.createDefinition(name)
    else engine.createDefinition(name, spec)
    ctx.set('Location', `${ctx.path}/${name}`)
    ctx.status = 201
    ctx.body = { name }
  })

  router.post('/dags/validate', async (ctx) => {
    const object = await readObject(ctx)
    if (!object) throw new TroupeError('bad_request', 'request body: wanted a JSON object, found none')
    const { body, problems } = checkFields(object, { spec: 'string', name: 'string' })
    const { spec = '', name = '' } = body
    if (problems.length === 0 && spec.trim() === '') problems.push('spec is required')
    if (name !== '') problems.push(...[nameProblem('name', name)].filter((problem) => problem !== undefined))
    if (problems.length > 0) {
      ctx.body = { valid: false, errors: problems }
      return
    }
    const fallback = name || 'validated-dag'
    const definition = engine.validate(spec, fallback)
    ctx.body = {
      valid: definition.problems.length === 0,
      errors: errorsOf(definition),
      ...(isUnreadable(definition) ? {} : { dag: dagDetails(definition, fallback) })
    }
  })

  router.get('/dags/:fileName', (ctx) => {
    const { fileName = '' } = ctx.params
    const { definition, suspended } = engine.definition(fileName)
    const name = dagNameOf({ fileName, definition })
    const latest = engine.latest(name)
    const view = latest && engine.run(latest)
    ctx.body = {
      dag: dagDetails(definition, fileName),
      localDags: localDags(definition),
      latestDAGRun: view ? runDetails(view, time) : neverRunDetails(name, definition.outline.steps),
      suspended,
      errors: errorsOf(definition)
    }
  })

  router.get('/dags/:fileName/spec', (ctx) => {
    const { fileName = '' } = ctx.params
    const { definition } = engine.definition(fileName)
    ctx.body = {
      dag: dagDetails(definition, fileName),
      spec: engine.spec(fileName),
      errors: [...errorsOf(definition), ...definition.warnings]
    }
  })

  router.put('/dags/:fileName/spec', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { spec } = await readBody(ctx, { spec: 'string' })
    if (spec === undefined) throw new TroupeError('bad_request', "field 'spec': required")
    ctx.body = { errors: engine.replaceDefinition(fileName, spec) }
  })

  router.post('/dags/:fileName/start', async (ctx) => {
    const { fileName = '' } = ctx.params
    engine.definition(fileName)
    const { dagRunId } = await engine.start({ fileName, ...(await startBody(ctx)) })
    ctx.body = { dagRunId }
  })

  router.get('/dags/:fileName/dag-runs/:dagRunId', (ctx) => {
    const { fileName = '', dagRunId = '' } = ctx.params
    const name = historyOf(fileName, engine)
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    ctx.body = runAnswer(view, time)
  })
}

const dagNameOf = ({ fileName, definition }: Pick<StoredDefinition, 'fileName' | 'definition'>) =>
  definition.name || fileName

/** The DAG name whose history a file has; of a file that is gone, its own name. */
function historyOf(fileName: string, engine: Engine): string {
  try {
    return dagNameOf(engine.definition(fileName))
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return fileName
    throw error
  }
}

const hasName = (part = '') => {
  const wanted = part.toLowerCase()
  return ({ fileName }: StoredDefinition) => fileName.toLowerCase().includes(wanted)
}

const hasTags = (tags: readonly string[]) => {
  const wanted = tags.map((tag) => tag.trim().toLowerCase())
  return ({ definition: { outline } }: StoredDefinition) =>
    wanted.every((tag) => outline.tags.some((own) => own.toLowerCase() === tag))
}

/** By DAG name whatever the case, then by file name. */
function sorted(definitions: readonly StoredDefinition[], order: 'asc' | 'desc'): StoredDefinition[] {
  const keyed = definitions.map((stored) => ({ stored, name: dagNameOf(stored).toLowerCase() }))
  keyed.sort((a, b) => compare(a.name, b.name) || compare(a.stored.fileName, b.stored.fileName))
  if (order === 'desc') keyed.reverse()
  return keyed.map(({ stored }) => stored)
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
