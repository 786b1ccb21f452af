/** The numbers of an engine about itself, for metrics. */
import type { LauncherLoad } from '../executors/launcher/launcher.ts'
import type { Measured, StoreFile } from '../platform/meters.ts'

export type { Measured, StoreFile } from '../platform/meters.ts'

export interface Metering {
  /** Has measurements taken from now on, which come in groups. Returns a function that ends that. */
  listen(listener: (measured: Measured) => void): () => void
  /** Tells what was measured since the last group. */
  tell(): void
  read(): Promise<Reading>
}

/** The state of an engine at one moment. */
export interface Reading {
  /** Bytes that each file takes on the disk; absent: it is not there. */
  files: Partial<Record<StoreFile, number>>
  /** Bytes of the file system of the data folder; absent: it cannot be asked. */
  disk?: { all: number; free: number }
  launcher: LauncherLoad
  /** Queues that have runs. */
  queues: QueueReading[]
}

export interface QueueReading {
  name: string
  waiting: number
  running: number
  /** How long the first run in it has waited, ms; 0: none waits. */
  waitedMs: number
}
