/** Metrics of workers and their bus; none where there is no coordinator. Source: distribution 9. */
import { Counter, Gauge, Registry } from 'prom-client'
import type { BusView, Engine, WorkerView } from '../../engine/engine.ts'

/** Workers with separate series; the others are summed. */
const MOST_WORKERS = 200
/** The same of what runs ask for. */
const MOST_SELECTORS = 50
const LONGEST_SELECTOR = 200

export const HEALTHS = ['healthy', 'warning', 'unhealthy'] as const satisfies WorkerView['health'][]

export interface WorkerMetrics {
  /** Text of one scrape; empty: there is no coordinator. */
  text(): Promise<string>
}

/** Those that are known now; none where there is no coordinator. */
export const knownWorkers = (engine: Engine): Promise<WorkerView[]> =>
  engine.workers().then(
    ({ workers }) => workers,
    () => []
  )

export function workerMetrics(engine: Engine): WorkerMetrics {
  const register = new Registry()
  const registers = [register]
  const slots = new Gauge({
    ...{ name: 'engine_worker_slots', help: 'Runs that a worker takes at a time.', labelNames: ['worker'], registers }
  })
  const busy = new Gauge({
    name: 'engine_worker_slots_busy',
    help: 'Runs that take a slot of a worker now.',
    labelNames: ['worker'],
    registers
  })
  const waiting = new Gauge({
    name: 'engine_runs_waiting_for_worker',
    help: 'Queued runs that lack a worker and nothing else, by the labels that they ask for.',
    labelNames: ['selector'],
    registers
  })
  const connected = new Gauge({
    ...{ name: 'engine_bus_connected', help: '1 when the message bus of the workers is connected.', registers }
  })
  const messages = new Counter({
    name: 'engine_bus_messages_total',
    help: 'Messages on the message bus of the workers.',
    labelNames: ['kind', 'direction'],
    registers
  })
  const lost = new Counter({ name: 'engine_worker_lost_total', help: 'Workers that were lost.', registers })
  const fenced = new Counter({
    ...{ name: 'engine_worker_fenced_total', help: 'Lost workers whose fence has ended what they had.', registers }
  })
  function read(bus: BusView, workers: readonly WorkerView[]): void {
    connected.set(bus.connected ? 1 : 0)
    messages.reset()
    lost.reset()
    fenced.reset()
    lost.inc(bus.losses.lost)
    fenced.inc(bus.losses.fenced)
    for (const { kind, direction, count } of bus.messages) messages.inc({ kind, direction }, count)
    slots.reset()
    busy.reset()
    const serving = workers.filter(({ status }) => status !== 'incompatible')
    for (const [at, { id, slots: number, taken }] of serving.entries()) {
      const worker = at < MOST_WORKERS ? id : 'other'
      slots.inc({ worker }, number)
      busy.inc({ worker }, taken)
    }
    waiting.reset()
    for (const [at, { selector, count }] of bus.waiting.entries())
      waiting.inc({ selector: at < MOST_SELECTORS ? selector.slice(0, LONGEST_SELECTOR) : 'other' }, count)
  }
  return {
    async text() {
      const bus = await engine.bus()
      if (!bus) return ''
      read(bus, await knownWorkers(engine))
      return register.metrics()
    }
  }
}
