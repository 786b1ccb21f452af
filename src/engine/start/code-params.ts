/** Params of a run of a definition in code: checked by its schema, and stored as that made them. Source: docs/embedding/README.md. */
import type { Json, Plan, RunParam } from '../../../machines/vocabulary.ts'
import { type EnvironmentInput, loadEnv } from '../../actors/run/run-environment.ts'
import { isJsonLike, parseOverride } from '../../definition/dag/params.ts'
import type { CodeDag } from '../../definitions/code-dag.ts'
import type { Definitions } from '../../definitions/definitions.ts'
import { TroupeError } from '../../errors.ts'
import type { LoadedParams } from './params.ts'

/** The definition in code that a plan is of; undefined: it is a text. */
export const codeOf = (definitions: Pick<Definitions, 'code'>, { release }: Plan): CodeDag | undefined =>
  release && definitions.code(release.dag)?.dag

// D1144: params are stored as the schema made them
/**
 * @param text words, or JSON, which keeps its types @param own working directory of a run without a definition file
 * @throws TroupeError bad_request (details.errors: all issues)
 */
export async function loadCodeParams(
  { fitParams }: CodeDag,
  plan: Plan,
  text: string,
  { own, ...context }: EnvironmentInput & { own: string }
): Promise<LoadedParams> {
  const words = parseOverride(text) // for its limits, too
  const object = isJsonLike(text) ? jsonObject(text) : undefined
  const asTexts = Object.fromEntries(words.map(({ name, value }) => [name, value]))
  const params = paramsOfJson(await fitParams(object ?? asTexts, object === undefined))
  return plan.logDir === undefined ? { params } : { params, env: await loadEnv(plan, own, context) }
}

function jsonObject(text: string): { [name: string]: Json } {
  const json: unknown = JSON.parse(text)
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as { [name: string]: Json } // parsed
  throw new TroupeError('bad_request', 'params: wanted an object such as {"NAME": "value"}, found a list')
}

/** A text stays as it is; everything else is stored as JSON, and marked so. */
const paramsOfJson = (params: { [name: string]: Json }): RunParam[] =>
  Object.entries(params).map(([name, value]) =>
    typeof value === 'string' ? { name, value } : { name, value: JSON.stringify(value), isJson: true }
  )
