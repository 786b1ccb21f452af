/**
 * Params of a new run: evaluated defaults, overridden by those of the caller, completed and checked by the schema.
 * Source: execution-semantics 2, api-semantics 4.4, 4.5.
 */
import type { Param, Plan, RunParam } from '../../../machines/vocabulary.ts'
import {
  dataNames,
  directoryOf,
  type EnvironmentInput,
  type LoadedEnv,
  loadEnv,
  loadLookup
} from '../../actors/run/run-environment.ts'
import type { Clock } from '../../clock.ts'
import { faultsText, invalidParams } from '../../definition/dag/param-schema.ts'
import { dataParams, evaluateParams, mergeParams, parseOverride } from '../../definition/dag/params.ts'
import { expandField, isEvaluated } from '../../definition/text/variables.ts'
import { isRemote, localSchema, remoteSchema } from '../../definitions/schema-source.ts'
import { fitParams } from '../../definitions/text-thread.ts'
import { TroupeError } from '../../errors.ts'
import type { StartRequest } from '../engine.ts'

/** Whether the params depend on variables of the DAG. @param override params of the caller that are to be evaluated */
export const needsEnv = ({ params, paramSchema, workingDir = '' }: Plan, override: Param[]): boolean =>
  [...params, ...override].some(({ value }) => isEvaluated(value)) ||
  (paramSchema !== undefined && isEvaluated(paramSchema + workingDir))

// D706: params from the command line are evaluated, params from the API are not
/** Params of the caller. A default that is sent back unchanged counts as not sent: it is evaluated. */
export function overrideOf({ params }: Plan, text: string): Param[] {
  const defaults = new Map(params.map(({ name, value }) => [name, value]))
  return parseOverride(text).filter(({ name, value }) => defaults.get(name) !== value)
}

/** Enforces `runConfig` on callers; schedules and sub runs do not call this. @throws TroupeError bad_request */
export function checkLocks({ runConfig }: Plan, { dagRunId }: StartRequest, override: Param[]): void {
  if (runConfig.disableRunIdEdit && dagRunId)
    throw new TroupeError('bad_request', 'dagRunId: wanted none, as runConfig.disableRunIdEdit is set')
  // D707: `disableParamEdit` compares with the defaults as they are written
  if (runConfig.disableParamEdit && override.length > 0)
    throw new TroupeError(
      'bad_request',
      `params: wanted none but the defaults, as runConfig.disableParamEdit is set, found ${override.map(({ name }) => name).join(', ')}`
    )
}

/** Params of a new run, and its variables if they had to be evaluated for that. */
export interface LoadedParams {
  params: RunParam[]
  env?: LoadedEnv
}

/**
 * @param override params of the caller
 * @param typed whether a user typed the override on a command line, and so may run commands anyway: it is evaluated like the defaults
 * (2.2.6) and is not data (3.1.5). Never for the API. For a calling run: the names of the params that its author wrote.
 * @throws TroupeError bad_request
 */
export async function loadParams(
  plan: Plan,
  override: Param[],
  typed: boolean | readonly string[],
  context: Omit<ParamContext, 'env' | 'dataEnv'>
): Promise<LoadedParams> {
  const early = plan.logDir !== undefined || needsEnv(plan, typed === true ? override : [])
  const env = early ? await loadEnv(plan, context.own, context) : undefined
  const { values = {}, data = context.data ?? [] } = env ?? {}
  const params = await paramsOf(plan, override, typed, { env: values, dataEnv: data, ...context })
  return { params, ...(env ? { env } : {}) }
}

/** Where params are evaluated. */
interface ParamContext extends EnvironmentInput {
  /** dotenv and DAG `env`. */
  env: Record<string, string>
  /** Names of variables that are data. */
  dataEnv: Iterable<string>
  /** Working directory of a run without a definition file. */
  own: string
  clock: Clock
}

/** @throws TroupeError bad_request */
export async function paramsOf(
  plan: Plan,
  override: Param[],
  typed: boolean | readonly string[],
  context: ParamContext
): Promise<RunParam[]> {
  const { env, dataEnv } = context
  const declared = await evaluateParams(plan.params, loadLookup(env, dataNames(plan, dataEnv), context))
  const params = mergeParams(declared, await provided())
  return fitting(plan, params, context)

  async function provided(): Promise<RunParam[]> {
    if (typed !== true) {
      const written = new Set(typed || [])
      return override.map(({ name, value }) => ({ name, value, written: written.has(name) }))
    }
    const known = Object.fromEntries(declared.map(({ name, value }) => [name, value]))
    const names = dataNames(plan, [...dataEnv, ...dataParams(declared, plan.params)])
    const evaluated = await evaluateParams(override, loadLookup({ ...env, ...known }, names, context))
    return evaluated.map((param) => ({ ...param, written: true }))
  }
}

/** Completed and checked by the schema, if there is one. @throws TroupeError bad_request */
async function fitting(plan: Plan, params: RunParam[], context: ParamContext): Promise<RunParam[]> {
  if (plan.paramSchema === undefined) return params
  const data = new Set(dataParams(params, plan.params))
  // D540: what counts as data
  const marked = params.map((param) => ({ ...param, written: !data.has(param.name) })) // the override may differ from the written default
  const schema = await schemaOf(plan, plan.paramSchema, context)
  const fitted = await fitParams(schema, marked, context.clock)
  if (fitted.faults.length > 0) throw invalidParams(faultsText(fitted.faults))
  return fitted.params
}

// D1272: a reschedule may change params
/**
 * Params of an earlier run, some of them changed by a caller. Nothing is evaluated again: the others are what they were.
 * @param text of the changes, as for a start @throws TroupeError bad_request
 */
export async function changedParams(
  plan: Plan,
  old: RunParam[],
  text: string,
  context: Omit<ParamContext, 'env' | 'dataEnv'>
): Promise<LoadedParams> {
  const before = new Map(old.map(({ name, value }) => [name, value]))
  const changes = parseOverride(text).filter(({ name, value }) => before.get(name) !== value)
  if (changes.length > 0 && plan.release)
    throw new TroupeError(
      'bad_request',
      `params: wanted those of the earlier run, as ${plan.name} is defined in code, found others: start it instead`
    )
  checkLocks(plan, {}, changes)
  const early = plan.logDir !== undefined || (changes.length > 0 && needsEnv({ ...plan, params: [] }, []))
  const env = early ? await loadEnv(plan, context.own, context) : undefined
  const loaded = env ? { env } : {}
  if (changes.length === 0) return { params: old, ...loaded }
  const merged = mergeParams(
    old,
    changes.map(({ name, value }) => ({ name, value }))
  )
  const { values = {}, data = context.data ?? [] } = env ?? {}
  return { params: await fitting(plan, merged, { ...context, env: values, dataEnv: data }), ...loaded }
}

async function schemaOf(plan: Plan, written: string, context: ParamContext): Promise<string> {
  const { env, own, clock } = context
  const { substitute: _, ...look } = loadLookup(env, undefined, context, plan.group)
  const schema = await expandField(written, look)
  if (isRemote(schema)) return remoteSchema(schema, clock)
  return localSchema(schema, [await directoryOf(plan, env, own, context), plan.sourceDir])
}
