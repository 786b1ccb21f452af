/** Events for the targets of `notify`: those that wait, and dead letters. Source: docs/notifications.md. */
import type { Changes } from '../changes.ts'
import { readEntry, readRange } from '../damage/damaged.ts'
import { END } from '../key-end.ts'
import type { DeliveryKey, Store } from '../open.ts'
import type { StoredDelivery } from '../stored.ts'
import { isDelivery } from '../stored.ts'

export type DeliveryState = DeliveryKey[0]

/** Behind every id. */
const LAST = '~'

export interface KeptDelivery {
  key: DeliveryKey
  value: StoredDelivery
}

/** @param value undefined: removed */
export function putDelivery(changes: Changes, key: DeliveryKey, value: StoredDelivery | undefined): void {
  changes.deliveries ??= new Map()
  changes.deliveries.set(key.join('/'), { key, value })
}

/** Undefined: there is none, or it cannot be read. */
export const deliveryAt = (store: Pick<Store, 'deliveries'>, key: DeliveryKey): StoredDelivery | undefined =>
  readEntry(store.deliveries, key, isDelivery)

/** By target, oldest first. @param target absent: all @param behind a place to continue behind */
export function deliveriesFrom(
  store: Pick<Store, 'deliveries'>,
  state: DeliveryState,
  target: string | undefined,
  behind: { target: string; id: string } | undefined,
  limit: number
): KeptDelivery[] {
  const end = (target === undefined ? [state, END] : [state, target, LAST]) as unknown as DeliveryKey // a part of a key
  // Ids consist of hexadecimal digits and dashes: the next key is this one with anything behind.
  const start: DeliveryKey = behind ? [state, behind.target, `${behind.id}!`] : [state, target ?? '', '']
  return readRange<StoredDelivery, DeliveryKey>(store.deliveries, { start, end, limit }, isDelivery)
}

/** Oldest first. @param after the id to continue behind */
export const deliveriesOf = (
  store: Pick<Store, 'deliveries'>,
  state: DeliveryState,
  target: string,
  { after = '', limit }: { after?: string; limit: number }
): KeptDelivery[] => deliveriesFrom(store, state, target, after === '' ? undefined : { target, id: after }, limit)

/** An unreadable one counts. */
export const deliveryCount = (
  { deliveries }: Pick<Store, 'deliveries'>,
  state: DeliveryState,
  target: string
): number => deliveries.getKeysCount({ start: [state, target, ''], end: [state, target, LAST] })

/** Ids, oldest first, however large what is stored under them is. */
export const deliveryIds = (
  { deliveries }: Pick<Store, 'deliveries'>,
  state: DeliveryState,
  target: string,
  limit?: number
): string[] =>
  Array.from(
    deliveries.getKeys({
      start: [state, target, ''],
      end: [state, target, LAST],
      ...(limit === undefined ? {} : { limit })
    }),
    ([, , id]) => id
  )

/** Names of targets that something is stored for, in this state. */
export function targetsWith({ deliveries }: Pick<Store, 'deliveries'>, state: DeliveryState): string[] {
  const names: string[] = []
  for (;;) {
    const last = names.at(-1)
    const start = (last === undefined ? [state, ''] : [state, last, END]) as unknown as DeliveryKey // a key before all of the next target
    const [next] = deliveries.getKeys({ start, end: [state, END] as unknown as DeliveryKey, limit: 1 })
    if (!next) return names
    names.push(next[1])
  }
}
