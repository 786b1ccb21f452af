/**
 * The deliveries to one target: those whose time has come are loaded, sent, and stored as their chart says. So a target that is slow
 * holds up nobody else, and what waits takes no memory but its id. Source: docs/notifications.md "When a target does not accept".
 */
import { fromCallback } from 'xstate'
import { deliveryMachine } from '../../../machines/delivery.ts'
import { paceOf, verdictOf } from '../../../machines/policy/delivery.ts'
import type { Clock } from '../../clock.ts'
import type { StoredDelivery } from '../../store/stored.ts'
import { deliveryAt, deliveryIds } from '../../store/tables/deliveries.ts'
import type { Post } from './post.ts'
import { type DeliveryActor, deliveryActor, keepDelivery, type SettleParts, type Standing, settle } from './settle.ts'
import type { NotifyTarget } from './target.ts'
import { openTimetable } from './timetable.ts'

export interface DeliveryQueueParts extends SettleParts {
  target: NotifyTarget
  post: Post
  /** A request has ended, or a delivery was given up without one. */
  counted(outcome: Outcome): void
  /** Default: `MOST_WAITING`. */
  mostWaiting?: number
}

/** `failed`: an attempt was not accepted, and there will be another one; `dead`: there will be none. */
export type Outcome = 'delivered' | 'failed' | 'dead'

export interface DeliveryQueue {
  /** Number of deliveries that wait or are being sent. */
  waiting(): number
  /** Requests in a row that were answered badly, or not at all. */
  failures(): number
  /** Adds a delivery that readers see now. */
  add(id: string, dueAt: number): void
  /** Has a dead letter wait again, within a transaction; false: there is none of that id. */
  revive(id: string): boolean
  /** Whether nothing is being sent, and nothing is due that the target would take now. */
  isQuiet(): boolean
  /** Lets go of what is being sent: it stays stored as it was. */
  close(): void
}

// D1522: 10,000 events wait for a target; the oldest give way
/** Beyond, the oldest ones become dead letters. */
const MOST_WAITING = 10_000

export function openDeliveryQueue(parts: DeliveryQueueParts): DeliveryQueue {
  const { store, clock, transactions, target, post, counted, mostWaiting = MOST_WAITING } = parts
  const { name } = target
  const table = openTimetable()
  const sending = new Map<string, DeliveryActor>()
  let failures = 0
  /** Nothing begins before, by `elapsed`. */
  let pausedUntil = 0
  let cancel = () => {}
  let isGivingWay = false
  const closing = new AbortController()
  const { signal } = closing

  const logicOf = (id: string, { body }: StoredDelivery) =>
    deliveryMachine.provide({
      actors: {
        post: fromCallback(({ sendBack }) => {
          void post(id, body, signal).then((outcome) => {
            if (signal.aborted) return
            failures = verdictOf(outcome) === 'later' ? failures + 1 : 0
            pausedUntil = clock.elapsed() + paceOf(failures).pauseMs
            transactions.take(() => sendBack({ type: 'post.ended', at: clock.now(), outcome, random: randomOf(clock) }))
            look()
          })
        })
      }
    })

  /** Within a transaction. */
  function note(id: string, standing: Standing): void {
    counted(standing ? (standing.state === 'dead' ? 'dead' : 'failed') : 'delivered')
    // A waiting event is read again when readers see it.
    if (standing?.state === 'waiting') transactions.whenShown(() => add(id, standing.dueAt))
    else table.remove(id)
  }

  function begin(id: string): void {
    const value = deliveryAt(store, ['waiting', name, id])
    if (!value) {
      table.remove(id) // gone, or it cannot be read: the doctor tells of it
      return
    }
    const actor = deliveryActor(parts, id, 'waiting', value, logicOf(id, value))
    const end = () => {
      sending.delete(id)
      note(id, keepDelivery(parts, id, 'waiting', value, actor))
    }
    sending.set(id, actor)
    transactions.take(() => {
      actor.start()
      actor.send({ type: 'delivery.due', at: clock.now() })
      if (!actor.getSnapshot().matches('sending')) return end()
      actor.subscribe({
        next: (snapshot) => {
          if (!snapshot.matches('sending')) end()
        },
        // The event stays stored: the next engine tries it again.
        error: () => void sending.delete(id)
      })
    })
  }

  /** Begins what is due, and sets the alarm for what comes next. */
  function look(): void {
    cancel()
    cancel = () => {}
    if (signal.aborted) return
    const { atOnce } = paceOf(failures)
    const paused = pausedUntil - clock.elapsed()
    while (paused <= 0 && sending.size < atOnce) {
      const id = table.take(clock.now())
      if (id === undefined) break
      begin(id)
    }
    if (sending.size >= atOnce) return // the next end looks again
    const next = table.next()
    if (next === undefined) return
    cancel = next - clock.now() > paused ? clock.at(next, look) : clock.after(Math.max(0, paused), look)
  }

  /** An event that has given way is still among the oldest until readers see that it has. */
  function giveWay(): void {
    const excess = table.size - mostWaiting
    if (excess <= 0 || isGivingWay || signal.aborted) return
    const oldest = deliveryIds(store, 'waiting', name, sending.size + excess)
    const event = { type: 'delivery.displaced', at: clock.now(), most: mostWaiting } as const
    isGivingWay = true
    transactions.take(() => {
      for (const id of oldest.filter((id) => table.isDue(id)).slice(0, excess)) {
        settle(parts, id, 'waiting', event)
        table.remove(id)
        counted('dead')
      }
      transactions.whenShown(() => {
        isGivingWay = false
        giveWay()
      })
    })
  }

  function add(id: string, dueAt: number): void {
    if (signal.aborted || sending.has(id)) return
    table.put(id, dueAt)
    giveWay()
    // Many come in one turn.
    cancel()
    cancel = clock.after(0, look)
  }

  return {
    waiting: () => table.size,
    failures: () => failures,
    add,
    revive(id) {
      const standing = settle(parts, id, 'dead', { type: 'delivery.retried', at: clock.now() })
      if (standing) transactions.whenShown(() => add(id, standing.dueAt))
      return standing !== undefined
    },
    isQuiet: () => sending.size === 0 && (failures > 0 || (table.next() ?? Number.POSITIVE_INFINITY) > clock.now()),
    close() {
      closing.abort()
      cancel()
      for (const actor of sending.values()) actor.stop()
      sending.clear()
    }
  }
}

const randomOf = (clock: Pick<Clock, 'random'>): number => Buffer.from(clock.random(4)).readUInt32BE(0) / 2 ** 32
