/** What the chart of a delivery decides is stored, within a transaction. */
import { type Actor, createActor, fromCallback, type SnapshotFrom } from 'xstate'
import { type DeliveryContext, type DeliveryEvent, deliveryMachine } from '../../../machines/delivery.ts'
import type { Clock } from '../../clock.ts'
import type { Store } from '../../store/open.ts'
import type { StoredDelivery } from '../../store/stored.ts'
import { type DeliveryState, deliveryAt, putDelivery } from '../../store/tables/deliveries.ts'
import type { Transactions } from '../journal/transactions.ts'
import { noTimers } from '../pace/no-timers.ts'
import type { NotifyTarget } from './target.ts'

export type DeliveryActor = Actor<typeof deliveryMachine>

export interface SettleParts {
  store: Pick<Store, 'deliveries'>
  clock: Clock
  transactions: Transactions
  target: Pick<NotifyTarget, 'name' | 'maxAttempts' | 'giveUpAfterMs'>
  /** Told what an actor throws: a defect. */
  fault(error: unknown): void
}

/** Where a delivery is now; undefined: delivered, or there is none of that id. */
export type Standing = { state: DeliveryState; dueAt: number } | undefined

const silent = deliveryMachine.provide({ actors: { post: fromCallback(() => {}) } })

/** The chart of a stored delivery, not started. @param logic absent: it sends nothing */
export function deliveryActor(
  { target, fault }: SettleParts,
  id: string,
  state: DeliveryState,
  value: StoredDelivery,
  logic = silent
): DeliveryActor {
  const actor = createActor(logic, {
    id: `delivery/${target.name}/${id}`,
    input: { ...target, at: value.at },
    snapshot: restoredDelivery(state, value, target),
    clock: noTimers
  })
  actor.subscribe({ error: fault })
  return actor
}

/** Ends the actor, and stores where it has got to. */
export function keepDelivery(
  { clock, transactions: { changes }, target: { name } }: SettleParts,
  id: string,
  from: DeliveryState,
  value: StoredDelivery,
  actor: DeliveryActor
): Standing {
  const kept = storedDelivery(value, actor.getSnapshot(), clock.now())
  actor.stop()
  if (kept?.state !== from) putDelivery(changes, [from, name, id], undefined)
  if (kept) putDelivery(changes, [kept.state, name, id], kept.value)
  return kept && { state: kept.state, dueAt: kept.value.dueAt }
}

/** One event, which is decided at once. */
export function settle(parts: SettleParts, id: string, from: DeliveryState, event: DeliveryEvent): Standing {
  const value = deliveryAt(parts.store, [from, parts.target.name, id])
  if (!value) return undefined // gone, or it cannot be read: the doctor tells of it
  const actor = deliveryActor(parts, id, from, value).start()
  actor.send(event)
  return keepDelivery(parts, id, from, value, actor)
}

/** The chart of a delivery between two attempts: as it is stored, and back. */
type DeliverySnapshot = SnapshotFrom<typeof deliveryMachine>

type Limits = Pick<NotifyTarget, 'maxAttempts' | 'giveUpAfterMs'>

/** @param limits of its target as it is configured now */
function restoredDelivery(state: DeliveryState, value: StoredDelivery, limits: Limits): DeliverySnapshot {
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

/** What is stored of it now; undefined: it is delivered. @param at now, epoch ms */
function storedDelivery(
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
