/** A parsed definition: plan, steps and their policies, every default filled in. No logic. Source: definition-format "Fields". */

/** One `env` entry, in written order; the value is unexpanded. */
export interface EnvEntry {
  key: string
  value: string
}

/** A declared parameter. A positional one is named by its 1-based position. The value is unexpanded. Source: execution-semantics 2.1. */
export interface Param {
  name: string
  value: string
  positional: boolean
  /** The value is JSON of a list or a map; the texts in it are unexpanded. */
  isJson?: true
}

/** A precondition. Without `expected`, `condition` is a command that must exit 0. Source: execution-semantics 5.6. */
export interface Condition {
  condition: string
  expected?: string
  /** The author's message for a condition that does not hold. */
  error?: string
  negate?: boolean
}

/** `continueOn`, completed. Source: execution-semantics 5.4. */
export interface ContinueOn {
  failure: boolean
  skipped: boolean
  exitCodes: number[]
  /** Texts to find in a line of the stdout log; a `re:` prefix makes it a regular expression. */
  outputs: string[]
  markSuccess: boolean
}

/** `retryPolicy`, completed. `limit` counts retries, not executions. Source: execution-semantics 6.1. */
export interface Retry {
  /** A number, or text with variables that is evaluated when the node is set up. */
  limit: number | string
  /** Milliseconds, or text with variables that evaluates to seconds. Every stored plan has it under this name, which says no unit. */
  interval: number | string
  /** Empty: every non-zero code is retried. */
  exitCodes: number[]
  /** Factor by which the wait grows; 1: none. */
  backoff: number
  /** 0: no cap. */
  maxIntervalMs: number
}

/** A retry policy whose texts have been evaluated. */
export interface RetryPlan extends Retry {
  limit: number
  /** Milliseconds. */
  interval: number
}

/** `repeatPolicy`, completed. Source: execution-semantics 6.2. */
export interface Repeat {
  /** `while`: goes on as long as the test holds; `until`: as long as it does not. */
  mode: 'while' | 'until'
  /** What is tested after each pass; absent: the exit code, when `exitCodes` has any, else whether the pass succeeded. */
  condition?: Condition
  exitCodes: number[]
  intervalMs: number
  /** Executions in all; 0: no limit. */
  limit: number
  /** Factor by which the wait grows; 1: none. */
  backoff: number
  /** 0: no cap. */
  maxIntervalMs: number
}

/** What happens to scheduled starts that no engine was running for; our addition. */
export type Catchup = 'none' | 'last' | 'all'

/** What happens to an execution that a restart interrupted. Source: execution-semantics 13.5.3. */
export type OnInterrupt = 'resume' | 'fail' | 'rerun'

/** What happens to what a lost worker had at work. Source: distribution 4. */
export type OnWorkerLost = 'fail' | 'requeue' | 'wait'
/** What happens to a step whose function or executor the engine lacks; our addition. */
export type OnMissing = 'wait' | 'fail'

/** Names of functions of the host application that answer for a step, once, before its first attempt; our addition. */
export interface StepFunctions {
  /** Whether the step runs; after its other preconditions. */
  preconditions?: string
  /** Further variables of the step. */
  env?: string
  /** The params of its function, or of the workflow that it calls. */
  params?: string
  /** The items of `each`. */
  items?: string
  /** What is asked of the person who gives a signal or an approval. */
  ask?: string
  /** How long a sleep lasts, or until when. */
  for?: string
}

/** JSON as written in a definition. Numbers that do not fit keep their digits as text. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

/** `parallel`: the same sub workflow once per item. Source: execution-semantics 9.4. */
export interface Parallel {
  /** Strings and flat maps as written, or one string that is expanded and split when the step runs. */
  items: string | (string | Record<string, string>)[]
  maxConcurrent: number
}

/** `each`: the function of a step is called once for each item; our addition. */
export interface Each {
  /** As written, or a text that is expanded to JSON when the step runs; absent: `functions.items` gives them. */
  items?: string | Json[]
  maxConcurrent: number
}

/**
 * The executor of a step by its canonical type, its config unexpanded. A step that names none gets that of the DAG: `docker`
 * or `ssh` without config where the DAG has `container` or `ssh`. Source: definition-format "Executors", execution-semantics 10.
 */
export interface StepExecutor {
  /** `shell`, `docker`, `ssh`, `http`, `archive`, `mail`, `jq`, `dag`, `gha`, or one of the host application's. */
  type: string
  config: { [key: string]: Json }
  /** A docker step with its own container, even where the DAG has one; `ports` and `network` of its config are those of `Container`. */
  own?: true
}

/**
 * What a step of the types `signal`, `approval` and `sleep` waits for; its `timeoutMs` is the limit of the wait. Texts unexpanded.
 * Source: embedding 1, 2.5.
 */
