/** Metrics of the events that are delivered to targets of `notify`. */
import type { Engine, TargetView } from '../../engine/engine.ts'
import { TARGETS } from './label-values.ts'
import { bounded, type Registered } from './registry.ts'

export function deliveryMetrics({ gauge, counter }: Registered, engine: Pick<Engine, 'targets'>): void {
  const nameOf = bounded(TARGETS)
  const all = (tell: (target: string, view: TargetView) => void) => {
    for (const view of engine.targets()) tell(nameOf(view.name), view)
  }
  counter('engine_notifications_total', (notifications) => {
    notifications.reset()
    all((target, { counts = {} }) => {
      for (const [outcome, count] of Object.entries(counts)) notifications.inc({ target, outcome }, count)
    })
  })
  gauge('engine_notifications_waiting', (waiting) => all((target, view) => waiting.set({ target }, view.waiting)))
  gauge('engine_notifications_dead', (dead) => all((target, view) => dead.set({ target }, view.dead)))
}
