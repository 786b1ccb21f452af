/**
 * `/api/v1`: deprecated, and still there for those who have not moved on. A thin layer over the engine: it has no rules of its
 * own, and gets no new features. Source: http-api "Versioning", api-semantics 9.4.
 */
import Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Engine, RunView } from '../../engine.ts'
import { TroupeError } from '../../errors.ts'
import { readLog } from '../../store/logs.ts'
import { readObject } from '../body.ts'
import type { Catalogue } from '../catalogue.ts'
import { dagNameOf } from '../dag-names.ts'
import { dagDetails, dagSummary, errorsOf } from '../dag-shapes.ts'
import { answerWith } from '../error-body.ts'
import { nextRunsOf } from '../next-runs.ts'
import { neverRunDetails, neverRunSummary, runDetails, runSummary } from '../shapes.ts'
import { timeTextIn } from '../time-text.ts'
import { capitalized, detailsShapeV1, historyShapeV1, logOfStep, statusShapeV1 } from '../version-1-shapes.ts'
import { dagSearchRoutes } from './dag-search.ts'
import { systemRoutes } from './system.ts'

const DEFAULT_LIMIT = 100
const MOST_DAGS = 1_000
const HISTORY_RUNS = 30
const NEW_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}$/
const TABS = ['status', 'spec', 'history', 'log', 'scheduler-log'] as const

/** @param version1 its routes are below the base path of the old API */
export function versionOneRoutes(version1: Router, engine: Engine, catalogue: () => Promise<Catalogue>): void {
  const time = timeTextIn(engine.config.tz)
  const nextRunOf = nextRunsOf(engine)
  const viewOf = (name: string): RunView | undefined => {
    const latest = engine.latest(name)
    return latest && engine.run(latest)
  }

  version1.use(async (ctx, next) => {
    ctx.set('Deprecation', 'true')
    await next()
  })

  // What both versions answer alike is answered by the routes of the current one.
  const current = new Router()
  systemRoutes(current, engine)
  dagSearchRoutes(current, engine, catalogue)
  const routes = current.routes()
  for (const [old, path] of [
    ['/health', '/health'],
    ['/search', '/dags/search'],
    ['/tags', '/dags/tags']
  ] as const)
    version1.get(old, (ctx, next) => {
      ctx.path = path
      return routes(ctx, next)
    })

  version1.get('/dags', async (ctx) => {
    const query = new URLSearchParams(ctx.querystring)
    const [part, tag] = ['searchName', 'searchTag'].map((name) => (query.get(name) ?? '').trim().toLowerCase())
    const all = await catalogue()
    const tagged = tag ? all.tagged(tag) : undefined
    const found = all
      .byName('asc')
      .filter((entry) => entry.fileKey.includes(part ?? '') && (tagged?.has(entry) ?? true))
    const limit = Math.min(MOST_DAGS, wholeNumber(query, 'limit', DEFAULT_LIMIT))
    const first = (wholeNumber(query, 'page', 1) - 1) * limit
    ctx.body = {
      DAGs: found.slice(first, first + limit).map(({ stored }) => {
        const { fileName, definition, suspended } = stored
        const latest = engine.latest(dagNameOf(stored))
        return {
          File: fileName,
          DAG: capitalized(dagSummary(definition, fileName, time(nextRunOf(stored)))),
          Status: statusShapeV1(latest ? runSummary(latest, time) : neverRunSummary(dagNameOf(stored))),
          Suspended: suspended,
          Errors: errorsOf(definition)
        }
      }),
      Errors: found.flatMap(({ unreadable }) => unreadable),
      PageCount: Math.max(1, Math.ceil(found.length / limit))
    }
  })

  version1.post('/dags', async (ctx) => {
    const { action, value } = await textsOf(ctx)
    if (action !== 'new') throw unknownAction(action, ['new'])
    const name = newName(value)
    engine.createDefinition(name)
    ctx.body = { DagID: name }
  })

  version1.get('/dags/:name', async (ctx) => {
    const stored = engine.definition(ctx.params.name ?? '')
    const { fileName, definition, suspended } = stored
    const name = dagNameOf(stored)
    const query = new URLSearchParams(ctx.querystring)
    const tab = TABS.find((tab) => tab === (query.get('tab') ?? 'status'))
    if (!tab) throw new TroupeError('bad_request', `query parameter 'tab': wanted one of ${TABS.join(', ')}`)
    const view = viewOf(name)
    const shown = view ? runDetails(view, time) : neverRunDetails(name, definition.outline.steps)
    const runs = tab === 'history' ? engine.runs({ name, limit: HISTORY_RUNS }) : []
    const views = runs.flatMap((run) => engine.run(run) ?? [])
    ctx.body = {
      Title: name,
      Tab: tab,
      DAG: {
        File: fileName,
        DAG: capitalized(dagDetails(definition, fileName, time(nextRunOf(stored)))),
        Status: detailsShapeV1(shown),
        Suspended: suspended,
        Errors: errorsOf(definition)
      },
      Definition: engine.spec(fileName),
      LogData: historyShapeV1(
        views,
        views.map((view) => runDetails(view, time))
      ),
      StepLog: tab === 'log' ? await stepLog(query) : null,
      ScLog: tab === 'scheduler-log' ? await runLog(query) : null,
      Errors: errorsOf(definition)
    }

    /** The run whose log a client was shown as `file`, else the latest. */
    function chosen(file: string): RunView | undefined {
      const own = file === '' ? undefined : engine.runs({ name, limit: HISTORY_RUNS }).find(({ log }) => log === file)
      return own ? engine.run(own) : view
    }
    async function stepLog(query: URLSearchParams) {
      const step = query.get('step') ?? ''
      const of = chosen(query.get('file') ?? '')
      const file = of && logOfStep(of, step)
      if (file === undefined) throw new TroupeError('not_found', `${name} has no log of a step ${JSON.stringify(step)}`)
      return { Step: { Name: step }, LogFile: file, Content: await wholeLog(file, engine.config.logCharset) }
    }
    async function runLog(query: URLSearchParams) {
      const of = chosen(query.get('file') ?? '')
      if (!of) throw new TroupeError('not_found', `${name} never ran`)
      return { LogFile: of.run.log, Content: await wholeLog(of.run.log) }
    }
  })

  version1.post('/dags/:name', async (ctx) => {
    const { fileName, definition } = engine.definition(ctx.params.name ?? '')
    const name = definition.name || fileName
    const { action = '', value, requestId, step, params } = await textsOf(ctx)
    answerWith(ctx, 'already_running', 400)
    const key = (): RunKey => ({ name, dagRunId: needed('requestId', requestId) })
    const actions: Record<string, () => Promise<object> | object> = {
      async start() {
        if (engine.latest(name)?.status === 'running') throw new TroupeError('already_running', `${name} is running`)
        const { evalParams: evaluateParams } = engine.config
        await engine.start({ fileName, evaluateParams, ...(params === undefined ? {} : { params }) })
        return {}
      },
      suspend() {
        if (value !== 'true' && value !== 'false')
          throw new TroupeError('bad_request', "field 'value': wanted true or false, as text")
        engine.suspendDefinition(fileName, value === 'true')
        return {}
      },
      async stop() {
        const latest = engine.latest(name)
        if (latest?.status !== 'running') throw new TroupeError('not_running', `${name} is not running`)
        await engine.stop(latest)
        return {}
      },
      async retry() {
        await engine.retry(key())
        return {}
      },
      'mark-success': () => mark('succeeded'),
      'mark-failed': () => mark('failed'),
      save() {
        const errors = engine.replaceDefinition(fileName, needed('value', value))
        if (errors.length > 0)
          throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
        return {}
      },
      async rename() {
        const name = newName(value)
        await engine.renameDefinition(fileName, name)
        return { NewName: name }
      }
    }
    async function mark(status: 'succeeded' | 'failed') {
      await engine.setNodeStatus({ root: key(), step: needed('step', step) }, status)
      return {}
    }
    const act = Object.hasOwn(actions, action) ? actions[action] : undefined
    if (!act) throw unknownAction(action, Object.keys(actions))
    ctx.body = await act()
  })

  version1.delete('/dags/:name', (ctx) => {
    engine.removeDefinition(ctx.params.name ?? '')
    ctx.status = 204
  })
}