export interface Wait {
  kind: 'signal' | 'approval' | 'sleep'
  /** What is asked of the person who gives the signal. */
  ask?: string
  /** JSON Schema of the payload of a signal; absent: any. */
  payloadSchema?: { [key: string]: Json }
  onTimeout?: 'fail' | 'skip' | 'succeed'
  /** Of an approval; absent: fail. */
  onRefusal?: 'fail' | 'succeed'
  /** Of a sleep: an ISO 8601 duration, or an instant. */
  for?: string
}

/** The texts of a wait whose variables have been evaluated. */
export type WaitTexts = Pick<Wait, 'ask' | 'for'>

/** One step of a plan: all defaults filled in, strings unexpanded. Source: definition-format "Step fields". */
export interface Step {
  name: string
  id?: string
  description: string
  /** A command as written: one line for the shell, any text for executors that know no scripts. Exclusive with `argv`. */
  command?: string
  /** A list command: program, then arguments. */
  argv?: string[]
  args: string[]
  /** Script body; a multi-line `command` arrives here too. */
  script?: string
  /** Program and flags, when the step names a shell. */
  shell?: string[]
  /** Working directory as written. */
  dir?: string
  stdout?: string
  stderr?: string
  /** Variable that captures stdout. */
  output?: string
  /** Names of steps, chain dependencies included. */
  depends: string[]
  preconditions: Condition[]
  continueOn: ContinueOn
  retry: Retry
  env: EnvEntry[]
  /** Limit of one execution; 0: none. */
  timeoutMs: number
  /** Signal name sent on stop; absent: SIGTERM. */
  signalOnStop?: string
  executor: StepExecutor
  /** Set exactly when the step waits for something outside: it has no executor then. */
  wait?: Wait
  /** Absent: the step runs once. */
  repeat?: Repeat
  /** A sub workflow: a local name, or a path. May contain variables. Set exactly when `executor.type` is `dag`. */
  call?: string
  /** Parameters of a sub workflow, or the inputs of an action; unexpanded. */
  params?: Param[]
  parallel?: Parallel
  each?: Each
  mailOnError: boolean
  /** Packages for a shell that installs them (`nix-shell`). */
  shellPackages: string[]
  workerSelector?: Record<string, string>
  /** Absent: that of the DAG. */
  onInterrupt?: OnInterrupt
  /** From stop to SIGKILL; absent: that of the DAG. */
  cleanUpMs?: number
  /** Absent: it waits. */
  onMissing?: OnMissing
  functions?: StepFunctions
}

export type HandlerKind = 'success' | 'failure' | 'cancel' | 'exit'

/** Cron expressions as written, `CRON_TZ=` included. Source: execution-semantics 1.7, 11. */
export interface Schedule {
  start: string[]
  stop: string[]
  restart: string[]
}

export type SecretProvider = 'env' | 'file' | 'command' | 'host'

/** A secret: where its value comes from, never the value. Source: execution-semantics 14.4. */
export interface Secret {
  name: string
  provider: SecretProvider
  key: string
  /** Of `command`: `cacheSec`, `timeoutSec`; of `host`: `timeoutSec`, and what the application reads. */
  options?: Record<string, string>
}

/** Which of the two mails of a definition: `errorMail` or `infoMail`. */
export type MailKind = 'error' | 'info'

/** `errorMail`, `infoMail`; texts unexpanded. Source: execution-semantics 14.3. */
export interface MailTarget {
  from: string
  to: string[]
  prefix: string
  attachLogs: boolean
}

export interface Smtp {
  host: string
  port: string
  username: string
  password: string
}

/** Source: execution-semantics 10.3. */
export interface SshTarget {
  user: string
  host: string
  port: string
  key?: string
  password?: string
  strictHostKey: boolean
  knownHostFile?: string
}

/** DAG-level `container`; texts unexpanded. Source: definition-format "DAG-level container keys", execution-semantics 10.2. */
export interface Container {
  image: string
  name?: string
  pull: 'always' | 'missing' | 'never'
  env: EnvEntry[]
  volumes: string[]
  ports: string[]
  user?: string
  workingDir?: string
  platform?: string
  network?: string
  keepContainer: boolean
  startup: 'keepalive' | 'entrypoint' | 'command'
  command: string[]
  waitFor: 'running' | 'healthy'
  logPattern?: string
  restartPolicy?: string
}

/**
 * By registry host, or a whole Docker configuration as text. `auth` is base64, or JSON as text where the host has only a string.
 * Source: execution-semantics 10.2.30.
 */
export type RegistryAuths = string | Record<string, { username?: string; password?: string; auth?: string }>

/** Source: execution-semantics 14.5. */
export interface Otel {
  enabled: boolean
  endpoint: string
  headers: Record<string, string>
  insecure: boolean
  timeoutMs: number
  resource: Record<string, string>
}

/** Which version of a definition in code a plan is. */
export interface Release {
  /** The name of the definition; a run may have another one. */
  dag: string
  /** As written, otherwise the first characters of `planHash`. */
  version: string
  /** Of the plan as its text alone says it. */
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
  /** Of a definition in code, as it was when the run was started; absent: it is a text. */
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
