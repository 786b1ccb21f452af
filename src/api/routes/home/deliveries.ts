/** `/deliveries`: events on their way to the targets of `notify`, and dead letters. Source: docs/notifications.md "Dead letters". */
import type Router from '@koa/router'
import type { DeliveryView, Engine, TargetView } from '../../../engine/engine.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { Delivery, NotifyTarget } from '../../contract/home/deliveries.ts'
import { OPERATIONS } from '../../contract/operations.ts'
import { readBody } from '../../input/body.ts'
import { readQuery, wantedNumber } from '../../input/query.ts'
import { noFault } from '../../rules/error-body.ts'
import { type TimeText, timeTextOf } from '../../shapes/time-text.ts'

const PART = 100
const MOST = 1_000

export function deliveryRoutes(router: Router, engine: Engine): void {
  const time = timeTextOf(engine.config)

  router.get('/deliveries', (ctx) => {
    const { state, target, limit, cursor } = readQuery(ctx, OPERATIONS.listDeliveries.query)
    const filter = { ...(state === undefined ? {} : { state }), ...(target === undefined ? {} : { target }) }
    const { deliveries, next } = engine.deliveries(filter, Math.min(wantedNumber(limit) ?? PART, MOST), cursor)
    ctx.body = {
      targets: engine.targets().map(targetShape),
      deliveries: deliveries.map((one) => deliveryShape(one, time)),
      nextCursor: next ?? null
    }
  })

  router.post('/deliveries/:targetName/retry', async (ctx) => {
    const { targetName = '' } = ctx.params
    const { id } = await readBody(ctx, OPERATIONS.retryDeliveries.body)
    noFault(ctx)
    ctx.body = { count: await engine.retryDeliveries(targetName, id) }
  })

  router.delete('/deliveries/:targetName', async (ctx) => {
    const { targetName = '' } = ctx.params
    const { id } = readQuery(ctx, OPERATIONS.removeDeliveries.query)
    noFault(ctx)
    ctx.body = { count: await engine.removeDeliveries(targetName, id) }
  })
}

/** Deliveries and targets of `notify` as JSON. Source: docs/notifications.md "Dead letters". */
const deliveryShape = (
  { target, id, state, event, run, at, attempts, dueAt, triedAt, deadAt, error = '' }: DeliveryView,
  time: TimeText
): Shape<typeof Delivery> => ({
  target,
  id,
  state,
  event,
  dagName: run?.name ?? '',
  dagRunId: run?.dagRunId ?? '',
  occurredAt: time(at),
  attempts,
  nextAttemptAt: time(dueAt),
  lastAttemptAt: time(triedAt),
  diedAt: time(deadAt),
  error
})

const targetShape = ({
  name,
  isConfigured: configured,
  waiting,
  dead,
  failures = 0,
  counts
}: TargetView): Shape<typeof NotifyTarget> => ({
  name,
  configured,
  waiting,
  dead,
  failures,
  delivered: counts?.delivered ?? 0,
  failedAttempts: counts?.failed ?? 0,
  givenUp: counts?.dead ?? 0
})
