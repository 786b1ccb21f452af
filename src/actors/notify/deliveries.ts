/** The deliveries of an engine, in a queue for each target; dead letters, and how long they are kept. Source: docs/notifications.md. */
import { type Clock, everyNowAndThen, nextTurn, pause } from '../../clock.ts'
import { oneAtATime } from '../../platform/one-at-a-time.ts'
import type { Store } from '../../store/open.ts'
import { deliveriesOf, deliveryAt, deliveryIds, putDelivery, targetsWith } from '../../store/tables/deliveries.ts'
import type { Transactions } from '../journal/transactions.ts'
import { type DeliveryQueue, type Outcome, openDeliveryQueue } from './delivery-queue.ts'
import { openPosting, type Posting } from './post.ts'
import { settle } from './settle.ts'
import type { NotifyTarget } from './target.ts'

export interface DeliveriesParts {
  store: Store
  clock: Clock
  transactions: Transactions
  targets: readonly NotifyTarget[]
  /** Absent: over HTTP. */
  posting?(target: NotifyTarget, clock: Clock): Posting
  mostWaiting?: number
  /** Called with the first failure of a target after a success, and with the first success after that. */
  changed(target: string, isFailing: boolean): void
  fault(error: unknown): void
}

/** What is known of a target since the engine was opened. */
export interface TargetFigures {
  name: string
  waiting: number
  /** Requests in a row that were answered badly, or not at all. */
  failures: number
  counts: Readonly<Record<Outcome, number>>
}

export interface Deliveries {
  /** Events for a target are stored, and readers see them. */
  added(target: string, id: string, dueAt: number): void
  figures(): TargetFigures[]
  /** Has dead letters wait again: one, or all of a target. Resolves with their number when that is on disk. */
  retry(target: string, id?: string): Promise<number>
  /** Removes dead letters, in the same way. */
  remove(target: string, id?: string): Promise<number>
  close(): Promise<void>
}

// D1523: dead letters are kept for 30 days, up to 10,000 for each target
/** Dead letters of a target; beyond, the oldest ones are removed. */
const MOST_DEAD = 10_000
const KEPT_MS = 30 * 86_400_000
const TIDY_MS = 3_600_000
/** Entries that are read or changed in one turn of the event loop. */
const TOGETHER = 200
/** A closing engine waits so long for what is being sent, and for what is due at that moment. */
const CLOSE_MS = 3_000
const LOOK_MS = 20

