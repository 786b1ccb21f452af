/**
 * Defaults: what a definition leaves out. Nothing else fills them in.
 * Source: execution-semantics 1.8; 5.4 and 6.1 for the policies, 8.5 and 8.8 for handlers.
 */
import type {
  Condition,
  Container,
  ContinueOn,
  HandlerKind,
  MailTarget,
  Otel,
  Parallel,
  Plan,
  Repeat,
  Retry,
  Smtp,
  SshTarget,
  Step
} from '../../machines/vocabulary.ts'

/** Fields of a definition, all optional. */
type Written<T> = { [K in keyof T]-?: T[K] | undefined }

export type WrittenContinueOn = Written<ContinueOn>
export type WrittenRetry = Written<Retry>
/** A repeat policy always has a mode. */
export type WrittenRepeat = Written<Omit<Repeat, 'mode'>> & Pick<Repeat, 'mode'>

/** A step as written. Its dependencies follow from its position among the others. */
export interface WrittenStep
  extends Written<Omit<Step, 'depends' | 'preconditions' | 'continueOn' | 'retry' | 'repeat'>> {
  preconditions: Condition[]
  continueOn: WrittenContinueOn | undefined
  retry: WrittenRetry | undefined
  repeat: WrittenRepeat | undefined
}

export interface WrittenPlan
  extends Written<
    Omit<Plan, 'name' | 'home' | 'statesMaxActiveRuns' | 'preconditions' | 'handlers' | 'steps' | 'locals' | 'release'>
  > {
  name: string
  preconditions: Condition[]
  handlers: Partial<Record<HandlerKind, Step>>
  steps: Step[]
}

const TYPE = 'chain'
export const MAX_ACTIVE_RUNS = 1
// D13
const CLEAN_UP_MS = 5000
/** Bytes. */
const MAX_OUTPUT_SIZE = 1024 * 1024
const DOTENV = '.env'
export const HIST_RETENTION_DAYS = 30
const ON_INTERRUPT = 'resume'
const CATCHUP = 'none'

/** Without local workflows. */
export const expandPlan = (written: WrittenPlan): Plan =>
  present<Plan>({
    ...written,
    group: written.group ?? '',
    description: written.description ?? '',
    tags: written.tags ?? [],
    type: written.type ?? TYPE,
    env: written.env ?? [],
    dotenv: written.dotenv ?? [DOTENV],
    params: written.params ?? [],
    schedule: written.schedule ?? { start: [], stop: [], restart: [] },
    restartWaitMs: written.restartWaitMs ?? 0,
    skipIfSuccessful: written.skipIfSuccessful ?? false,
    catchup: written.catchup ?? CATCHUP,
    delayMs: written.delayMs ?? 0,
    histRetentionDays: written.histRetentionDays ?? HIST_RETENTION_DAYS,
    secrets: written.secrets ?? [],
    mailOn: written.mailOn ?? { failure: false, success: false },
    runConfig: written.runConfig ?? { disableParamEdit: false, disableRunIdEdit: false },
    onInterrupt: written.onInterrupt ?? ON_INTERRUPT,
    maxActiveRuns: written.maxActiveRuns || MAX_ACTIVE_RUNS,
    statesMaxActiveRuns: written.maxActiveRuns !== undefined,
    maxActiveSteps: written.maxActiveSteps ?? 0,
    timeoutMs: written.timeoutMs ?? 0,
    cleanUpMs: written.cleanUpMs || CLEAN_UP_MS,
    maxOutputSize: written.maxOutputSize || MAX_OUTPUT_SIZE,
    locals: []
  })

/** Depending on nothing; nameless when no name is written. */
export const expandStep = (written: WrittenStep): Step =>
  present<Step>({
    ...written,
    name: written.name ?? '',
    description: written.description ?? '',
    args: written.args ?? [],
    depends: [],
    continueOn: expandContinueOn(written.continueOn),
    retry: expandRetry(written.retry),
    executor: written.executor ?? { type: 'shell', config: {} },
    repeat: expandRepeat(written.repeat),
    mailOnError: written.mailOnError ?? false,
    shellPackages: written.shellPackages ?? [],
    env: written.env ?? [],
    timeoutMs: written.timeoutMs ?? 0
  })

