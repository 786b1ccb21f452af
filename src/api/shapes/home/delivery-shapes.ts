/** Deliveries and targets of `notify` as JSON. Source: docs/notifications.md "Dead letters". */
import type { DeliveryView, TargetView } from '../../../engine/engine.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { Delivery, NotifyTarget } from '../../contract/home/deliveries.ts'
import type { TimeText } from '../time-text.ts'

export const deliveryShape = (
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

export const targetShape = ({
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
