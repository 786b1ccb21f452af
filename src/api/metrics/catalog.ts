/** Every metric of the engine: the server registers what stands here, and docs/operating/watching.md is made of it. */
import * as may from './label-values.ts'

export interface Metric {
  type: 'gauge' | 'counter' | 'histogram'
  /** A sentence, or some. */
  help: string
  labels: Readonly<Record<string, may.LabelValues>>
  /** Upper bounds of a histogram, in the unit of its name. */
  buckets?: readonly number[]
  /** About workers: in a table of its own. */
  isOfWorkers?: true
}

/** From a transition to a commit on a slow disk. */
const SHORT_SECONDS = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1]
/** From an answer or a start to one that somebody notices. */
const MEDIUM_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]
/** From a command to work of hours. */
const LONG_SECONDS = [0.01, 0.05, 0.1, 0.5, 1, 5, 15, 60, 300, 900, 3600, 14_400]
// D1576: durations and waits of runs have buckets below a second
const RUN_SECONDS = [0.1, 0.5, 1, 5, 15, 30, 60, 120, 300, 600, 1800, 3600]
const WAIT_SECONDS = [0.1, 0.5, 1, 5, 10, 30, 60, 120, 300, 600]

type Labels = Metric['labels']
type None = Record<never, never>
const gauge = <const L extends Labels = None>(help: string, labels = {} as L) => ({
  type: 'gauge' as const,
  help,
  labels
})
const counter = <const L extends Labels = None>(help: string, labels = {} as L) => ({
  type: 'counter' as const,
  help,
  labels
})
const histogram = <const L extends Labels = None>(help: string, buckets: readonly number[], labels = {} as L) => ({
  type: 'histogram' as const,
  help,
  buckets,
  labels
})
const ofWorkers = <M extends Metric>(metric: M) => ({ ...metric, isOfWorkers: true as const })

// D1575: the catalog of metrics is one table
/** In the order of the page. */
export const METRICS = {
  // `go_version` is the name that the specification gives the label; it holds Node's version.
  engine_info: gauge('Build information.', { version: may.BUILD, build_date: may.BUILD, go_version: may.BUILD }),
  engine_uptime_seconds: gauge('Seconds since the server started.'),
  engine_ready: gauge('1 when the server should get requests, as /health/ready says.'),
  engine_unready: gauge('1 for the reason why the server should get no requests.', { reason: may.REASONS }),
  engine_scheduler_running: gauge('1 when schedules are followed.'),
  engine_dags_total: gauge('Definitions, those with problems included.'),
  engine_dag_runs_currently_running: gauge('Root runs that are running.'),
  engine_dag_runs_queued_total: gauge('Root runs in queues.'),
  engine_dag_runs_total: counter('Root runs that ended in the last 24 hours. It falls: do not use rate().', {
    status: may.WINDOW_ENDS
  }),
  engine_dag_runs_ended_total: counter('Root runs that have ended since the server started.', {
    dag: may.DAGS,
    status: may.RUN_ENDS
  }),
  engine_dag_run_duration_seconds: histogram('From the start of a root run to its end.', RUN_SECONDS, {
    dag: may.DAGS
  }),
  engine_queue_wait_seconds: histogram('From the queue to the start of a root run.', WAIT_SECONDS, { dag: may.DAGS }),
  engine_queue_length: gauge('Runs that wait in a queue.', { queue: may.QUEUES }),
  engine_queue_oldest_wait_seconds: gauge('How long the first run of a queue has waited.', { queue: may.QUEUES }),
  engine_step_duration_seconds: histogram(
    'From the start of a step to its end, retries and repetitions included, by type of its executor.',
    LONG_SECONDS,
    { type: may.TYPES, status: may.STEP_ENDS }
  ),
  engine_step_retries_total: counter('Steps that have failed and are tried again.', { type: may.TYPES }),
  engine_launcher_start_duration_seconds: histogram(
    'From the request for a local process until it is there.',
    MEDIUM_SECONDS
  ),
  engine_launcher_failures_total: counter(
    'Local processes that could not be started, or whose end will never be known.'
  ),
  engine_launcher_processes: gauge('Local processes of steps, by state.', { state: may.STATES }),
  engine_turn_duration_seconds: histogram(
    'Processing of one message in all actors that it reaches. Meanwhile nothing else is done.',
    SHORT_SECONDS
  ),
  engine_store_write_duration_seconds: histogram(
    'A write of transactions, with its retries: to the write-ahead file, or to the store with its flush.',
    SHORT_SECONDS,
    { file: may.FILES }
  ),
  engine_store_size_bytes: gauge('What a file of the store takes on the disk.', { file: may.FILES }),
  engine_disk_free_bytes: gauge('Free space of the disk with the data folder.'),
  engine_disk_size_bytes: gauge('Size of the disk with the data folder.'),
  engine_notifications_total: counter(
    'Requests to targets of notify by what came of them, and events that were given up.',
    { target: may.TARGETS, outcome: may.OUTCOMES }
  ),
  engine_notifications_waiting: gauge('Events that wait for a target of notify.', { target: may.TARGETS }),
  engine_notifications_dead: gauge(
    'Dead letters: events that a target of notify has not accepted, and that are not tried again.',
    { target: may.TARGETS }
  ),
  engine_http_request_duration_seconds: histogram(
    'Time until the answer to a request began, by the class of its status.',
    MEDIUM_SECONDS,
    { method: may.METHOD, code: may.CODES }
  ),
  engine_workers: ofWorkers(gauge('Workers by health.', { health: may.HEALTH })),
  engine_worker_wait_seconds: ofWorkers(histogram('From the queue to the start of a run on a worker.', WAIT_SECONDS)),
  engine_queue_slots_busy: ofWorkers(gauge('Runs that hold a slot of a queue.', { queue: may.QUEUES })),
  engine_worker_slots: ofWorkers(gauge('Runs that a worker takes at a time.', { worker: may.WORKERS })),
  engine_worker_slots_busy: ofWorkers(gauge('Runs that take a slot of a worker now.', { worker: may.WORKERS })),
  engine_runs_waiting_for_worker: ofWorkers(
    gauge('Queued runs that lack a worker and nothing else, by the labels that they ask for.', {
      selector: may.SELECTORS
    })
  ),
  engine_bus_connected: ofWorkers(gauge('1 when the message bus of the workers is connected.')),
  engine_bus_messages_total: ofWorkers(
    counter('Messages on the message bus of the workers.', { kind: may.MESSAGES, direction: may.DIRECTIONS })
  ),
  engine_worker_lost_total: ofWorkers(counter('Workers that were lost.')),
  engine_worker_fenced_total: ofWorkers(counter('Lost workers whose fence has ended what they had.'))
} satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
export type NameOf<T extends Metric['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never
}[MetricName]
export type LabelOf<N extends MetricName> = Extract<keyof (typeof METRICS)[N]['labels'], string>
