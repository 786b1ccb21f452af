/** A parsed definition, every default filled in. Source: definition-format "DAG-level fields". No logic. */
import type { Container, MailTarget, Otel, RegistryAuths, Secret, Smtp, SshTarget } from './connections.ts'
import type { Condition, OnInterrupt, OnWorkerLost } from './policies.ts'
import type { Step } from './step.ts'
import type { EnvEntry, Param } from './values.ts'

/** Cron expressions as written, `CRON_TZ=` included. Source: execution-semantics 1.7, 11. */
export interface Schedule {
  start: string[]
  stop: string[]
  restart: string[]
}

/** What happens to scheduled starts that no engine was running for; our addition. */
export type Catchup = 'none' | 'last' | 'all'

export type HandlerKind = 'success' | 'failure' | 'cancel' | 'exit'

/** Which version of a definition in code a plan is. */
export interface Release {
  /** The name of the definition; a run may have another one. */
  dag: string
  /** As written, otherwise the first characters of `planHash`. */
  version: string
  /** Hash of the plan as its text alone says it. */
  planHash: string
}

/** A definition that is ready to run. JSON only: it is stored with each run. Source: definition-format "DAG-level fields". */
export interface Plan {
  name: string
  group: string
  description: string
  tags: string[]
  type: 'chain' | 'graph'
  /** Program and flags, when the DAG names a shell. */
  shell?: string[]
  /** Any value is inserted as text where a command has it without quotes; absent: data is not. Source: execution-semantics 3.1.5. */
  shellExpansion?: 'text'
  /** As written; absent: the directory of the definition file, or the run's own directory for an inline spec. */
  workingDir?: string
  /** Directory of the definition file; absent for an inline spec. */
  sourceDir?: string
  /** Default working directory of a called local workflow: that of its caller. */
  home?: string
  env: EnvEntry[]
  /** Candidate files, in order; the first that exists is read. Source: execution-semantics 3.7. */
  dotenv: string[]
  params: Param[]
  /** Path or URL of the JSON Schema that the params must match. Source: execution-semantics 2.3. */
  paramSchema?: string
  preconditions: Condition[]
  schedule: Schedule
  restartWaitMs: number
  skipIfSuccessful: boolean
  catchup: Catchup
  /** Named queue; absent: the queue named after the DAG. */
  queue?: string
  /** Which of those that wait is next: higher first; absent: 0. */
  priority?: number
  /** Pause before the first node. */
  delayMs: number
  /** Days; 0: removed after each run, negative: kept forever. */
  histRetentionDays: number
  /** Folder of the run's logs as written; replaces `<log dir>/<DAG name>`. */
  logDir?: string
  secrets: Secret[]
  mailOn: { failure: boolean; success: boolean }
  errorMail?: MailTarget
  infoMail?: MailTarget
  smtp?: Smtp
  workerSelector?: Record<string, string>
  /** Absent: `fail`. */
  onWorkerLost?: OnWorkerLost
  container?: Container
  registryAuths?: RegistryAuths
  ssh?: SshTarget
  otel?: Otel
  runConfig: { disableParamEdit: boolean; disableRunIdEdit: boolean }
  onInterrupt: OnInterrupt
  /** As written. */
  version?: string
  /** A run of another version waits for an engine that has its version; absent: it goes on. */
  onDrift?: 'fail'
  /** The step whose output is the result of a run, or several by the names that the result gives them; absent: it has none. */
  result?: string | Record<string, string>
  /** The release of a definition in code when the run was started; absent: the definition is a text. */
  release?: Release
  /** Runs of this name at a time; negative: no limit. */
  maxActiveRuns: number
  /** The definition sets it explicitly. */
  statesMaxActiveRuns: boolean
  /** Running nodes of one run; 0: no limit. */
  maxActiveSteps: number
  /** Limit of one run; 0: none. */
  timeoutMs: number
  /** From stop to SIGKILL. */
  cleanUpMs: number
  /** Bytes of captured output per step. */
  maxOutputSize: number
  handlers: Partial<Record<HandlerKind, Step>>
  /** In definition order; names unique, no cycles. */
  steps: Step[]
  /** The other documents of the file. */
  locals: Plan[]
}
