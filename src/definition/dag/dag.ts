/** One document of a definition. Source: definition-format "DAG-level fields", execution-semantics 1.4.1, 2.1, 8.5. */
import type { HandlerKind, Plan } from '../../../machines/vocabulary.ts'
import type { Budget } from '../budget.ts'
import { expandHandler, expandPlan } from '../expand.ts'
import type { CustomTypes } from '../fields/custom-types.ts'
import { catchup, env, onDrift, onInterrupt, onWorkerLost, shell, shellExpansion, tags } from '../fields/forms.ts'
import { type Fields, fieldsOf } from '../fields/mapping.ts'
import { count, filled, flag, integer, optional, seconds, selector, text, texts, trimmed } from '../fields/values.ts'
import { type Problems, shortened, wrong } from '../problems.ts'
import { type AllowedTypes, commandRefusal, refusalOf } from '../steps/allowed-types.ts'
import { type Around, mayRunCommands } from '../steps/executor-checks.ts'
import { preconditions } from '../steps/policies.ts'
import { type Draft, readStep } from '../steps/step.ts'
import { readSteps } from '../steps/steps.ts'
import { type Field, member } from '../yaml/value.ts'
import { otel, ssh } from './connections.ts'
import { container, registryAuths } from './container.ts'
import { declaredParams } from './declared-params.ts'
import { mailOn, mailTarget, smtp } from './mail.ts'
import { result } from './result.ts'
import { schedule } from './schedule.ts'
import { secrets } from './secrets.ts'

export interface DagOptions {
  budget: Budget
  sourceDir: string | undefined
  /** Executors of the host application. */
  custom: CustomTypes
  /** Which executors it may use; absent: all. */
  allowed?: AllowedTypes | undefined
  /** The name by the one written, which may be missing; reports a wrong one. */
  nameOf: (written: string | undefined, field: Field) => string
}

