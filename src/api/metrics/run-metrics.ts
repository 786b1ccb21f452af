/** Metrics of runs. Ended runs are counted as they end, and read from the store once: later scrapes never walk the history. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { Engine } from '../../engine/engine.ts'
import { DAGS } from './label-values.ts'
import { bounded, type Registered } from './registry.ts'

const HOUR_MS = 3_600_000
const WINDOW_MS = 24 * HOUR_MS
/** The first scrape ignores runs that were created longer ago. */
const SEEDED_MS = 2 * WINDOW_MS

const ENDINGS: Partial<Record<RunRecord['status'], Ending>> = {
  succeeded: 'succeeded',
  partially_succeeded: 'succeeded',
  failed: 'failed',
  canceled: 'aborted'
}

// D215: `engine_dag_runs_total` is counted to the minute
/** @param since when the engine started. Returns a function that ends the counting */
export function runMetrics({ gauge, counter, histogram }: Registered, engine: Engine, since: number): () => void {
  gauge('engine_dag_runs_currently_running', (runs) => runs.set(engine.count('running')))
  gauge('engine_dag_runs_queued_total', (runs) => runs.set(engine.count('queued')))
  const ends = rollingEnds(WINDOW_MS)
  counter('engine_dag_runs_total', (inWindow) => {
    inWindow.reset()
    for (const [status, count] of Object.entries(ends.counts(engine.now()))) inWindow.inc({ status }, count)
  })
  // D1415: `engine_dag_runs_ended_total` counts beside `engine_dag_runs_total`
  const ended = counter('engine_dag_runs_ended_total')
  const durations = histogram('engine_dag_run_duration_seconds')
  const waits = histogram('engine_queue_wait_seconds')
  const workerWaits = histogram('engine_worker_wait_seconds')

  const labelOf = bounded(DAGS)
  function countEnd({ name, status, caller, startedAt: began, finishedAt }: RunRecord): void {
    const ending = ENDINGS[status]
    if (caller || finishedAt === undefined || !ending) return
    ends.add(ending, finishedAt)
    if (finishedAt < since) return
    ended.inc({ dag: labelOf(name), status })
    if (began !== undefined) durations.observe({ dag: labelOf(name) }, (finishedAt - began) / 1_000)
  }
  function countStart({
    name,
    caller,
    placement,
    queuedAt,
    notBefore = 0,
    startedAt: began,
    attempt
  }: RunRecord): void {
    if (began === undefined || began < since) return
    // Prometheus sees an increase only from a value that it has seen.
    if (!caller) for (const status of Object.keys(ENDINGS)) ended.inc({ dag: labelOf(name), status }, 0)
    if (queuedAt === undefined || attempt !== 1) return
    const wait = (began - Math.max(queuedAt, Math.min(notBefore, began))) / 1_000
    if (placement) workerWaits.observe(wait)
    if (!caller) waits.observe({ dag: labelOf(name) }, wait)
  }
  for (const run of engine.runs({ from: engine.now() - SEEDED_MS })) {
    countStart(run)
    countEnd(run)
  }
  return engine.subscribe(({ run, step, from, status }) => {
    if (!run || step !== undefined || !status) return
    const isStart = status === 'running' && from === ''
    const record = isStart || status in ENDINGS ? engine.record(run) : undefined
    if (record && isStart) countStart(record)
    else if (record) countEnd(record)
  })
}

type Ending = 'succeeded' | 'failed' | 'aborted'

const MINUTE_MS = 60_000

/** Counts ended runs in a rolling time window, to the minute. Source: api-semantics 10.1 (engine_dag_runs_total). @param windowMs whole minutes */
export function rollingEnds(windowMs: number) {
  const minutes = new Map<number, Record<Ending, number>>()
  return {
    /** @param at epoch ms */
    add(ending: Ending, at: number) {
      const minute = Math.floor(at / MINUTE_MS)
      const counts = minutes.get(minute) ?? { succeeded: 0, failed: 0, aborted: 0 }
      counts[ending]++
      minutes.set(minute, counts)
    },
    /** Ends within the window before `now`. */
    counts(now: number): Record<Ending, number> {
      const total = { succeeded: 0, failed: 0, aborted: 0 }
      const oldest = Math.floor((now - windowMs) / MINUTE_MS)
      for (const [minute, counts] of minutes) {
        if (minute <= oldest) minutes.delete(minute)
        else for (const ending of ['succeeded', 'failed', 'aborted'] as const) total[ending] += counts[ending]
      }
      return total
    }
  }
}
