/** Deliveries and targets as hosts see them, whatever the storage. Source: docs/notifications.md "Dead letters". */
import type { RunKey } from '../../machines/vocabulary.ts'

/** Instants in epoch ms. */
export interface DeliveryView {
  target: string
  /** Id of the event: `webhook-id` of its requests. */
  id: string
  state: 'waiting' | 'dead'
  /** Type of the event, such as `run.failed`. */
  event: string
  /** The root run that it is about; absent: none. */
  run?: RunKey
  at: number
  /** Failed ones. */
  attempts: number
  /** When the next attempt is due; absent: there is none. */
  dueAt?: number
  triedAt?: number
  /** Why the latest attempt failed, or why it is given up. */
  error?: string
  deadAt?: number
}

export interface DeliveryFilter {
  /** Absent: both, dead letters first. */
  state?: 'waiting' | 'dead'
  target?: string
}

export interface DeliveriesPart {
  deliveries: DeliveryView[]
  /** Continue behind this one; absent: there are no more. */
  next?: string
}

export interface TargetView {
  name: string
  /** `notify` has it. */
  isConfigured: boolean
  waiting: number
  dead: number
  /** Requests in a row that were not accepted; absent: this engine sends nothing. */
  failures?: number
  /** Since the engine was opened: accepted events, failed attempts, dead letters. */
  counts?: Readonly<Record<'delivered' | 'failed' | 'dead', number>>
}
