/** `/waiting` and `.../steps/{stepName}/signal`: steps that wait for something outside. Source: embedding 2.5. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import type { Engine, SignalStep, WaitingStep } from '../../engine/engine.ts'
import { rowPermissions } from '../access/row-permissions.ts'
import { seenWaits } from '../access/seen.ts'
import { type AccessState, anyone, callerOf } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'
import { readQuery, wantedNumber } from '../input/query.ts'
import type { CommandState } from '../owner/calling-step.ts'
import { answerWith } from '../rules/error-body.ts'
import { timeTextOf } from '../shapes/time-text.ts'
import { waitingShape } from '../shapes/wait-shapes.ts'
import { SUB_RUN_PATHS } from './sub-runs.ts'

const PART = 100
const MOST = 1_000

export function waitRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/waiting', async (ctx) => {
    const { name, step, limit, cursor } = readQuery(ctx, OPERATIONS.listWaiting.query)
    const filter = { ...(name === undefined ? {} : { dag: name }), ...(step === undefined ? {} : { step }) }
    const most = Math.min(wantedNumber(limit) ?? PART, MOST)
    const { waiting, next } = await seenWaits(ctx, engine, filter, most, cursor)
    const permissions = await rowPermissions(ctx, engine.config)
    const shape = (found: WaitingStep) => ({
      ...waitingShape(found, time),
      ...permissions.run(found.root ?? found.run)
    })
    ctx.body = { waiting: waiting.map(shape), nextCursor: next ?? null }
  })

  const give = async (ctx: ParameterizedContext, step: SignalStep) => {
    const { payload, id } = await readBody(ctx, OPERATIONS.signalStep.body, 'payload')
    answerWith(ctx, 'not_running', 409)
    await engine.signal(step, payload, { ...authorOf(ctx), ...(id === undefined ? {} : { id }) })
    ctx.body = null
    ctx.status = 200
  }

  router.post('/dag-runs/:name/:dagRunId/steps/:stepName/signal', (ctx) => {
    const { name = '', dagRunId = '', stepName: step = '' } = ctx.params
    return give(ctx, { name, dagRunId, step })
  })

  for (const path of SUB_RUN_PATHS)
    router.post(`${path}/:subDAGRunId/steps/:stepName/signal`, (ctx) => {
      const { name = '', dagRunId = '', subDAGRunId: subRunId = '', stepName: step = '' } = ctx.params
      return give(ctx, { name, dagRunId, subRunId, step })
    })
}

// D1080: who gives a signal is not chosen over HTTP
/** The caller who is signed in, the user of the command line, or who a connected host says; nobody where the server asks for no credentials. */
function authorOf(ctx: { state: AccessState & CommandState }): { by?: string } {
  if (ctx.state.host) return ctx.state.host
  const by = ctx.state.command ? ctx.state.command.by : callerOf(ctx)
  return by === undefined || by === anyone.name ? {} : { by }
}
