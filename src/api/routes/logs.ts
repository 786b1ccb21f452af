/** `/dag-runs/.../log`: parts of the logs of a run, of its sub DAG runs, and of their steps. Source: http-api "Logs", api-semantics 3.8. */
import { existsSync } from 'node:fs'
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { NodeRecord, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine, RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { refuseUnreadable, refuseUnreadableRun, unreadableRun } from '../../store/damage/unreadable.ts'
import { bothLog, expectedBytes, type LogChunk, NO_LINES, readLog } from '../../store/files/logs.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readQuery } from '../input/query.ts'
import { hold } from '../rules/held-bytes.ts'
import { SUB_RUN_PATHS, subRunOf } from './sub-runs.ts'

const HANDLERS = ['onExit', 'onSuccess', 'onFailure', 'onCancel'] as const

export function logRoutes(router: Router, engine: Engine): void {
  const { logCharset: charset } = engine.config

  router.get('/dag-runs/:name/:dagRunId/log', async (ctx) => {
    const key = keyOf(ctx.params)
    const run = key.dagRunId === 'latest' ? engine.run(key)?.run : engine.record(key)
    if (!run) throw noRun(key)
    ctx.body = await runLog(run, ctx)
  })

  router.get('/dag-runs/:name/:dagRunId/steps/:stepName/log', async (ctx) => {
    const key = keyOf(ctx.params)
    const view = engine.run(key)
    if (!view) throw noRun(key)
    ctx.body = await stepLog(view, ctx.params.stepName ?? '', ctx, charset)
  })

  for (const path of SUB_RUN_PATHS) {
    router.get(`${path}/:subDAGRunId/log`, async (ctx) => {
      const { run } = subRunOf(engine, ctx.params, ctx.params.subDAGRunId ?? '')
      ctx.body = await runLog(run, ctx)
    })

    router.get(`${path}/:subDAGRunId/steps/:stepName/log`, async (ctx) => {
      const view = subRunOf(engine, ctx.params, ctx.params.subDAGRunId ?? '')
      ctx.body = await stepLog(view, ctx.params.stepName ?? '', ctx, charset)
    })
  }
}

async function runLog(run: RunRecord, ctx: ParameterizedContext): Promise<LogChunk> {
  const { log, startedAt, finishedAt } = run
  refuseUnreadableRun(run)
  return logOf(log, startedAt !== undefined && finishedAt !== undefined, ctx)
}

/** @param charset of the step's output */
async function stepLog(view: RunView, stepName: string, ctx: ParameterizedContext, charset: string): Promise<LogChunk> {
  const { stream = 'stdout' } = readQuery(ctx, OPERATIONS.getStepLog.query)
  const found = nodeOf(view, stepName)
  if (!found && view.plan.steps.length === 0 && view.errors) throw unreadableRun(view.run)
  if (!found) throw new TroupeError('not_found', `run ${view.run.dagRunId} of ${view.run.name} has no such step`)
  const { step, node } = found
  refuseUnreadable(view.run, node)
  const both = step.stdout && step.stderr && node.stdout && bothLog(node.stdout)
  return logOf(both && existsSync(both) ? both : node[stream], hasRun(node), ctx, charset)
}

const keyOf = ({ name = '', dagRunId = '' }: Record<string, string>): RunKey => ({ name, dagRunId })

const noRun = ({ name, dagRunId }: RunKey) => new TroupeError('not_found', `no run ${dagRunId} of ${name}`)

function nodeOf({ nodes, handlers }: RunView, stepName: string): RunView['nodes'][number] | undefined {
  const handler = HANDLERS.find((name) => name === stepName)
  return nodes.find(({ step }) => step.name === stepName) ?? (handler && handlers[handler])
}

/** A node that was stopped early may have no files. */
const hasRun = ({ exitCode = -1 }: NodeRecord) => exitCode >= 0

/** @param complete its writer has finished: a missing file was removed, not just not created yet */
async function logOf(
  path: string | undefined,
  complete: boolean,
  ctx: ParameterizedContext,
  charset?: string
): Promise<LogChunk> {
  const query = readQuery(ctx, OPERATIONS.getRunLog.query)
  if (!path) return NO_LINES
  try {
    // Before the read: a refusal costs nothing.
    hold(ctx, 'answer', await expectedBytes(path, query))
    return await readLog(path, query, charset)
  } catch (error) {
    if (!complete && error instanceof TroupeError && error.code === 'not_found') return NO_LINES
    throw error
  }
}
