/** Services that the invoked actors work with. All access to the outside world goes through them. */
import type { NodePlace, NodeRecord, Plan, RunKey, RunRecord, StarterRights } from '../../../machines/vocabulary.ts'
import type { sendMail } from '../../executors/mail/send.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { Transactions } from '../journal/transactions.ts'
import type { EnvironmentInput } from '../run/run-environment.ts'
import type { RunScope } from '../run/run-scope.ts'
import type { Runner } from '../runner/runner.ts'
import type { StepServices } from './step-services.ts'

export interface Services extends StepServices {
  transactions: Transactions
  /** The engine closes: what is at work goes on. */
  isClosing(): boolean
  /** What does the work of a run. @throws Error for a run that is not open */
  runnerOf(key: RunKey): Runner
  /** Whether runs can be placed on workers. */
  hasWorkers(): boolean
  /** Creates the scope of a run. @throws TroupeError when its variables cannot be evaluated or its folder cannot be created */
  openScope(key: RunKey, signal: AbortSignal): Promise<RunScope>
  /** The record of an open run, and those of its nodes as stored. @throws Error for a run that is not open */
  history(key: RunKey): { plan: Plan; record: RunRecord; nodes: Map<NodePlace, NodeRecord> }
  /** The server's environment, and what the run inherits from its caller. @throws Error for a run that is not open */
  environmentOf(key: RunKey): Promise<Pick<EnvironmentInput, 'environment' | 'data'>>
  /** Runs backtick commands of definitions that are loaded; absent: the default shell does. */
  backticks?: EnvironmentInput['backticks']
  /** Sends mails about runs; absent: over SMTP. */
  sendMail?: typeof sendMail
  /** Rights of the starter of the root run; absent: they see all. @throws Error for a run that is not open */
  starterOf(key: RunKey): StarterRights | undefined
  /**
   * The stored workflow that a step calls. @param starter must see it; absent: they see all
   * @throws Error when there is none for them, or it has problems
   */
  workflow(
    target: string,
    workingDir: string,
    besides: string | undefined,
    starter: StarterRights | undefined
  ): Promise<StoredPlan>
}