/** The text of a log, as much of its end as one answer holds. */
const wholeLog = async (path: string, charset?: string) => (await readLog(path, { tail: 10_000 }, charset)).content

/** Members of the body that are texts. @throws TroupeError bad_request naming one that is not */
async function textsOf(ctx: ParameterizedContext): Promise<Partial<Record<string, string>>> {
  const body = (await readObject(ctx)) ?? {}
  return Object.fromEntries(
    ['action', 'value', 'requestId', 'step', 'params'].flatMap((field) => {
      const value = body[field]
      if (value === undefined || value === null) return []
      if (typeof value === 'string' && !value.includes('\0')) return [[field, value]]
      throw new TroupeError('bad_request', `field '${field}': wanted a string`)
    })
  )
}

function needed(field: string, value: string | undefined): string {
  if (value) return value
  throw new TroupeError('bad_request', `field '${field}': required`)
}

/** Name of a definition that is to be: it becomes a file. */
function newName(value: string | undefined): string {
  const name = needed('value', value)
  if (NEW_NAME.test(name)) return name
  throw new TroupeError('bad_request', "field 'value': wanted a name of 1 to 40 of the characters A-Z a-z 0-9 _ . -")
}

const unknownAction = (action: string | undefined, known: string[]) =>
  new TroupeError('bad_request', `field 'action': wanted ${known.join(', ')}, found ${JSON.stringify(action ?? null)}`)

/** A query parameter from 1 on. @throws TroupeError bad_request */
function wholeNumber(query: URLSearchParams, name: string, otherwise: number): number {
  const text = query.get(name) ?? ''
  if (text === '') return otherwise
  if (!/^\d{1,9}$/.test(text)) throw new TroupeError('bad_request', `query parameter '${name}': wanted an integer`)
  return Math.max(1, Number(text))
}
