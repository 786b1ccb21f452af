/** Version 1 of the API, for old clients: an adapter without decisions. Source: http-api "Notes" (version 1), api-semantics 9.4. */
import type Router from '@koa/router'
import type { RouterContext } from '@koa/router'
import type { Engine, RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { integer, object, text } from '../../schema/schema.ts'
import { refuseUnreadable } from '../../store/damage/unreadable.ts'
import { readLog } from '../../store/files/logs.ts'
import { mustEdit } from '../access/gate.ts'
import { callerOf, requestedBy } from '../auth/principal.ts'
import { NewFileName, RunId } from '../contract/names.ts'
import type { Need } from '../contract/needs.ts'
import { readBody } from '../input/body.ts'
import { pageOf } from '../input/pages.ts'
import { readQuery } from '../input/query.ts'
import { answerWith } from '../rules/error-body.ts'
import { dagNameOf } from '../shapes/dag-names.ts'
import { errorsOf } from '../shapes/dag-shapes.ts'
import { viewsOf } from '../shapes/run-views.ts'
import { searchDefinitions } from '../shapes/search-definitions.ts'
import type { SeenCatalogue } from '../shapes/seen-catalogue.ts'
import { timeTextOf } from '../shapes/time-text.ts'
import { ACTION_NEEDS, type Action, ActionBody, act } from './actions.ts'
import {
  dagShape,
  dagStatus,
  dagWithSteps,
  historyShape,
  matchShape,
  nodeOf,
  shapeSteps,
  statusShape,
  statusWithNodes
} from './shapes.ts'

const ListQuery = { page: integer, limit: integer, searchName: text, searchTag: text } as const
const ViewQuery = {
  tab: { type: 'string', enum: ['status', 'spec', 'history', 'log', 'scheduler-log'] },
  /** Id of a run; `latest` is one that can be read. */
  file: { type: 'string', maxLength: RunId.maxLength, pattern: RunId.pattern },
  step: text
} as const
const SearchQuery = { q: { type: 'string', 'x-required': true } } as const
const NewDag = object({ action: { type: 'string', enum: ['new'] }, value: NewFileName })

/** Lines of a log in one view, from its end. */
const LOG_LINES = 10_000
const HISTORY_RUNS = 30

/**
 * @param may refuses a caller that lacks a permission which depends on the body
 * @param starting told of each request that begins a run; may refuse it
 */
export function version1Routes(
  router: Router,
  engine: Engine,
  catalogue: SeenCatalogue,
  may: (ctx: RouterContext, needed: Need) => Promise<void>,
  starting: (ctx: RouterContext) => void = () => {}
): void {
  const time = timeTextOf(engine.config)

  router.get('/dags', async (ctx) => {
    const { page, limit, searchName = '', searchTag } = readQuery(ctx, ListQuery)
    const all = await catalogue(ctx)
    const part = searchName.toLowerCase()
    const tagged = searchTag === undefined ? undefined : all.tagged(searchTag.trim().toLowerCase())
    const found = all.byName('asc').filter((entry) => entry.fileKey.includes(part) && (tagged?.has(entry) ?? true))
    const { page: shown, pagination } = pageOf(found, { page, perPage: limit })
    const errors = found.flatMap(({ unreadable }) => unreadable)
    ctx.body = {
      DAGs: shown.map(({ stored }) =>
        dagStatus(stored, dagShape(stored), statusShape(engine.latest(dagNameOf(stored)), time))
      ),
      Errors: errors,
      HasError: errors.length > 0,
      PageCount: pagination.totalPages
    }
  })

  router.post('/dags', async (ctx) => {
    const { value } = await readBody(ctx, NewDag)
    await mustEdit(engine, ctx, undefined, value, value)
    await engine.createDefinition(value)
    ctx.status = 201
    ctx.body = { DagID: value }
  })

  router.get('/dags/:fileName', async (ctx) => {
    const { fileName = '' } = ctx.params
    const { tab = 'status', file, step } = readQuery(ctx, ViewQuery)
    const stored = engine.definition(fileName)
    const name = dagNameOf(stored)
    const latest = engine.latest(name)
    const view = latest && engine.run(latest)
    for (const steps of [stored.definition.outline.steps, view?.plan.steps ?? []]) await shapeSteps(steps)
    ctx.body = {
      Title: stored.definition.name || fileName,
      DAG: dagStatus(
        stored,
        dagWithSteps(stored),
        view ? statusWithNodes(view, time) : { ...statusShape(undefined, time), Nodes: [] }
      ),
      Errors: errorsOf(stored.definition),
      ...(await ofTab())
    }

    async function ofTab(): Promise<object> {
      if (tab === 'spec') return { Definition: engine.spec(fileName) }
      if (tab === 'history') {
        const runs = engine.runs({ name, limit: HISTORY_RUNS })
        const views = await viewsOf(engine, runs)
        for (const { plan } of views) await shapeSteps(plan.steps)
        return { LogData: historyShape(views, time) }
      }
      if (tab === 'log') return { StepLog: await stepLog(chosen(), step) }
      if (tab === 'scheduler-log') {
        const { run } = chosen()
        return { ScLog: { Content: await contentOf(run.log), LogFile: run.log } }
      }
      return {}
    }

    /** The run that `file` is the id of; without it the newest. */
    function chosen(): RunView {
      const found = file === undefined ? view : engine.run({ name, dagRunId: file })
      if (!found)
        throw new TroupeError('not_found', file === undefined ? `${name} never ran` : `no run ${file} of ${name}`)
      return found
    }
  })

  router.post('/dags/:fileName', async (ctx) => {
    const asked = await readBody(ctx, ActionBody)
    await may(ctx, ACTION_NEEDS[asked.action])
    await mayBecome(ctx, asked)
    if (asked.action === 'start' || asked.action === 'retry') starting(ctx)
    answerWith(ctx, 'already_running', 400)
    ctx.body = await act(engine, ctx.params.fileName ?? '', asked, requestedBy(ctx), callerOf(ctx))
  })

  router.delete('/dags/:fileName', (ctx) => {
    engine.removeDefinition(ctx.params.fileName ?? '')
    ctx.status = 204
  })

  router.get('/search', async (ctx) => {
    const { results, errors } = await searchDefinitions(readQuery(ctx, SearchQuery).q, () => catalogue(ctx))
    ctx.body = {
      Results: results.map(({ stored, matches }) => ({
        Name: stored.fileName,
        DAG: dagShape(stored),
        Matches: matches.map(matchShape)
      })),
      Errors: errors
    }
  })

  router.get('/tags', async (ctx) => {
    const { tags, unreadable } = await catalogue(ctx)
    ctx.body = { Tags: tags, Errors: unreadable }
  })

  /** A text that is saved, and a new name, must be allowed as well. */
  async function mayBecome(ctx: RouterContext, { action, value = '' }: Action): Promise<void> {
    const { fileName = '' } = ctx.params
    if (action === 'save') await mustEdit(engine, ctx, value, fileName)
    if (action === 'rename') await mustEdit(engine, ctx, engine.spec(fileName), value, value)
  }

  async function stepLog(view: RunView, stepName: string | undefined): Promise<object> {
    if (stepName === undefined)
      throw new TroupeError('bad_request', "query parameter 'step': required for the log of a step")
    const { nodes, handlers } = view
    const found = [...nodes, ...Object.values(handlers)].find(({ step }) => step.name === stepName)
    if (!found)
      throw new TroupeError('not_found', `run ${view.run.dagRunId} of ${view.run.name} has no step ${stepName}`)
    refuseUnreadable(view.run, found.node)
    const { stdout = '' } = found.node
    return { Step: nodeOf(view, found, time), Content: await contentOf(stdout), LogFile: stdout }
  }
}

/** Empty while nothing was written. */
async function contentOf(path: string): Promise<string> {
  if (path === '') return ''
  try {
    return (await readLog(path, { tail: LOG_LINES })).content
  } catch (error) {
    if (error instanceof TroupeError && error.code === 'not_found') return ''
    throw error
  }
}
