/** Functions of a host application: their definition, and checks before an engine opens. Source: docs/executors/function.md. */
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { TroupeError } from '../../errors.ts'
import type { Call, Fn, In, Out, Run, Schema } from './types.ts'

/** What the engine sees of a function. */
export interface HostFunction {
  name: string
  /** Absent: its params are not checked. */
  params?: StandardSchemaV1
  /** The function belongs to a step of a definition in code: its params are those of the run. */
  isOfRun?: true
  /** @param call a `Call`, or of one that answers for a step, `Given` */
  run(call: object): unknown
}
export type HostFunctions = ReadonlyMap<string, HostFunction>

/**
 * A function that steps call by its name: `executor: {type: function, config: {name: ..., params: {...}}}`.
 * Pass it to `createEngine({ functions: [...] })`.
 * @throws TroupeError bad_request for an unusable name or schema
 */
export function defineFunction<S extends Schema, R>(
  { name, params }: { name: string; params: S },
  run: Run<Call<Out<S>>, R>
): Fn<In<S>, R> {
  const problem = nameProblem(name) ?? schemaProblem(params)
  if (problem !== undefined) throw new TroupeError('bad_request', `defineFunction: ${problem}`)
  const defined: HostFunction = { name, params, run: (call) => run(call as Call<Out<S>>) } // the engine gives what the schema made
  return Object.freeze(defined)
}

const LONGEST_NAME = 200

/** Why this is no name of a function; undefined: it is one. */
function nameProblem(name: unknown): string | undefined {
  if (
    typeof name === 'string' &&
    name.length <= LONGEST_NAME &&
    /^[^\s$`\p{C}](?:[^$`\p{C}]*[^\s$`\p{C}])?$/u.test(name)
  )
    return undefined
  return `name: wanted a text of 1 to ${LONGEST_NAME} characters without $, backticks and control characters, found ${JSON.stringify(name) ?? 'nothing'}`.slice(
    0,
    2 * LONGEST_NAME
  )
}

function schemaProblem(schema: unknown): string | undefined {
  const { '~standard': standard }: { '~standard'?: { validate?: unknown } } = Object(schema)
  return typeof standard?.validate === 'function'
    ? undefined
    : 'params: wanted a schema that implements Standard Schema, such as one of zod, valibot or arktype'
}

// D1051: functions are found by name
/** By name. @throws TroupeError bad_request for a name that is invalid, or there twice */
export function functionsByName(given: readonly Pick<Fn<unknown, unknown>, 'name'>[]): Map<string, HostFunction> {
  const functions = new Map<string, HostFunction>()
  const places = new Map<string, number>()
  given.forEach((fn, at) => {
    const defined = fn as HostFunction // the options have been checked for `run`
    const problem = nameProblem(defined.name)
    if (problem !== undefined) throw new TroupeError('bad_request', `functions[${at}]: ${problem}`)
    const before = places.get(defined.name)
    if (before !== undefined)
      throw new TroupeError(
        'bad_request',
        `functions: wanted unique names, found ${JSON.stringify(defined.name)} twice: functions[${before}] and functions[${at}]`
      )
    places.set(defined.name, at)
    functions.set(defined.name, defined)
  })
  return functions
}