const HANDLER_NAMES = { success: 'onSuccess', failure: 'onFailure', cancel: 'onCancel', exit: 'onExit' } as const

/** A handler is named by its kind, waits for nothing, does not repeat, and nothing waits for it. Source: execution-semantics 8.8. */
export const expandHandler = ({ repeat: _, ...step }: Step, kind: HandlerKind): Step => ({
  ...step,
  name: HANDLER_NAMES[kind],
  depends: [],
  continueOn: expandContinueOn(undefined)
})

const expandContinueOn = (written: WrittenContinueOn | undefined): ContinueOn => ({
  failure: written?.failure ?? false,
  skipped: written?.skipped ?? false,
  exitCodes: written?.exitCodes ?? [],
  outputs: written?.outputs ?? [],
  markSuccess: written?.markSuccess ?? false
})

const expandRetry = (written: WrittenRetry | undefined): Retry => ({
  limit: written?.limit ?? 0,
  interval: written?.interval ?? 0,
  exitCodes: written?.exitCodes ?? [],
  backoff: written?.backoff ?? 1,
  maxIntervalMs: written?.maxIntervalMs ?? 0
})

const expandRepeat = (written: WrittenRepeat | undefined): Repeat | undefined =>
  written &&
  present<Repeat>({
    mode: written.mode,
    condition: written.condition,
    exitCodes: written.exitCodes ?? [],
    intervalMs: written.intervalMs ?? 0,
    limit: written.limit ?? 0,
    backoff: written.backoff ?? 1,
    maxIntervalMs: written.maxIntervalMs ?? 0
  })

const MAX_CONCURRENT = 10

export const expandParallel = ({
  items,
  maxConcurrent
}: Pick<Parallel, 'items'> & Written<Omit<Parallel, 'items'>>): Parallel => ({
  items,
  maxConcurrent: maxConcurrent ?? MAX_CONCURRENT
})

export const expandMailTarget = (written: Written<MailTarget>): MailTarget => ({
  from: written.from ?? '',
  to: written.to ?? [],
  prefix: written.prefix ?? '',
  attachLogs: written.attachLogs ?? false
})

/** Choice: the port for submission, which offers STARTTLS. */
const SMTP_PORT = '587'

export const expandSmtp = (written: Pick<Smtp, 'host'> & Written<Omit<Smtp, 'host'>>): Smtp => ({
  host: written.host,
  port: written.port ?? SMTP_PORT,
  username: written.username ?? '',
  password: written.password ?? ''
})

const SSH_PORT = '22'

export const expandSsh = (written: Pick<SshTarget, 'host'> & Written<Omit<SshTarget, 'host'>>): SshTarget =>
  present<SshTarget>({
    ...written,
    user: written.user ?? '',
    port: written.port ?? SSH_PORT,
    strictHostKey: written.strictHostKey ?? true
  })

export const expandContainer = (written: Pick<Container, 'image'> & Written<Omit<Container, 'image'>>): Container =>
  present<Container>({
    ...written,
    pull: written.pull ?? 'missing',
    env: written.env ?? [],
    volumes: written.volumes ?? [],
    ports: written.ports ?? [],
    keepContainer: written.keepContainer ?? false,
    startup: written.startup ?? 'keepalive',
    command: written.command ?? [],
    waitFor: written.waitFor ?? 'running'
  })

const OTEL_TIMEOUT_MS = 10_000

export const expandOtel = (written: Written<Otel>): Otel => ({
  enabled: written.enabled ?? false,
  endpoint: written.endpoint ?? '',
  headers: written.headers ?? {},
  insecure: written.insecure ?? false,
  timeoutMs: written.timeoutMs ?? OTEL_TIMEOUT_MS,
  resource: written.resource ?? {}
})

type Loose<T> = { [K in keyof T]: Record<never, never> extends Pick<T, K> ? T[K] | undefined : T[K] }

/** Leaves out optional fields that are undefined. The cast: the compiler cannot infer which ones are left. */
function present<T extends object>(fields: Loose<T>): T {
  const left: Partial<Loose<T>> = {}
  for (const name in fields) if (fields[name] !== undefined) left[name] = fields[name]
  return left as T
}
