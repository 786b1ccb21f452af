/** The operations that only the user who owns the home has: a file is named by its path here, and nowhere else. Source: api-semantics 11. */
import { basename, extname, isAbsolute } from 'node:path'
import { Readable } from 'node:stream'
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Engine, StartRequest } from '../../engine/engine.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import { readRegular } from '../../platform/open-regular.ts'
import { keepAnswer } from '../audit/state.ts'
import { requestedBy } from '../auth/principal.ts'
import { LINES, OWNER_OPERATIONS, type StartedRun } from '../contract/owner-operations.ts'
import { readBody } from '../input/body.ts'
import { ownersEntry } from './calling-step.ts'
import { followed } from './followed.ts'

// D307: the command line's socket knows neither credentials nor switches
export function ownerRoutes(router: Router, engine: Engine): void {
  const { startDag, enqueueDag, retryRun, stopAllRuns, validateFile, isStalled, enterChange } = OWNER_OPERATIONS

  router.post(startDag.path, async (ctx) => {
    const asked = await readBody(ctx, startDag.body)
    const key = await engine.start(evaluated(ctx, asked))
    tell(ctx, startedOf(key, 0))
  })

  router.post(enqueueDag.path, async (ctx) => {
    ctx.body = await engine.enqueue(evaluated(ctx, await readBody(ctx, enqueueDag.body)))
  })

  router.post('/owner/dag-runs/:name/:dagRunId/retry', async (ctx) => {
    const { name = '', dagRunId = '' } = ctx.params
    const key = { name, dagRunId }
    const after = engine.latestSeq(key)
    const again = await engine.retry(key, { ...(await readBody(ctx, retryRun.body)), ...requestedBy(ctx) })
    tell(ctx, startedOf(again, after))
  })

  router.post('/owner/dag-runs/:name/stop', async (ctx) => {
    const { name = '' } = ctx.params
    const options = { ...(await readBody(ctx, stopAllRuns.body)), ...requestedBy(ctx) }
    const running = engine.runs({ name, status: ['running'] })
    const stopped = await Promise.all(
      running.map(({ name, dagRunId }) => engine.stop({ name, dagRunId }, options).then(() => [dagRunId], noneIfEnded))
    )
    ctx.body = { stopped: stopped.flat() }
  })

  router.post(validateFile.path, async (ctx) => {
    const { file } = await readBody(ctx, validateFile.body)
    const { name, problems } = await engine.validate(textOf(file), basename(file, extname(file)))
    ctx.body = { name, problems }
  })

  router.get(isStalled.path, async (ctx) => {
    ctx.body = { stalled: (await engine.health()).unready?.reason === 'storage' }
  })

  router.post(enterChange.path, async (ctx) => {
    const change = await readBody(ctx, enterChange.body)
    await engine.audit?.note({ ...ownersEntry(ctx.state.command?.step), ...change, outcome: 'done' })
    ctx.body = null
    ctx.status = 200
  })

  function startedOf(key: RunKey, after: number): StartedRun {
    const { status, warnings } = engine.record(key) ?? {}
    return { key, queued: status === 'queued', after, ...(warnings ? { warnings } : {}) }
  }

  /** Answers with what was started; an engine that is about to leave takes no other request, so its events follow. */
  function tell(ctx: ParameterizedContext, started: StartedRun): void {
    keepAnswer(ctx, { ...started.key, queued: started.queued })
    if (ctx.get('Accept') !== LINES) {
      ctx.body = started
      return
    }
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    ctx.body = Readable.from(followed(engine, started, gone.signal), { objectMode: false })
    ctx.type = LINES
  }
}

/** A user of the command line may run commands anyway, so params are evaluated. @throws TroupeError bad_request */
function evaluated(ctx: ParameterizedContext, request: StartRequest): StartRequest {
  if (request.fromRun) return { ...request, ...requestedBy(ctx) }
  checkPath(request.file ?? '')
  return { ...request, ...requestedBy(ctx), evaluateParams: true }
}

/** None: it was not running, or no longer. */
function noneIfEnded(error: unknown): string[] {
  if (error instanceof TroupeError && error.code === 'not_running') return []
  throw error
}

function textOf(file: string): string {
  checkPath(file)
  try {
    return readRegular(file).toString()
  } catch (cause) {
    const reason = codeOf(cause) ?? messageOf(cause)
    throw new TroupeError('not_found', `the definition ${basename(file)} cannot be read: ${reason}`, { cause })
  }
}

function checkPath(file: string): void {
  if (!isAbsolute(file))
    throw new TroupeError('bad_request', `file: wanted an absolute path, found ${JSON.stringify(file)}`)
}