/** The plan as far as the document allows one; sound only when no problem was found. */
export function readDag(
  problems: Problems,
  root: Field,
  { budget, sourceDir, custom, allowed, nameOf }: DagOptions
): Plan {
  const fields: Fields = fieldsOf(problems, root, 'dag') ?? new Map()
  const nameField = fields.get('name')
  const name = nameOf(optional(problems, nameField, trimmed), nameField ?? member(root, 'name', root.value))
  const group = optional(problems, fields.get('group'), trimmed)
  const around: Around = { hasContainer: fields.has('container'), hasSsh: fields.has('ssh'), custom }
  if (allowed) {
    around.refusal = (type) => refusalOf(allowed, group ?? '', type)
    around.commandRefusal = commandRefusal(allowed, group ?? '')
    const refusal = around.hasContainer && around.refusal('docker')
    if (refusal) wrong(problems, fields.get('container') ?? root, refusal)
  }
  if (around.hasContainer && around.hasSsh) {
    wrong(problems, fields.get('ssh') ?? root, 'container and ssh are exclusive')
  }
  const handlers =
    optional(problems, fields.get('handlerOn'), (_, field) => readHandlers(problems, field, around)) ??
    new Map<HandlerKind, Draft>()
  const type = optional(problems, fields.get('type'), readType)
  const steps = readSteps(problems, fields.get('steps'), {
    type: type ?? 'chain',
    handlers: [...handlers.values()],
    around,
    budget
  })
  const declared = optional(problems, fields.get('params'), declaredParams)
  return expandPlan({
    name,
    group,
    description: optional(problems, fields.get('description'), text),
    tags: optional(problems, fields.get('tags'), tags),
    type,
    shell: optional(problems, fields.get('shell'), shell),
    shellExpansion: optional(problems, fields.get('shellExpansion'), shellExpansion) === 'text' ? 'text' : undefined,
    workingDir: optional(problems, fields.get('workingDir'), filled),
    sourceDir,
    env: optional(problems, fields.get('env'), env),
    dotenv: optional(problems, fields.get('dotenv'), texts),
    params: declared?.params,
    paramSchema: declared?.paramSchema,
    preconditions: mayRunCommands(problems, fields, preconditions(problems, fields), around),
    schedule: optional(problems, fields.get('schedule'), schedule),
    restartWaitMs: optional(problems, fields.get('restartWaitSec'), seconds),
    skipIfSuccessful: optional(problems, fields.get('skipIfSuccessful'), flag),
    catchup: optional(problems, fields.get('catchup'), catchup),
    queue: optional(problems, fields.get('queue'), trimmed) || undefined,
    delayMs: optional(problems, fields.get('delaySec'), seconds),
    histRetentionDays: optional(problems, fields.get('histRetentionDays'), integer),
    logDir: optional(problems, fields.get('logDir'), filled),
    secrets: optional(problems, fields.get('secrets'), secrets),
    mailOn: optional(problems, fields.get('mailOn'), mailOn),
    errorMail: optional(problems, fields.get('errorMail'), mailTarget),
    infoMail: optional(problems, fields.get('infoMail'), mailTarget),
    smtp: optional(problems, fields.get('smtp'), smtp),
    workerSelector: optional(problems, fields.get('workerSelector'), selector),
    onWorkerLost: optional(problems, fields.get('onWorkerLost'), onWorkerLost),
    container: optional(problems, fields.get('container'), container),
    registryAuths: optional(problems, fields.get('registryAuths'), registryAuths),
    ssh: optional(problems, fields.get('ssh'), ssh),
    otel: optional(problems, fields.get('otel'), otel),
    runConfig: optional(problems, fields.get('runConfig'), readRunConfig),
    onInterrupt: optional(problems, fields.get('onInterrupt'), onInterrupt),
    maxActiveRuns: optional(problems, fields.get('maxActiveRuns'), integer),
    maxActiveSteps: optional(problems, fields.get('maxActiveSteps'), count),
    timeoutMs: optional(problems, fields.get('timeoutSec'), seconds),
    cleanUpMs: optional(problems, fields.get('maxCleanUpTimeSec'), seconds),
    maxOutputSize: optional(problems, fields.get('maxOutputSize'), count),
    handlers: Object.fromEntries([...handlers].map(([kind, { step }]) => [kind, step])),
    version: optional(problems, fields.get('version'), trimmed) || undefined,
    onDrift: optional(problems, fields.get('onDrift'), onDrift) === 'fail' ? 'fail' : undefined,
    result: optional(problems, fields.get('result'), (_, field) => result(problems, field, steps)),
    steps
  })
}

function readRunConfig(problems: Problems, field: Field): Plan['runConfig'] {
  const fields = fieldsOf(problems, field, 'runConfig')
  return {
    disableParamEdit: optional(problems, fields?.get('disableParamEdit'), flag) ?? false,
    disableRunIdEdit: optional(problems, fields?.get('disableRunIdEdit'), flag) ?? false
  }
}

function readType(problems: Problems, field: Field): Plan['type'] | undefined {
  const type = trimmed(problems, field)
  if (!type) return undefined
  if (type === 'chain' || type === 'graph') return type
  const unknown = `invalid type: ${shortened(type)} (must be one of: graph, chain, agent)`
  wrong(problems, field, type === 'agent' ? 'agent type is not yet implemented' : unknown)
  return undefined
}

const HANDLER_KINDS = ['success', 'failure', 'cancel', 'exit'] as const

function readHandlers(problems: Problems, field: Field, around: Around): Map<HandlerKind, Draft> {
  const fields = fieldsOf(problems, field, 'handlerOn')
  const handlers = new Map<HandlerKind, Draft>()
  for (const kind of HANDLER_KINDS) {
    const handler = fields?.get(kind)
    const draft = handler && readStep(problems, handler, around)
    if (!draft) continue
    const { continueOn, executor, wait } = draft.step
    // D1076
    if (wait) wrong(problems, handler, `a handler cannot wait: a step of the type ${executor.type} is one of the steps`)
    const waited =
      continueOn.failure || continueOn.skipped || continueOn.exitCodes.length + continueOn.outputs.length > 0
    if (draft.depends || waited || draft.step.repeat)
      problems.warn(`${draft.field.path}: depends, continueOn and repeatPolicy have no effect on a handler`)
    handlers.set(kind, { ...draft, step: expandHandler(draft.step, kind) })
  }
  return handlers
}
