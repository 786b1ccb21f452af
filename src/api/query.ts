/** Query parameters: each read by its type, all problems told at once. Source: api-semantics T4, T5. */
import type { ParameterizedContext } from 'koa'
import { refuse } from './error-body.ts'

interface ParameterTypes {
  text: string | undefined
  integer: number | undefined
  /** `true`, `false`, `1` or `0`. */
  flag: boolean | undefined
  /** Repeatable. */
  texts: string[]
  /** Repeatable. */
  integers: number[]
}
type Parameters = Record<string, keyof ParameterTypes>
export type Query<P extends Parameters> = { [K in keyof P]: ParameterTypes[P[K]] }

/**
 * The wanted parameters; others are ignored, an empty value counts as absent.
 * @throws TroupeError bad_request naming every parameter that is of another type or is given twice, in details.errors
 */
export function readQuery<P extends Parameters>(ctx: ParameterizedContext, parameters: P): Query<P> {
  const given = new URLSearchParams(ctx.querystring)
  const problems: string[] = []
  const query: Record<string, unknown> = {}
  for (const [name, type] of Object.entries(parameters)) {
    const values = given.getAll(name).filter((value) => value !== '')
    const many = type === 'texts' || type === 'integers'
    if (values.length > 1 && !many) problems.push(`query parameter '${name}': given ${values.length} times`)
    const read = values.map((value) =>
      type === 'integer' || type === 'integers'
        ? integer(name, value, problems)
        : type === 'flag'
          ? flag(name, value, problems)
          : value
    )
    query[name] = many ? read : read[0]
  }
  refuse(problems)
  // Each value was read by the type its parameter has in P.
  return query as Query<P>
}

function flag(name: string, text: string, problems: string[]): boolean {
  if (!/^(?:true|false|1|0)$/.test(text))
    problems.push(`query parameter '${name}': wanted true or false, found ${JSON.stringify(text.slice(0, 40))}`)
  return text === 'true' || text === '1'
}

function integer(name: string, text: string, problems: string[]): number {
  const value = /^[+-]?\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) {
    problems.push(`query parameter '${name}': wanted an integer, found ${JSON.stringify(text.slice(0, 40))}`)
  }
  return value
}
