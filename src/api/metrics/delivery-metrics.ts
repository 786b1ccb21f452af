/** Metrics of the events that are delivered to targets of `notify`. */
import type { Engine, TargetView } from '../../engine/engine.ts'
import { bounded, type Registered } from './registry.ts'

/** Targets with separate series: `notify` has at most half as many, and others may have left something. */
const MOST_TARGETS = 100

export function deliveryMetrics({ gauge, counter }: Registered, engine: Pick<Engine, 'targets'>): void {
  const nameOf = bounded(MOST_TARGETS)
  const all = (tell: (target: string, view: TargetView) => void) => {
    for (const view of engine.targets()) tell(nameOf(view.name), view)
  }
  counter(
    {
      name: 'engine_notifications_total',
      help: 'Requests to targets of notify by what came of them, and events that were given up.',
      labels: ['target', 'outcome']
    },
    (notifications) => {
      notifications.reset()
      all((target, { counts = {} }) => {
        for (const [outcome, count] of Object.entries(counts)) notifications.inc({ target, outcome }, count)
      })
    }
  )
  gauge(
    { name: 'engine_notifications_waiting', help: 'Events that wait for a target of notify.', labels: ['target'] },
    (waiting) => all((target, view) => waiting.set({ target }, view.waiting))
  )
  gauge(
    {
      name: 'engine_notifications_dead',
      help: 'Dead letters: events that a target of notify has not accepted, and that are not tried again.',
      labels: ['target']
    },
    (dead) => all((target, view) => dead.set({ target }, view.dead))
  )
}
