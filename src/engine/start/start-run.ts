/** Turns a start request into a run request: every check before that of the queue, in the documented order. Source: api-semantics 4.1. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Plan, RunKey, RunRecord, StarterRights } from '../../../machines/vocabulary.ts'
import type { RunRequest } from '../../actors/root/system.ts'
import { logFolderOf } from '../../actors/run/log-folder.ts'
import { nodeLogFolder, runLogPath } from '../../actors/run/log-names.ts'
import { needsWorker } from '../../actors/run/needs-worker.ts'
import { planHash } from '../../actors/run/plan-hash.ts'
import { ownFolder } from '../../actors/run/run-environment.ts'
import { type Clock, nextTurn, uuidV7 } from '../../clock.ts'
import { type Config, mayWrite } from '../../config.ts'
import type { Definition } from '../../definition/definition.ts'
import { problemText } from '../../definition/problem-text.ts'
import { SHORT_TEXT } from '../../definition/yaml/nesting.ts'
import { doubtsOf } from '../../definitions/definition-doubts.ts'
import type { Definitions } from '../../definitions/definitions.ts'
import { TroupeError } from '../../errors.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { StartRequest } from '../engine.ts'
import { codeOf, loadCodeParams } from './code-params.ts'
import { checkLocks, type LoadedParams, loadParams, overrideOf } from './params.ts'
import { placeFor } from './place.ts'
import { triggerOf } from './trigger.ts'

/** `.` and `..` are not allowed: in the path of a run they would lead elsewhere. */
const NAME = /^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,40}$/
const RUN_ID = /^[-a-zA-Z0-9_]{1,64}$/

/** The text that is to be started. @throws TroupeError bad_request (`details.errors`: all errors), not_found */
export async function workflowFor(request: StartRequest, definitions: Definitions): Promise<StoredPlan> {
  checkNames(request)
  const { definition, spec } = await definitionOf(request, definitions)
  const { plan } = definition
  if (plan) {
    checkNames({ name: plan.name })
    return { plan, spec }
  }
  const errors = definition.problems.map(problemText)
  throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
}

/** @param workflow of `workflowFor` @throws TroupeError bad_request (`details.errors`: all errors), not_found */
export async function runRequest(
  request: StartRequest,
  { plan, spec }: StoredPlan,
  definitions: Definitions,
  config: Config,
  clock: Clock
): Promise<RunRequest> {
  refuseWithoutQueues(plan, config) // before anything is evaluated
  const key = { name: plan.name, dagRunId: request.dagRunId || uuidV7(clock) }
  const code = codeOf(definitions, plan)
  const override = code ? [] : overrideOf(plan, request.params ?? '')
  checkLocks(plan, request, override)
  const { environment, defaultShell, backticks, commands } = config
  const context = { environment, defaultShell, backticks, commands }
  const own = ownFolder(config.dataDir, key)
  const { evaluateParams = false } = request
  // Each of these takes a while for a long text.
  const givesWay = () => (spec.length > SHORT_TEXT ? nextTurn(clock) : undefined)
  const loaded = code
    ? await loadCodeParams(code, plan, request.params ?? '', { own, ...context })
    : await loadParams(plan, override, evaluateParams, { own, clock, ...context })
  await givesWay()
  const started = await runRequestOf({ plan, spec }, key, loaded, request, config, clock)
  await givesWay()
  const passed = override.map(({ name }) => name)
  const warnings = await doubtsOf(plan, config.environment, { passed })
  if (warnings.length > 0) started.record.warnings = warnings
  return started
}

// D1584: a text that they could not have written shows them what its author meant to show
/** The rights that bound what a run calls. @param isTheirs it is known to be a text of theirs */
export const heldTo = (
  starter: StarterRights | undefined,
  { name, group, tags }: Plan,
  isTheirs: boolean
): Pick<RunRecord, 'starter'> => (starter && (isTheirs || mayWrite(starter, { name, group, tags })) ? { starter } : {})

/** The request for a run whose params are known. @throws TroupeError bad_request, service_unavailable */
export async function runRequestOf(
  workflow: StoredPlan,
  key: RunKey,
  { params, env }: LoadedParams,
  request: StartRequest,
  config: Config,
  clock: Clock
): Promise<RunRequest> {
  const { plan } = workflow
  refuseWithoutQueues(plan, config)
  const context = {
    environment: config.environment,
    defaultShell: config.defaultShell,
    backticks: config.backticks,
    commands: config.commands,
    ...(env ? { data: env.data } : {})
  }
  const folder = await logFolderOf(plan, key, env?.values ?? {}, config.logDir, context)
  const attempt = 1
  return {
    record: {
      name: key.name,
      dagRunId: key.dagRunId,
      status: 'running',
      attempt,
      createdAt: clock.now(),
      startedAt: clock.now(),
      params,
      log: runLogPath(folder),
      nodeLogs: nodeLogFolder(folder, attempt, false),
      plan: planHash(workflow),
      queue: request.queue || plan.queue || plan.name,
      ...placeFor(request, config, plan, clock.now()),
      trigger: triggerOf(request),
      ...heldTo(request.starter, plan, request.spec !== undefined)
    },
    plan: workflow,
    singleton: request.singleton ?? false,
    mayWait: config.queues.enabled && !request.noQueue,
    waitsWhenFull: request.waitWhenFull ?? false,
    unlimited: request.unlimited ?? false,
    ...(env ? { env } : {})
  }
}

/** A run that requires labels of a worker waits for it in its queue. Source: api-semantics 4.3. @throws TroupeError service_unavailable */
export function refuseWithoutQueues(plan: Plan, { queues }: Pick<Config, 'queues'>): void {
  if (queues.enabled || !needsWorker(plan)) return
  throw new TroupeError(
    'service_unavailable',
    'workerSelector: such a run waits for its worker in a queue, and queues are disabled in configuration'
  )
}

/** @throws TroupeError bad_request */
export function checkNames({ name, dagName, dagRunId, queue }: StartRequest): void {
  for (const [field, value] of Object.entries({ name, dagName, queue }))
    if (value && !NAME.test(value))
      throw new TroupeError(
        'bad_request',
        `${field}: wanted 1 to 40 letters, digits, "_", "-" or ".", found ${JSON.stringify(value)}`
      )
  if (dagRunId && (!RUN_ID.test(dagRunId) || dagRunId === 'latest'))
    throw new TroupeError(
      'bad_request',
      `dagRunId: wanted 1 to 64 letters, digits, "_" or "-", and not "latest", found ${JSON.stringify(dagRunId)}`
    )
}

/** The source of the text determines the default name and the directory. */
async function definitionOf(
  { spec, file, fileName, name, dagName, by }: StartRequest,
  definitions: Definitions
): Promise<{ definition: Definition; spec: string }> {
  const override = dagName ? { name: dagName } : {}
  if (spec !== undefined) {
    const definition = await definitions.read(spec, { ...override, ...(name ? { fallbackName: name } : {}) }, { by })
    return { definition, spec }
  }
  if (fileName !== undefined) return definitions.find(fileName, dagName || undefined)
  if (!file) throw new TroupeError('bad_request', `file: wanted a path, found ${JSON.stringify(file ?? null)}`)
  const path = resolve(file)
  if (!existsSync(path)) throw new TroupeError('not_found', `there is no file ${file}`)
  return definitions.readFile(path, override)
}
