/** Targets of `notify` that do not accept events. Source: docs/notifications.md "Dead letters". */
import { shellWord } from '../platform/shell/shell-word.ts'
import type { Store } from '../store/open.ts'
import { deliveriesFrom, deliveryCount, targetsWith } from '../store/tables/deliveries.ts'
import type { Finding } from './finding.ts'

/** A target that has failed fewer times may just have been restarted. */
const FAILURES = 3
/** Oldest events of a target that are looked at. */
const LOOKED_AT = 100

export function* undelivered(store: Store): Generator<Finding> {
  for (const target of targetsWith(store, 'dead')) {
    const count = deliveryCount(store, 'dead', target)
    const [first] = deliveriesFrom(store, 'dead', target, undefined, 1)
    yield {
      check: 'notifications',
      severity: 'warning',
      message: `${count === 1 ? 'one event' : `${count} events`} for the target ${target} of notify ${count === 1 ? 'is a dead letter' : 'are dead letters'}${reasonOf(first?.value.error)}`,
      mending: `troupe deliveries --failed lists them; troupe deliveries retry ${shellWord(target)} has them delivered, remove ${shellWord(target)} removes them`
    }
  }
  for (const target of targetsWith(store, 'waiting')) {
    const oldest = deliveriesFrom(store, 'waiting', target, undefined, LOOKED_AT)
    const failing = oldest.find(({ value }) => value.attempts >= FAILURES)
    if (failing)
      yield {
        check: 'notifications',
        severity: 'warning',
        message: `the target ${target} of notify does not accept events: ${deliveryCount(store, 'waiting', target)} wait${reasonOf(failing.value.error)}`,
        mending: 'they are tried again by themselves; troupe deliveries says when'
      }
  }
}

const reasonOf = (error: string | undefined) => (error === undefined ? '' : `: ${error}`)
