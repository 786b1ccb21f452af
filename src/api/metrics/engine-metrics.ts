/** Metrics of the engine itself: turns, store, disk, launcher, queues, steps. What is measured is measured from the first scrape on. */
import type { Metering, Reading } from '../../engine/engine.ts'
import { bounded, LONG_SECONDS, MEDIUM_SECONDS, OTHER, type Registered, SHORT_SECONDS } from './registry.ts'

/** Types of executors with separate series: a host application may have any number. */
const MOST_TYPES = 30
/** Queues with separate series. */
const MOST_QUEUES = 200

/** Returns a function that ends the measuring. */
export function engineMetrics({ gauge, counter, histogram }: Registered, metering: Metering): () => void {
  const steps = histogram({
    name: 'engine_step_duration_seconds',
    help: 'From the start of a step to its end, retries and repetitions included, by type of its executor.',
    labels: ['type', 'status'],
    buckets: LONG_SECONDS
  })
  const retries = counter({
    name: 'engine_step_retries_total',
    help: 'Steps that have failed and are tried again.',
    labels: ['type']
  })
  const turns = histogram({
    name: 'engine_turn_duration_seconds',
    help: 'Processing of one message in all actors that it reaches. Meanwhile nothing else is done.',
    buckets: SHORT_SECONDS
  })
  const writes = histogram({
    name: 'engine_store_write_duration_seconds',
    help: 'A write of transactions, with its retries: to the write-ahead file, or to the store with its flush.',
    labels: ['file'],
    buckets: SHORT_SECONDS
  })
  const starts = histogram({
    name: 'engine_launcher_start_duration_seconds',
    help: 'From the request for a local process until it is there.',
    buckets: MEDIUM_SECONDS
  })
  const failures = counter({
    name: 'engine_launcher_failures_total',
    help: 'Local processes that could not be started, or whose end will never be known.'
  })
  const typeOf = bounded(MOST_TYPES)
  const end = metering.listen((measured) => {
    switch (measured.what) {
      case 'turn':
        return turns.observe(measured.ms / 1_000)
      case 'write':
        return writes.observe({ file: measured.file }, measured.ms / 1_000)
      case 'launch':
        return starts.observe(measured.ms / 1_000)
      case 'failed launch':
        return failures.inc()
      case 'step':
        return steps.observe({ type: typeOf(measured.type), status: measured.status }, measured.ms / 1_000)
      case 'retry':
        return retries.inc({ type: typeOf(measured.type) })
    }
  })

  let reading: Promise<Reading> | undefined
  /** One for all gauges of a scrape, which are read together. */
  const read = () => {
    reading ??= metering.read().finally(() => {
      reading = undefined
    })
    return reading
  }
  gauge(
    { name: 'engine_store_size_bytes', help: 'What a file of the store takes on the disk.', labels: ['file'] },
    async (sizes) => {
      for (const [file, bytes] of Object.entries((await read()).files)) sizes.set({ file }, bytes)
    }
  )
  gauge({ name: 'engine_disk_free_bytes', help: 'Free space of the disk with the data folder.' }, async (free) =>
    free.set((await read()).disk?.free ?? Number.NaN)
  )
  gauge({ name: 'engine_disk_size_bytes', help: 'Size of the disk with the data folder.' }, async (size) =>
    size.set((await read()).disk?.all ?? Number.NaN)
  )
  gauge(
    { name: 'engine_launcher_processes', help: 'Local processes of steps, by state.', labels: ['state'] },
    async (processes) => {
      for (const [state, count] of Object.entries((await read()).launcher)) processes.set({ state }, count)
    }
  )
  gauge(
    { name: 'engine_launcher_native', help: '1 when the native launcher starts steps, 0 when shells do.' },
    async (native) => native.set((await read()).isNative ? 1 : 0)
  )
  const ofQueues = async (set: (queue: string, reading: Reading['queues'][number]) => void) => {
    for (const [at, one] of (await read()).queues.entries()) set(at < MOST_QUEUES ? one.name : OTHER, one)
  }
  gauge({ name: 'engine_queue_length', help: 'Runs that wait in a queue.', labels: ['queue'] }, (length) =>
    ofQueues((queue, { waiting }) => length.inc({ queue }, waiting))
  )
  gauge({ name: 'engine_queue_slots_busy', help: 'Runs that hold a slot of a queue.', labels: ['queue'] }, (busy) =>
    ofQueues((queue, { running }) => busy.inc({ queue }, running))
  )
  gauge(
    {
      name: 'engine_queue_oldest_wait_seconds',
      help: 'How long the first run of a queue has waited.',
      labels: ['queue']
    },
    (oldest) => {
      const longest = new Map<string, number>()
      return ofQueues((queue, { waitedMs }) => {
        longest.set(queue, Math.max(waitedMs, longest.get(queue) ?? 0))
        oldest.set({ queue }, (longest.get(queue) ?? 0) / 1_000)
      })
    }
  )
  return end
}
