/** What the steps of a run work with on the machine that they run on: an engine's or a worker's. */
import type { RunKey, Step } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { SharedContainers } from '../../executors/docker/shared-container.ts'
import type { Executor } from '../../executors/executor.ts'
import type { Capture } from '../../executors/launcher/capture.ts'
import type { DiskSpace } from '../pace/disk-space.ts'
import type { RunLogs } from '../run/run-log.ts'
import type { RunScope } from '../run/run-scope.ts'

export interface StepServices {
  clock: Clock
  /** Resolves when an execution that a restart interrupted may be searched for. */
  mayLook(): Promise<void>
  logs: RunLogs
  /** For log folders, logs and records. */
  diskSpace: DiskSpace
  /** Whether there is an executor of its type: those of a host application exist only in its process. */
  supports(step: Step): boolean
  /** @throws Error for a type without an executor */
  executorFor(step: Step): Executor
  capture: Capture
  /** Containers of whole runs. */
  containers: SharedContainers
  /** Has a working folder, or that of a copy of a log, there; absent: on disk. @throws Error why it cannot be used */
  makeFolder?(dir: string): Promise<void>
  /** @throws Error for a run that is not open */
  scope(key: RunKey): RunScope
  /** Default shell of steps and of backticks. */
  defaultShell: string
  /** The server's own. */
  environment: Readonly<Record<string, string>>
}
