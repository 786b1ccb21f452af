/**
 * Params of a run to be: defaults evaluated, what a caller gives laid over them, completed and checked by the schema.
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

/** Whether the variables of the DAG are needed to know the params. @param given what a caller gives to be evaluated */
export const needsEnv = ({ params, paramSchema, workingDir = '' }: Plan, given: Param[]): boolean =>
  [...params, ...given].some(({ value }) => isEvaluated(value)) ||
  (paramSchema !== undefined && isEvaluated(paramSchema + workingDir))

// D706
/** What a caller gives. A default that is sent back as it was shown stands for itself: it is evaluated, as without it. */
export function overrideOf({ params }: Plan, given: string): Param[] {
  const defaults = new Map(params.map(({ name, value }) => [name, value]))
  return parseOverride(given).filter(({ name, value }) => defaults.get(name) !== value)
}

/** What `runConfig` locks for whoever starts a run; schedules and sub runs do not come here. @throws TroupeError bad_request */
export function checkLocks({ runConfig }: Plan, { dagRunId }: StartRequest, override: Param[]): void {
  if (runConfig.disableRunIdEdit && dagRunId)
    throw new TroupeError('bad_request', 'dagRunId: wanted none, as runConfig.disableRunIdEdit is set')
  // D707
  if (runConfig.disableParamEdit && override.length > 0)
    throw new TroupeError(
      'bad_request',
      `params: wanted none but the defaults, as runConfig.disableParamEdit is set, found ${override.map(({ name }) => name).join(', ')}`
    )
}

/** Params of a run to be, and its variables when they had to be evaluated for that. */
export interface LoadedParams {
  params: RunParam[]
  env?: LoadedEnv
}

/**
 * @param override what a caller gives
 * @param typed whether somebody typed the override at a command line, who may run commands anyway: it is evaluated like the defaults
 * (2.2.6) and is no data (3.1.5). Never so for what comes over the API. Of a calling run: the names of what its author has written.
 * @throws TroupeError bad_request
 */
export async function loadParams(
  plan: Plan,
  override: Param[],
  typed: boolean | readonly string[],
  surroundings: Omit<ParamSurroundings, 'env' | 'dataEnv'>
): Promise<LoadedParams> {
  const early = plan.logDir !== undefined || needsEnv(plan, typed === true ? override : [])
  const env = early ? await loadEnv(plan, surroundings.own, surroundings) : undefined
  const { values = {}, data = surroundings.data ?? [] } = env ?? {}
  const params = await paramsOf(plan, override, typed, { env: values, dataEnv: data, ...surroundings })
  return { params, ...(env ? { env } : {}) }
}

/** Where params are evaluated. */
interface ParamSurroundings extends EnvironmentInput {
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
  surroundings: ParamSurroundings
): Promise<RunParam[]> {
  const { env, dataEnv } = surroundings
  const declared = await evaluateParams(plan.params, loadLookup(env, dataNames(plan, dataEnv), surroundings))
  const params = mergeParams(declared, await given())
  if (plan.paramSchema === undefined) return params
  const data = new Set(dataParams(params, plan.params))
  // D540
  const marked = params.map((param) => ({ ...param, written: !data.has(param.name) })) // a default may be written otherwise then
  const schema = await schemaOf(plan, plan.paramSchema, surroundings)
  const fitted = await fitParams(schema, marked, surroundings.clock)
  if (fitted.faults.length > 0) throw invalidParams(faultsText(fitted.faults))
  return fitted.params

  async function given(): Promise<RunParam[]> {
    if (typed !== true) {
      const written = new Set(typed || [])
      return override.map(({ name, value }) => ({ name, value, written: written.has(name) }))
    }
    const known = Object.fromEntries(declared.map(({ name, value }) => [name, value]))
    const names = dataNames(plan, [...dataEnv, ...dataParams(declared, plan.params)])
    const evaluated = await evaluateParams(override, loadLookup({ ...env, ...known }, names, surroundings))
    return evaluated.map((param) => ({ ...param, written: true }))
  }
}

async function schemaOf(plan: Plan, written: string, surroundings: ParamSurroundings): Promise<string> {
  const { env, own, clock } = surroundings
  const { substitute: _, ...look } = loadLookup(env, undefined, surroundings)
  const schema = await expandField(written, look)
  if (isRemote(schema)) return remoteSchema(schema, clock)
  return localSchema(schema, [await directoryOf(plan, env, own, surroundings), plan.sourceDir])
}
