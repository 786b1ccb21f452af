/**
 * Metrics in Prometheus' text form. Opened by the first scrape, because the runtime's metrics have a constant cost.
 * Source: http-api "Metrics exposed", api-semantics 10.1.
 */
import { statSync } from 'node:fs'
import { collectDefaultMetrics } from 'prom-client'
import { UNREADY_REASONS } from '../../../machines/vocabulary/lists.ts'
import type { BusView, Engine, TargetView, WorkerView } from '../../engine/engine.ts'
import type { AnsweredListeners, AnsweredRequest } from '../rules/answered.ts'
import { engineMetrics } from './engine-metrics.ts'
import { HEALTHS, METHODS, OTHER, SELECTORS, TARGETS, WORKERS } from './label-values.ts'
import { bounded, openRegister, type Registered } from './registry.ts'
import { runMetrics } from './run-metrics.ts'

export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** Stops counting. */
  close(): void
}

// D1414: durations are measured while somebody reads metrics
/** @param answered who is told of requests */
export async function openMetrics(engine: Engine, answered: AnsweredListeners): Promise<Metrics> {
  const registered = openRegister()
  const { register, gauge, histogram } = registered
  const { version, startedAt } = await engine.health()
  const info = build(version)
  gauge('engine_info', (known) => known.set(info, 1))
  gauge('engine_uptime_seconds', (uptime) => uptime.set((engine.now() - startedAt) / 1_000))
  gauge('engine_ready', async (ready) => ready.set((await engine.health()).unready ? 0 : 1))
  gauge('engine_unready', async (unready) => {
    const found = (await engine.health()).unready?.reason
    for (const reason of UNREADY_REASONS) unready.set({ reason }, reason === found ? 1 : 0)
  })
  gauge('engine_scheduler_running', async (running) => running.set((await engine.health()).scheduling ? 1 : 0))
  gauge('engine_dags_total', async (dags) => {
    await engine.definitionsReady()
    dags.set(engine.definitions().length)
  })
  gauge('engine_workers', async (workers) => {
    const known = await knownWorkers(engine)
    for (const health of HEALTHS) workers.set({ health }, known.filter((one) => one.health === health).length)
  })
  const requests = histogram('engine_http_request_duration_seconds')
  const countAnswer = ({ method, status, ms }: AnsweredRequest) =>
    requests.observe(
      { method: KNOWN_METHODS.has(method) ? method : OTHER, code: `${Math.floor(status / 100)}xx` },
      ms / 1_000
    )
  answered.add(countAnswer)
  const endRuns = runMetrics(registered, engine, startedAt)
  deliveryMetrics(registered, engine)
  const endMeasuring = engine.metering ? engineMetrics(registered, engine.metering) : () => {}
  const ofWorkers = workerMetrics(engine)
  collectDefaultMetrics({ register })
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    async text() {
      engine.metering?.tell()
      return (await register.metrics()) + (await ofWorkers.text())
    },
    close() {
      answered.delete(countAnswer)
      endMeasuring()
      endRuns()
      register.clear()
    }
  }
}

const KNOWN_METHODS: ReadonlySet<string> = new Set(METHODS)

const build = (version: string) => ({
  version,
  build_date: statSync(new URL('../../../../package.json', import.meta.url))
    .mtime.toISOString()
    .replace(/\.\d+Z$/, 'Z'),
  go_version: process.version
})

/** Metrics of the events that are delivered to targets of `notify`. */
function deliveryMetrics({ gauge, counter }: Registered, engine: Pick<Engine, 'targets'>): void {
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

/** Metrics of workers and their bus; none where there is no coordinator. Source: distribution 9. */
const LONGEST_SELECTOR = 200

/** Workers that are known now; none where there is no coordinator. */
const knownWorkers = (engine: Engine): Promise<WorkerView[]> =>
  engine.workers().then(
    ({ workers }) => workers,
    () => []
  )

function workerMetrics(engine: Engine) {
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
    /** Text of one scrape; empty: there is no coordinator. */
    async text(): Promise<string> {
      bus = await engine.bus()
      if (!bus) return ''
      serving = (await knownWorkers(engine)).filter(({ status }) => status !== 'incompatible')
      return register.metrics()
    }
  }
}
