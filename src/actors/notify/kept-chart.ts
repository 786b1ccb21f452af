/** The chart of a delivery between two attempts: as it is stored, and back. */
import type { SnapshotFrom } from 'xstate'
import { type DeliveryContext, deliveryMachine } from '../../../machines/delivery.ts'
import type { StoredDelivery } from '../../store/stored.ts'
import type { DeliveryState } from '../../store/tables/deliveries.ts'
import type { NotifyTarget } from './target.ts'

export type DeliverySnapshot = SnapshotFrom<typeof deliveryMachine>

type Limits = Pick<NotifyTarget, 'maxAttempts' | 'giveUpAfterMs'>

/** @param limits of its target as it is configured now */
export function restoredDelivery(state: DeliveryState, value: StoredDelivery, limits: Limits): DeliverySnapshot {
  const { at, attempts, dueAt, giveUpAt, triedAt, error } = value
  const context: DeliveryContext = {
    at,
    maxAttempts: limits.maxAttempts,
    giveUpAfterMs: limits.giveUpAfterMs,
    attempts,
    dueAt,
    giveUpAt,
    ...(triedAt === undefined ? {} : { triedAt }),
    ...(error === undefined ? {} : { error })
  }
  return deliveryMachine.resolveState({ value: state, context })
}

/** The entry of a delivery as it is now; undefined: it is delivered. @param at now, epoch ms */
export function storedDelivery(
  { event, run, body }: StoredDelivery,
  { tags, context }: DeliverySnapshot,
  at: number
): { state: DeliveryState; value: StoredDelivery } | undefined {
  if (tags.has('delivered')) return undefined
  const isDead = tags.has('dead')
  const { attempts, dueAt, giveUpAt, triedAt, error } = context
  return {
    state: isDead ? 'dead' : 'waiting',
    value: {
      event,
      at: context.at,
      body,
      attempts,
      dueAt,
      giveUpAt,
      ...(run ? { run } : {}),
      ...(triedAt === undefined ? {} : { triedAt }),
      ...(error === undefined ? {} : { error }),
      ...(isDead ? { deadAt: at } : {})
    }
  }
}
