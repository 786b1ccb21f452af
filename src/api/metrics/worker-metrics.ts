/** Metrics of workers and their bus; none where there is no coordinator. Source: distribution 9. */
import type { BusView, Engine, WorkerView } from '../../engine/engine.ts'
import { OTHER, SELECTORS, WORKERS } from './label-values.ts'
import { openRegister } from './registry.ts'

const LONGEST_SELECTOR = 200

export interface WorkerMetrics {
  /** Text of one scrape; empty: there is no coordinator. */
  text(): Promise<string>
}

/** Workers that are known now; none where there is no coordinator. */
export const knownWorkers = (engine: Engine): Promise<WorkerView[]> =>
  engine.workers().then(
    ({ workers }) => workers,
    () => []
  )

export function workerMetrics(engine: Engine): WorkerMetrics {
  const { register, gauge, counter } = openRegister()
  let bus: BusView | undefined
  let serving: readonly WorkerView[] = []
  const ofWorkers = (tell: (worker: string, view: WorkerView) => void) => {
    for (const [at, view] of serving.entries()) tell(at < WORKERS.most ? view.id : OTHER, view)
  }
  gauge('engine_worker_slots', (slots) => ofWorkers((worker, view) => slots.inc({ worker }, view.slots)))
  gauge('engine_worker_slots_busy', (busy) => ofWorkers((worker, { taken }) => busy.inc({ worker }, taken)))
  gauge('engine_runs_waiting_for_worker', (waiting) => {
    for (const [at, { selector, count }] of (bus?.waiting ?? []).entries())
      waiting.inc({ selector: at < SELECTORS.most ? selector.slice(0, LONGEST_SELECTOR) : OTHER }, count)
  })
  gauge('engine_bus_connected', (connected) => connected.set(bus?.connected ? 1 : 0))
  counter('engine_bus_messages_total', (messages) => {
    messages.reset()
    for (const { kind, direction, count } of bus?.messages ?? []) messages.inc({ kind, direction }, count)
  })
  counter('engine_worker_lost_total', (lost) => {
    lost.reset()
    lost.inc(bus?.losses.lost ?? 0)
  })
  counter('engine_worker_fenced_total', (fenced) => {
    fenced.reset()
    fenced.inc(bus?.losses.fenced ?? 0)
  })
  return {
    async text() {
      bus = await engine.bus()
      if (!bus) return ''
      serving = (await knownWorkers(engine)).filter(({ status }) => status !== 'incompatible')
      return register.metrics()
    }
  }
}
