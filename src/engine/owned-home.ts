/** A home that is open for writing: what the engine of its owner works with. */
import type { RunKey } from '../../machines/vocabulary.ts'
import type { Deliveries } from '../actors/notify/deliveries.ts'
import type { System } from '../actors/root/system.ts'
import type { RunLogs } from '../actors/run/run-log.ts'
import type { SharedContainers } from '../executors/docker/shared-container.ts'
import type { Launcher } from '../executors/launcher/launcher.ts'
import type { Meters } from '../platform/meters.ts'
import type { EngineEvent } from './engine.ts'

export interface OwnedHome {
  system: System
  logs: RunLogs
  containers: SharedContainers
  /** Events for targets of `notify`; absent: there are none. */
  deliveries?: Deliveries | undefined
  subscribe(listen: (event: EngineEvent) => void, run?: RunKey): () => void
  publish(event: EngineEvent): void
  /** Why nothing may be acknowledged, as a sentence: the home was removed or replaced, or its store is damaged. Undefined: it may. */
  lost(): string | undefined
  /** Measurements of the home. Absent: none, it is in memory. */
  measured?: { meters: Meters; launcher: Pick<Launcher, 'load'> }
  /** Stops what was started, and releases the home. */
  close(): Promise<void>
}
