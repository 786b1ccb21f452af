/** Resource usage of the machine, sampled regularly and kept in memory for a while. Source: api-semantics 3.1 (resources history). */
import { loadavg } from 'node:os'
import type { Clock } from '../clock.ts'
import { busyShare, cpuTimes, diskShare, memoryShare } from '../platform/machine-load.ts'

export interface MonitoringOptions {
  /** Interval between samples, ms. */
  intervalMs: number
  /** Older samples are dropped, ms. */
  retentionMs: number
}

/** One sample. Shares in percent, 0 to 100; absent: not available. */
export interface ResourceSample {
  /** Epoch ms. */
  at: number
  cpu?: number
  memory: number
  disk?: number
  /** Average of one minute. */
  load: number
}

export interface ResourceMonitor {
  /** Samples of the last `durationMs`, oldest first. */
  history(durationMs: number): ResourceSample[]
  readonly retentionMs: number
  close(): void
}

/** Starts sampling. @param folder on the disk to be monitored */
export function openMonitor(
  clock: Clock,
  folder: string,
  { intervalMs, retentionMs }: MonitoringOptions
): ResourceMonitor {
  const samples: ResourceSample[] = []
  let before = cpuTimes()
  let cancel = () => {}
  let closed = false

  async function look(dueAt: number): Promise<void> {
    const now = cpuTimes()
    const cpu = busyShare(before, now)
    before = now
    const disk = await diskShare(folder)
    if (closed) return
    samples.push({
      at: clock.now(),
      ...(cpu === undefined ? {} : { cpu }),
      memory: memoryShare(),
      ...(disk === undefined ? {} : { disk }),
      load: loadavg()[0] ?? 0
    })
    const oldest = clock.now() - retentionMs
    while (samples[0] && samples[0].at < oldest) samples.shift()
    next(Math.max(dueAt, clock.now() - intervalMs) + intervalMs)
  }
  const next = (dueAt: number) => {
    cancel = clock.at(dueAt, () => void look(dueAt))
  }
  next(clock.now() + intervalMs)

  return {
    retentionMs,
    history(durationMs) {
      const from = clock.now() - durationMs
      return samples.filter(({ at }) => at >= from)
    },
    close() {
      closed = true
      cancel()
    }
  }
}
