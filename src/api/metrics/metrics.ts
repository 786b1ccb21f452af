/**
 * Metrics in Prometheus' text form. Ended runs are counted as they end, and read from the store once, at the first scrape:
 * later scrapes never walk the history. Loaded by the first scrape, because the runtime's metrics have a constant cost.
 * Source: http-api "Metrics exposed", api-semantics 10.1.
 */
import { statSync } from 'node:fs'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { RunRecord } from '../../machines/vocabulary.ts'
import type { Engine } from '../engine/engine.ts'
import { type Ending, rollingEnds } from './rolling-ends.ts'
import { HEALTHS, knownWorkers, workerMetrics } from './worker-metrics.ts'

const HOUR_MS = 3_600_000
const WINDOW_MS = 24 * HOUR_MS
/** The first scrape ignores runs that were created longer ago. */
const SEEDED_MS = 2 * WINDOW_MS
/** DAG names with separate series; the others share one, so that arbitrary names cannot fill the memory. */
const MOST_NAMES = 1_000

const ENDINGS: Partial<Record<RunRecord['status'], Ending>> = {
  succeeded: 'succeeded',
  partially_succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'aborted'
}

export interface Metrics {
  readonly contentType: string
  text(): Promise<string>
  /** Stops counting. */
  close(): void
}

// D215
export async function openMetrics(engine: Engine): Promise<Metrics> {
  const register = new Registry()
  const registers = [register]
  const { version, startedAt } = await engine.health()
  gauge('engine_info', 'Build information.', (info) => info.set(build(version), 1), Object.keys(build(version)))
  gauge('engine_uptime_seconds', 'Seconds since the server started.', (uptime) =>
    uptime.set((engine.now() - startedAt) / 1_000)
  )
  gauge('engine_scheduler_running', '1 when the scheduler runs.', async (running) =>
    running.set((await engine.health()).scheduling ? 1 : 0)
  )
  gauge('engine_dags_total', 'Number of DAGs.', async (dags) => {
    await engine.definitionsReady()
    dags.set(engine.definitions().length)
  })
  gauge('engine_dag_runs_currently_running', 'DAG runs that are running.', (runs) => runs.set(engine.count('running')))
  gauge('engine_dag_runs_queued_total', 'DAG runs in queues.', (runs) => runs.set(engine.count('queued')))
  const ends = rollingEnds(WINDOW_MS)
  new Counter({
    name: 'engine_dag_runs_total',
    help: 'DAG runs that ended in the last 24 hours.',
    labelNames: ['status'],
    registers,
    collect() {
      this.reset()
      for (const [status, count] of Object.entries(ends.counts(engine.now()))) this.inc({ status }, count)
    }
  })
  const durations = new Histogram({
    name: 'engine_dag_run_duration_seconds',
    help: 'From the start of a DAG run to its end.',
    labelNames: ['dag'],
    buckets: [1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600],
    registers
  })
  const waits = new Histogram({
    name: 'engine_queue_wait_seconds',
    help: 'From the queue to the start of a DAG run.',
    labelNames: ['dag'],
    buckets: [1, 5, 10, 30, 60, 120, 300, 600],
    registers
  })
  gauge(
    'engine_workers',
    'Workers by health.',
    async (workers) => {
      const known = await knownWorkers(engine)
      for (const health of HEALTHS) workers.set({ health }, known.filter((one) => one.health === health).length)
    },
    ['health']
  )
  const workerWaits = new Histogram({
    name: 'engine_worker_wait_seconds',
    help: 'From the queue to the start of a DAG run on a worker.',
    buckets: [1, 5, 10, 30, 60, 120, 300, 600],
    registers
  })
  const ofWorkers = workerMetrics(engine)
  collectDefaultMetrics({ register })

  const names = new Set<string>()
  const labelOf = (name: string) => {
    if (names.size < MOST_NAMES) names.add(name)
    return names.has(name) ? name : 'other'
  }
  const count = ({ name, status, caller, queuedAt, startedAt: began, finishedAt, attempt }: RunRecord) => {
    const ending = ENDINGS[status]
    if (caller || finishedAt === undefined || !ending) return
    ends.add(ending, finishedAt)
    if (finishedAt < startedAt || began === undefined) return
    durations.observe({ dag: labelOf(name) }, (finishedAt - began) / 1_000)
    if (queuedAt !== undefined && attempt === 1) waits.observe({ dag: labelOf(name) }, (began - queuedAt) / 1_000)
  }
  const countPlaced = ({ placement, queuedAt, startedAt: began, attempt }: RunRecord) => {
    if (placement && queuedAt !== undefined && began !== undefined && attempt === 1)
      workerWaits.observe((began - queuedAt) / 1_000)
  }
  for (const run of engine.runs({ from: engine.now() - SEEDED_MS })) count(run)
  const end = engine.subscribe(({ run, step, status }) => {
    if (!run || step !== undefined || !status) return
    const record = status === 'running' || status in ENDINGS ? engine.record(run) : undefined
    if (record && status === 'running') countPlaced(record)
    else if (record) count(record)
  })
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: async () => (await register.metrics()) + (await ofWorkers.text()),
    close() {
      end()
      register.clear()
    }
  }

  /** @param labelNames none: its value is 0 until it is read */
  function gauge(
    name: string,
    help: string,
    read: (gauge: Gauge<string>) => void | Promise<void>,
    labelNames: string[] = []
  ): void {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        return read(this)
      }
    })
  }
}

/** `go_version` is the name that the specification gives the label; it holds Node's version. */
const build = (version: string) => ({
  version,
  build_date: statSync(new URL('../../../package.json', import.meta.url))
    .mtime.toISOString()
    .replace(/\.\d+Z$/, 'Z'),
  go_version: process.version
})
