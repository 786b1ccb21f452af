/** `.../steps/{stepName}/status` sets the status of a step by hand, `.../values` says what it had. Source: http-api "Steps", api-semantics 5. */
import type Router from '@koa/router'
import type { ParameterizedContext } from 'koa'
import { NODE_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type { Engine, SettableStatus, StepKey } from '../../engine/engine.ts'
import { comparedValues } from '../../engine/views/values/compared.ts'
import { TroupeError } from '../../errors.ts'
import { seenRuns } from '../access/seen.ts'
import { callerOf } from '../auth/principal.ts'
import { OPERATIONS } from '../contract/operations.ts'
import { readBody } from '../input/body.ts'
import { readQuery } from '../input/query.ts'
import { turns } from '../turns.ts'
import { SUB_RUN_PATHS } from './sub-runs.ts'

/** Runs before it among which the last success is looked for. */
const MOST_EARLIER = 200

export function stepRoutes(router: Router, engine: Engine): void {
  const set = async (ctx: ParameterizedContext, key: StepKey) => {
    const { status, output } = await readBody(ctx, OPERATIONS.setStepStatus.body)
    await engine.setNodeStatus(key, settable(status), output)
    ctx.body = null
    ctx.status = 200
  }

  router.patch('/dag-runs/:name/:dagRunId/steps/:stepName/status', (ctx) => {
    const { name = '', dagRunId = '', stepName: step = '' } = ctx.params
    return set(ctx, { root: { name, dagRunId }, step, by: callerOf(ctx) })
  })

  router.get('/dag-runs/:name/:dagRunId/steps/:stepName/values', async (ctx) => {
    const { name = '', dagRunId = '', stepName = '' } = ctx.params
    const { at } = readQuery(ctx, OPERATIONS.getStepValues.query)
    const view = engine.run({ name, dagRunId })
    if (!view) throw new TroupeError('not_found', `no run ${dagRunId} of ${name}`)
    const nodes = at === undefined ? undefined : engine.facts.run(view.run, { at, brief: true }).nodes
    const earlier = engine.runs({ name, to: view.run.createdAt + 1, limit: MOST_EARLIER })
    ctx.body = await comparedValues(engine, view, stepName, await seenRuns(ctx, earlier), turns(), nodes)
  })

  for (const path of SUB_RUN_PATHS)
    router.patch(`${path}/:subDAGRunId/steps/:stepName/status`, (ctx) => {
      const { name = '', dagRunId = '', subDAGRunId: subRunId = '', stepName: step = '' } = ctx.params
      return set(ctx, { root: { name, dagRunId }, subRunId, step, by: callerOf(ctx) })
    })
}

function settable(status: number): SettableStatus {
  const label = NODE_STATUSES[status]
  if (label !== undefined && label !== 'partially_succeeded') return label
  throw new TroupeError('bad_request', `field 'status': wanted an integer from 0 to 5, found ${status}`)
}
