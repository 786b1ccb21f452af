/** `/dag-runs/.../log`: logs of a run, of its sub DAG runs, and of their steps. Source: http-api "Logs", api-semantics 3.8. */
import { existsSync } from 'node:fs'
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { NodeRecord, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { systemClock } from '../../clock.ts'
import { lineExpression } from '../../definition/text/line-expression.ts'
import type { Engine, HandlerView, RunView } from '../../engine/engine.ts'
import { TroupeError } from '../../errors.ts'
import { executionPart } from '../../platform/log-times.ts'
import type { Shape } from '../../schema/schema.ts'
import { refuseUnreadable, refuseUnreadableRun, unreadableRun } from '../../store/damage/unreadable.ts'
import { readExecution } from '../../store/files/execution-lines.ts'
import { bothLog, expectedBytes, type LogChunk, NO_LINES, readLog, wholeLog } from '../../store/files/logs.ts'
import { type LogFinds, type LogSearch, searchLog } from '../../store/files/search-log.ts'
import { OPERATIONS } from '../contract/operations.ts'
import type { LogChunk as LogChunkShape } from '../contract/run-shapes.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import { hold } from '../rules/held-bytes.ts'
import { type TimeText, timeTextOf } from '../shapes/time-text.ts'
import { turns } from '../turns.ts'
import { SUB_RUN_PATHS, subRunOf } from './sub-runs.ts'

export const HANDLERS = ['onExit', 'onSuccess', 'onFailure', 'onCancel'] as const

export function logRoutes(router: Router, engine: Engine): void {
  const { logCharset: charset } = engine.config
  const timeText = timeTextOf(engine.config)
  /** @throws TroupeError not_found */
  const runIn = (params: Params): RunRecord => {
    const { key } = runParams(params)
    return (key.dagRunId === 'latest' ? engine.run(key)?.run : engine.record(key)) ?? missing(key)
  }
  /** The run with its steps. @throws TroupeError not_found */
  const viewIn = (params: Params): RunView => {
    const { key } = runParams(params)
    return engine.run(key) ?? missing(key)
  }

  router.get('/dag-runs/:name/:dagRunId/log', async (ctx) => {
    ctx.body = await runLog(runIn(ctx.params), ctx)
  })

  router.get('/dag-runs/:name/:dagRunId/steps/:stepName/log', async (ctx) => {
    ctx.body = await stepLog(engine, viewIn(ctx.params), ctx, { charset, timeText })
  })

  router.get('/dag-runs/:name/:dagRunId/log/file', async (ctx) => {
    const run = runIn(ctx.params)
    await answerWhole(ctx, runFile(run), `${run.name}.${run.dagRunId}.log`)
  })

  router.get('/dag-runs/:name/:dagRunId/log/search', async (ctx) => {
    ctx.body = await found(runFile(runIn(ctx.params)), readQuery(ctx, OPERATIONS.searchRunLog.query))
  })

  router.get('/dag-runs/:name/:dagRunId/steps/:stepName/log/search', async (ctx) => {
    const view = viewIn(ctx.params)
    const { stream = 'stdout', ...query } = readQuery(ctx, OPERATIONS.searchStepLog.query)
    ctx.body = await found(stepFile(view, runParams(ctx.params).stepName, stream), query, charset)
  })

  router.get('/dag-runs/:name/:dagRunId/steps/:stepName/log/file', async (ctx) => {
    const view = viewIn(ctx.params)
    const { stream = 'stdout' } = readQuery(ctx, OPERATIONS.getStepLogFile.query)
    const { stepName } = runParams(ctx.params)
    const { name, dagRunId } = view.run
    await answerWhole(ctx, stepFile(view, stepName, stream), `${name}.${dagRunId}.${stepName}.${stream}.log`, charset)
  })

  for (const path of SUB_RUN_PATHS) {
    router.get(`${path}/:subDAGRunId/log`, async (ctx) => {
      const { run } = subRunOf(engine, ctx.params, ctx.params.subDAGRunId ?? '')
      ctx.body = await runLog(run, ctx)
    })

    router.get(`${path}/:subDAGRunId/steps/:stepName/log`, async (ctx) => {
      const view = subRunOf(engine, ctx.params, ctx.params.subDAGRunId ?? '')
      ctx.body = await stepLog(engine, view, ctx, { charset, timeText })
    })
  }
}

/** Where a log is, if anything has one. */
interface LogFile {
  path: string | undefined
  /** The writer has finished: a missing file was removed, not just not created yet. */
  isComplete: boolean
  /** Epoch ms. */
  startedAt?: number | undefined
  /** The step has been executed once at most. */
  isOnly?: boolean
}

function runFile(run: RunRecord): LogFile {
  const { log, startedAt, finishedAt } = run
  refuseUnreadableRun(run)
  return { path: log, isComplete: startedAt !== undefined && finishedAt !== undefined }
}

function stepFile(view: RunView, stepName: string, stream: 'stdout' | 'stderr'): LogFile {
  const found = nodeOf(view, stepName)
  if (!found && view.plan.steps.length === 0 && view.errors) throw unreadableRun(view.run)
  if (!found) throw new TroupeError('not_found', `run ${view.run.dagRunId} of ${view.run.name} has no such step`)
  return nodeFile(view, found, stream)
}

function nodeFile({ run }: RunView, { step, node }: HandlerView, stream: 'stdout' | 'stderr'): LogFile {
  refuseUnreadable(run, node)
  const both = step.stdout && step.stderr && node.stdout && bothLog(node.stdout)
  return {
    path: both && existsSync(both) ? both : node[stream],
    isComplete: hasRun(node),
    startedAt: node.startedAt,
    isOnly: node.retryCount === 0 && node.doneCount <= 1
  }
}

const runLog = (run: RunRecord, ctx: ParameterizedContext): Promise<LogChunk> => logOf(runFile(run), ctx)

// D1371: `execution` and `attempt` name a part of what a step has logged
/** @param charset of the step's output */
async function stepLog(
  engine: Engine,
  view: RunView,
  ctx: ParameterizedContext,
  { charset, timeText }: { charset: string; timeText: TimeText }
): Promise<Shape<typeof LogChunkShape>> {
  const query = readQuery(ctx, OPERATIONS.getStepLog.query)
  const { stream = 'stdout', since } = query
  const [attempt, execution] = [wantedNumber(query.attempt), wantedNumber(query.execution)]
  if (execution !== undefined && since !== undefined)
    throw new TroupeError('bad_request', 'wanted execution or since, found both')
  const { stepName } = runParams(ctx.params)
  const file = stepFile(
    attempt === undefined || attempt === view.run.attempt ? view : earlierView(engine, view, stepName, attempt),
    stepName,
    stream
  )
  const { times, ...chunk } = await logOf(file, ctx, {
    charset,
    since,
    execution,
    timed: { startedAt: file.startedAt }
  })
  return times ? { ...chunk, times: times.map(({ line, at }) => ({ line, at: timeText(at) })) } : chunk
}

/** The run with that step as it was at the end of an earlier attempt. @throws TroupeError not_found */
function earlierView(engine: Engine, view: RunView, stepName: string, attempt: number): RunView {
  const { run, nodes, handlers } = view
  const node = engine.earlierNode(run, attempt, stepName)
  if (!node)
    throw new TroupeError('not_found', `attempt ${attempt} of run ${run.dagRunId} of ${run.name} has no such step`)
  const handler = HANDLERS.find((name) => name === stepName)
  const found = handler && handlers[handler]
  return {
    ...view,
    nodes: nodes.map((it) => (it.step.name === stepName ? { ...it, node } : it)),
    handlers: handler && found ? { ...handlers, [handler]: { ...found, node } } : handlers
  }
}

type Params = Record<string, string | undefined>

/** The run and step that a path names; empty: it names none. */
const runParams = ({ name = '', dagRunId = '', stepName = '' }: Params) => ({ key: { name, dagRunId }, stepName })

function missing({ name, dagRunId }: RunKey): never {
  throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
}

function nodeOf({ nodes, handlers }: RunView, stepName: string): RunView['nodes'][number] | undefined {
  const handler = HANDLERS.find((name) => name === stepName)
  return nodes.find(({ step }) => step.name === stepName) ?? (handler && handlers[handler])
}

/** A node that was stopped early may have no files. */
const hasRun = ({ exitCode = -1 }: NodeRecord) => exitCode >= 0

interface How {
  charset?: string
  since?: number | undefined
  timed?: { startedAt: number | undefined }
  /** Only what this one has written. */
  execution?: number | undefined
}

async function logOf(
  { path, isComplete, isOnly = false }: LogFile,
  ctx: ParameterizedContext,
  how: How = {}
): Promise<LogChunk> {
  const query = { ...readQuery(ctx, OPERATIONS.getRunLog.query), since: how.since }
  if (!path) return NO_LINES
  try {
    // Before the read: a refusal costs nothing.
    hold(ctx, 'answer', await expectedBytes(path, query))
    if (how.execution === undefined) return await readLog(path, query, how.charset, how.timed)
    const part = await executionPart(path, how.execution, isOnly)
    if (!part) throw new TroupeError('not_found', `nothing is on record of what execution ${how.execution} has written`)
    return await readExecution(path, part, query, { ...how, ...how.timed })
  } catch (error) {
    if (isNotYet(error, isComplete)) return NO_LINES
    throw error
  }
}

interface Search {
  text: string
  regex?: boolean | undefined
  offset?: number | undefined
  limit?: number | undefined
}

async function found({ path, isComplete }: LogFile, query: Search, charset?: string): Promise<LogFinds> {
  const search = { ...query, what: query.regex ? expressionOf(query.text) : query.text }
  const none = { lines: [], nextOffset: Math.max(1, query.offset ?? 1), hasMore: false }
  if (!path) return none
  try {
    return await searchLog(path, search, charset)
  } catch (error) {
    if (isNotYet(error, isComplete)) return none
    throw error
  }
}

/** An answer with an expression takes no longer by much. */
const MOST_MS = 1_000

/** @throws TroupeError bad_request */
function expressionOf(pattern: string): Exclude<LogSearch['what'], string> {
  const expression = lineExpression(pattern)
  if ('wrong' in expression) throw new TroupeError('bad_request', `text: ${expression.wrong}`)
  const until = systemClock.elapsed() + MOST_MS
  return { expression, pace: { turn: turns(), isOver: () => systemClock.elapsed() > until } }
}

// D1201: a whole log is an operation of its own
/** Streams the file at the pace of the client: its size does not matter. */
async function answerWhole(
  ctx: ParameterizedContext,
  { path, isComplete }: LogFile,
  fileName: string,
  charset = 'utf-8'
): Promise<void> {
  // A name of a step may hold what separates folders.
  ctx.attachment(fileName.replaceAll(/[\\/]/g, '_'))
  ctx.type = `text/plain; charset=${charset}`
  ctx.body = ''
  if (!path) return
  try {
    const { bytes, size } = await wholeLog(path)
    ctx.body = bytes
    ctx.type = `text/plain; charset=${charset}`
    ctx.length = size
  } catch (error) {
    if (!isNotYet(error, isComplete)) throw error
  }
}

const isNotYet = (error: unknown, isComplete: boolean): boolean =>
  !isComplete && error instanceof TroupeError && error.code === 'not_found'