export function openDeliveries(parts: DeliveriesParts): Deliveries {
  const { store, clock, transactions, targets, fault } = parts
  const posting = parts.posting ?? openPosting
  const opened = targets.map((target) => open(target))
  const queues = new Map(opened.map((one) => [one.target.name, one]))
  const leaving = new AbortController()
  const { signal } = leaving

  function open(target: NotifyTarget) {
    const counts: Record<Outcome, number> = { delivered: 0, failed: 0, dead: 0 }
    let wasFailing = false
    const ways = posting(target, clock)
    const queue: DeliveryQueue = openDeliveryQueue({
      store,
      clock,
      transactions,
      fault,
      target,
      post: ways.post,
      ...(parts.mostWaiting === undefined ? {} : { mostWaiting: parts.mostWaiting }),
      counted(outcome) {
        counts[outcome]++
        const isFailing = queue.failures() > 0
        if (isFailing !== wasFailing) parts.changed(target.name, isFailing)
        wasFailing = isFailing
      }
    })
    return { target, queue, ways, counts }
  }

  /** What an earlier engine has left. What comes from now on is added by itself, and must not be found here as well. */
  const left = opened.map((one) => ({ ...one, ids: deliveryIds(store, 'waiting', one.target.name) }))
  async function load(): Promise<void> {
    for (const { target, queue, ids } of left)
      for (let at = 0; at < ids.length && !signal.aborted; at += TOGETHER) {
        for (const id of ids.slice(at, at + TOGETHER)) {
          const value = deliveryAt(store, ['waiting', target.name, id])
          if (value) queue.add(id, value.dueAt)
        }
        await nextTurn(clock)
      }
    for (const name of targetsWith(store, 'waiting')) if (!queues.has(name)) await giveUp(name)
    await inTurn(tidy)
  }
  async function giveUp(name: string): Promise<void> {
    const gone = { store, clock, transactions, fault, target: { name, maxAttempts: 0, giveUpAfterMs: 0 } }
    await eachOf(deliveryIds(store, 'waiting', name), (id) => {
      settle(gone, id, 'waiting', { type: 'target.gone', at: clock.now() })
    })
  }

  /** In turns, each a transaction. */
  async function eachOf(ids: readonly string[], change: (id: string) => void): Promise<void> {
    for (let at = 0; at < ids.length && !signal.aborted; at += TOGETHER) {
      transactions.take(() => ids.slice(at, at + TOGETHER).forEach(change))
      await nextTurn(clock)
    }
  }
  const removed = (target: string) => (id: string) => putDelivery(transactions.changes, ['dead', target, id], undefined)

  /** Removes dead letters that are too old, or too many. */
  async function tidy(): Promise<void> {
    const before = clock.now() - KEPT_MS
    for (const target of targetsWith(store, 'dead')) {
      const ids = deliveryIds(store, 'dead', target)
      const excess = ids.slice(0, Math.max(0, ids.length - MOST_DEAD))
      await eachOf(excess, removed(target))
      for (let after = excess.at(-1) ?? ''; !signal.aborted; await nextTurn(clock)) {
        const part = deliveriesOf(store, 'dead', target, { after, limit: TOGETHER })
        const old = part.filter(({ value }) => (value.deadAt ?? value.at) < before)
        await eachOf(
          old.map(({ key }) => key[2]),
          removed(target)
        )
        const last = part.at(-1)
        if (!last || old.length === 0) break
        after = last.key[2]
      }
    }
  }
  const flushed = () => new Promise<void>((resolve) => transactions.take(() => transactions.afterFlush(resolve)))
  /** One change at a time, each seen by readers before the next: what it has moved would be found again. */
  const changing = oneAtATime()
  const inTurn = <T>(change: () => Promise<T>): Promise<T> =>
    changing.take('', async () => {
      const changed = await change()
      await flushed()
      return changed
    })
  const loading = load().catch(fault)
  const untidy = everyNowAndThen(TIDY_MS, () => void inTurn(tidy).catch(fault))

  const deadOf = (target: string, id: string | undefined) =>
    id === undefined
      ? deliveryIds(store, 'dead', target)
      : deliveryIds(store, 'dead', target).filter((known) => known === id)

  return {
    added: (target, id, dueAt) => queues.get(target)?.queue.add(id, dueAt),
    figures: () =>
      opened.map(({ target: { name }, queue, counts }) => ({
        name,
        waiting: queue.waiting(),
        failures: queue.failures(),
        counts
      })),
    retry: (target, id) =>
      inTurn(async () => {
        const queue = queues.get(target)?.queue
        let count = 0
        await eachOf(queue ? deadOf(target, id) : [], (id) => {
          if (queue?.revive(id)) count++
        })
        return count
      }),
    remove: (target, id) =>
      inTurn(async () => {
        const ids = deadOf(target, id)
        await eachOf(ids, removed(target))
        return ids.length
      }),
    async close() {
      untidy()
      const until = clock.elapsed() + CLOSE_MS
      await transactions.settled()
      while (opened.some(({ queue }) => !queue.isQuiet()) && clock.elapsed() < until) await pause(clock, LOOK_MS)
      leaving.abort()
      for (const { queue } of opened) queue.close()
      await Promise.all([loading, changing.settled()])
      await Promise.all(opened.map(({ ways }) => ways.close()))
      await transactions.settled()
    }
  }
}
