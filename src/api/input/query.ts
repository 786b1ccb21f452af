/** Query parameters: each read by its schema, all problems reported at once. Source: api-semantics T4, T5. */
import type { ParameterizedContext } from 'koa'
import { misfit } from '../../schema/fit.ts'
import type { Schema, Shape } from '../../schema/schema.ts'
import { refuse } from '../rules/error-body.ts'
import { isStrict, outOfRange } from '../rules/strict.ts'

type Parameters = Readonly<Record<string, Schema>>
/** A parameter that may be given several times is an array. */
type Value<S> = S extends { type: 'array' } | { 'x-required': true } ? Shape<S> : Shape<S> | undefined
export type Query<P extends Parameters> = { [K in keyof P]: Value<P[K]> }

// D201, D202: numbers out of range are clamped
/**
 * The wanted parameters; others are ignored, an empty value counts as absent.
 * @throws TroupeError bad_request naming every parameter that does not fit or is given twice, in details.errors
 */
export function readQuery<P extends Parameters>(ctx: ParameterizedContext, parameters: P): Query<P> {
  const input = new URLSearchParams(ctx.querystring)
  const problems: string[] = []
  const query: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(parameters)) {
    const values = input.getAll(name).filter((value) => value !== '')
    const many = schema.type === 'array'
    const say = (problem: string) => problems.push(`query parameter '${name}': ${problem}`)
    if (values.length > 1 && !many) say(`given ${values.length} times`)
    if (values.length === 0 && schema['x-required']) say('required')
    const read = values.map((value) => readValue((many ? schema.items : schema) ?? {}, value, say, isStrict(ctx)))
    query[name] = many ? read : read[0]
  }
  refuse(problems)
  // Each value was read by the schema its parameter has in P.
  return query as Query<P>
}

function readValue(schema: Schema, text: string, say: (problem: string) => void, strict: boolean): unknown {
  const shown = JSON.stringify(text.slice(0, 40))
  if (schema.type === 'boolean') {
    if (!/^(?:true|false|1|0)$/.test(text)) say(`wanted true or false, found ${shown}`)
    return text === 'true' || text === '1'
  }
  const value = schema.type === 'integer' ? (/^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN) : text
  const problem =
    typeof value === 'number' && !Number.isSafeInteger(value)
      ? `wanted an integer, found ${shown}`
      : (misfit(schema, value) ?? (strict ? outOfRange(schema, value) : undefined))
  if (problem !== undefined) say(problem)
  return value
}

/** A number of wanted items: less than 1 counts as absent. */
export const wantedNumber = (input: number | undefined): number | undefined =>
  input !== undefined && input < 1 ? undefined : input
