/** The fields of a DAG in code. Types only. Source: docs/definition-format.md. */

type Texts = string | readonly string[]
type Cron = Texts | { start?: Texts; stop?: Texts; restart?: Texts }
/** A step in the fields of the definition format. */
type StepFields = Readonly<Record<string, unknown>>

/** Fields of the definition format for a whole DAG. docs/definition-format.md says what they mean. */
export interface DagFields {
  description?: string
  group?: string
  tags?: Texts
  schedule?: Cron
  restartWaitSec?: number
  skipIfSuccessful?: boolean
  catchup?: 'none' | 'last' | 'all'
  /** The queue of its runs when it is full, or when enqueued; not with a `maxActiveRuns` of 1 or less. Default: one of its name */
  queue?: string
  /** From -1000 to 1000: the highest of the runs that wait in a queue is next. Default: 0 */
  priority?: number
  delaySec?: number
  /** Whole seconds for a run; then it fails. Default: no limit */
  timeoutSec?: number
  maxCleanUpTimeSec?: number
  /** Runs at a time: a start beyond it is refused (`max_run_reached`), an enqueued run waits. Default: no limit, in code; 1 in YAML */
  maxActiveRuns?: number
  /** Steps of a run at a time. Default: no limit */
  maxActiveSteps?: number
  /** Bytes of one result. Default: 1 MiB */
  maxOutputSize?: number
  /** Days that a run is kept after its end. Default: 30 */
  histRetentionDays?: number
  onInterrupt?: 'resume' | 'fail' | 'rerun'
  env?: Readonly<Record<string, string>> | readonly Readonly<Record<string, string>>[]
  dotenv?: Texts
  shell?: Texts
  workingDir?: string
  logDir?: string
  preconditions?: Texts | readonly StepFields[]
  handlerOn?: Readonly<Partial<Record<'success' | 'failure' | 'cancel' | 'exit', StepFields>>>
  secrets?: readonly StepFields[]
  mailOn?: { failure?: boolean; success?: boolean }
  errorMail?: StepFields
  infoMail?: StepFields
  smtp?: StepFields
  workerSelector?: Readonly<Record<string, string>>
  container?: StepFields
  registryAuths?: string | StepFields
  ssh?: StepFields
  otel?: StepFields
  runConfig?: { disableParamEdit?: boolean; disableRunIdEdit?: boolean }
}
