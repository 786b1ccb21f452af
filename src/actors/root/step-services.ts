/** What the steps of a run work with on the machine that they run on: an engine's or a worker's. */
import type { MissingCode, Plan, RunKey, Step } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { SharedContainers } from '../../executors/docker/shared-container.ts'
import type { Executor } from '../../executors/executor.ts'
import type { HostFunctions } from '../../executors/function/function.ts'
import type { Capture } from '../../executors/launcher/capture.ts'
import type { DiskSpace } from '../pace/disk-space.ts'
import type { LogFolders } from '../run/log-folder.ts'
import type { EnvironmentInput } from '../run/run-environment.ts'
import type { RunLogs } from '../run/run-log.ts'
import type { RunScope } from '../run/run-scope.ts'
import type { SecretProviders } from '../run/secrets/secret-providers.ts'

export interface StepServices {
  clock: Clock
  /** Resolves when an execution that a restart interrupted may be searched for. */
  mayLook(): Promise<void>
  logs: RunLogs
  /** For log folders, logs and records. */
  diskSpace: DiskSpace
  /** Code of a host application that a step needs and that is not in this process; undefined: it has all. */
  missing(step: Step): MissingCode | undefined
  /** Why the configuration does not allow a step of this run to begin; undefined: it does. */
  refused?(plan: Plan, step: Step): MissingCode | undefined
  /** What holds the commands of a run; absent: nothing. */
  commands?: EnvironmentInput['commands']
  /** Code that a run as a whole waits for; undefined: nothing is missing. */
  missingIn(plan: Plan): MissingCode | undefined
  /** Functions of the host application, by name. */
  functions: HostFunctions
  /** Where secrets come from, besides variables and files. Absent: programs print them. */
  secretProviders?: SecretProviders
  /** @throws Error for a type without an executor */
  executorFor(step: Step): Executor
  capture: Capture
  /** Containers of whole runs. */
  containers: SharedContainers
  /** Has a working folder, or that of a copy of a log, there; absent: on disk. @throws Error why it cannot be used */
  makeFolder?(dir: string): Promise<void>
  /** Folders of logs for executors; absent: on disk. */
  logFolders?: LogFolders
  /** @throws Error for a run that is not open */
  scope(key: RunKey): RunScope
  /** Default shell of steps and of backticks. */
  defaultShell: string
  /** The server's own. */
  environment: Readonly<Record<string, string>>
}
