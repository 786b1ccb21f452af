/** Metrics of the engine itself: turns, store, disk, launcher, queues, steps. What is measured is measured from the first scrape on. */
import type { Metering, Reading } from '../../engine/engine.ts'
import { OTHER, QUEUES, TYPES } from './label-values.ts'
import { bounded, type Registered } from './registry.ts'

/** Returns a function that ends the measuring. */
export function engineMetrics({ gauge, counter, histogram }: Registered, metering: Metering): () => void {
  const steps = histogram('engine_step_duration_seconds')
  const retries = counter('engine_step_retries_total')
  const turns = histogram('engine_turn_duration_seconds')
  const writes = histogram('engine_store_write_duration_seconds')
  const starts = histogram('engine_launcher_start_duration_seconds')
  const failures = counter('engine_launcher_failures_total')
  const typeOf = bounded(TYPES)
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
  /** Reads once for all gauges of a scrape. */
  const read = () => {
    reading ??= metering.read().finally(() => {
      reading = undefined
    })
    return reading
  }
  gauge('engine_store_size_bytes', async (sizes) => {
    for (const [file, bytes] of Object.entries((await read()).files)) sizes.set({ file }, bytes)
  })
  gauge('engine_disk_free_bytes', async (free) => free.set((await read()).disk?.free ?? Number.NaN))
  gauge('engine_disk_size_bytes', async (size) => size.set((await read()).disk?.all ?? Number.NaN))
  gauge('engine_launcher_processes', async (processes) => {
    for (const [state, count] of Object.entries((await read()).launcher)) processes.set({ state }, count)
  })
  const ofQueues = async (set: (queue: string, reading: Reading['queues'][number]) => void) => {
    for (const [at, one] of (await read()).queues.entries()) set(at < QUEUES.most ? one.name : OTHER, one)
  }
  gauge('engine_queue_length', (length) => ofQueues((queue, { waiting }) => length.inc({ queue }, waiting)))
  gauge('engine_queue_slots_busy', (busy) => ofQueues((queue, { running }) => busy.inc({ queue }, running)))
  gauge('engine_queue_oldest_wait_seconds', (oldest) => {
    const longest = new Map<string, number>()
    return ofQueues((queue, { waitedMs }) => {
      longest.set(queue, Math.max(waitedMs, longest.get(queue) ?? 0))
      oldest.set({ queue }, (longest.get(queue) ?? 0) / 1_000)
    })
  })
  return end
}
