/** What the chart of a delivery decides is stored, within a transaction. */
import { type Actor, createActor, fromCallback } from 'xstate'
import { type DeliveryEvent, deliveryMachine } from '../../../machines/delivery.ts'
import type { Clock } from '../../clock.ts'
import type { Store } from '../../store/open.ts'
import type { StoredDelivery } from '../../store/stored.ts'
import { type DeliveryState, deliveryAt, putDelivery } from '../../store/tables/deliveries.ts'
import type { Transactions } from '../journal/transactions.ts'
import { noTimers } from '../pace/no-timers.ts'
import { restoredDelivery, storedDelivery } from './kept-chart.ts'
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
