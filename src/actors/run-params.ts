/** The parameters of a run that is about to start. Source: execution-semantics 2.1.5, 2.2. */
import type { Plan, RunParam } from '../../machines/vocabulary.ts'
import { evaluateParams, mergeParams, parseOverride } from '../spec/params.ts'
import { evaluateEnv, type LoadSurroundings, loadLookup } from './load-time.ts'

export interface EvaluatedParams {
  params: RunParam[]
  /** DAG `env`, when it had to be evaluated for them. */
  env?: Record<string, string>
}

/**
 * Defaults are evaluated, what a caller gives is taken literally.
 * @throws TroupeError bad_request
 */
export async function evaluateRunParams(
  plan: Plan,
  given: string,
  surroundings: LoadSurroundings
): Promise<EvaluatedParams> {
  // A default that is sent back as it was shown stands for itself: it is evaluated, as without it.
  const defaults = new Map(plan.params.map(({ name, value }) => [name, value]))
  const override = parseOverride(given).filter(({ name, value }) => defaults.get(name) !== value)
  const evaluates = plan.params.some(({ value }) => /[$`]/.test(value))
  const env = evaluates ? await evaluateEnv(plan, surroundings) : undefined
  const declared = await evaluateParams(plan.params, loadLookup(env ?? {}, surroundings))
  return { params: mergeParams(declared, override), ...(env ? { env } : {}) }
}
