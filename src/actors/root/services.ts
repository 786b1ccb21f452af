/** What the invoked actors work with. All access to the outside world goes through it. */
import type { NodePlace, NodeRecord, Plan, RunKey, RunRecord, Step } from '../../../machines/vocabulary.ts'
import type { Clock } from '../../clock.ts'
import type { SharedContainers } from '../../executors/docker/shared-container.ts'
import type { Executor } from '../../executors/executor.ts'
import type { Capture } from '../../executors/launcher/capture.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { DiskSpace } from '../pace/disk-space.ts'
import type { EnvironmentInput } from '../run/run-environment.ts'
import type { RunLogs } from '../run/run-log.ts'
import type { RunScope } from '../run/run-scope.ts'
import type { Runner } from '../run/runner.ts'

/** What the steps of a run need of the machine that they run on. */
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
  /** @throws Error for a run that is not open */
  scope(key: RunKey): RunScope
  /** Default shell of steps and of backticks. */
  defaultShell: string
  /** The server's own. */
  environment: Readonly<Record<string, string>>
}

export interface Services extends StepServices {
  transactions: Transactions
  /** What does the work of a run. @throws Error for a run that is not open */
  runnerOf(key: RunKey): Runner
  /** Creates the scope of a run. @throws TroupeError when its variables cannot be evaluated or its folder cannot be created */
  openScope(key: RunKey, signal: AbortSignal): Promise<RunScope>
  /** The record of an open run, and those of its nodes as stored. @throws Error for a run that is not open */
  history(key: RunKey): { plan: Plan; record: RunRecord; nodes: Map<NodePlace, NodeRecord> }
  /** The server's environment, and what the run inherits from its caller. @throws Error for a run that is not open */
  environmentOf(key: RunKey): Promise<Pick<EnvironmentInput, 'environment' | 'data'>>
  /** The stored workflow that a step calls. @throws Error when there is none, or it has problems */
  workflow(target: string, workingDir: string, besides: string | undefined): Promise<StoredPlan>
}
