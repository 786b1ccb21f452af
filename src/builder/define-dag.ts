/** `defineDag`: a definition in code becomes a text, from which the plan is read like any other. Source: docs/embedding/README.md. */
import type { StandardSchemaV1 as Std } from '@standard-schema/spec'
import type { Plan } from '../../machines/vocabulary.ts'
import type { CustomType } from '../definition/fields/custom-types.ts'
import { executorType } from '../definition/fields/executor-types.ts'
import { planIdentity, versionOf } from '../definition/plan-identity.ts'
import { readDefinition } from '../definition/read.ts'
import { messageOf, TroupeError } from '../errors.ts'
import type { In, Node, Out, Schema } from '../executors/function/types.ts'
import { openBuilder } from './builder.ts'
import type { DagFields } from './dag-fields.ts'
import { hide } from './inside.ts'
import { hinted, shown } from './options.ts'
import type { Said, SaidStep } from './said.ts'
import { DAG_FIELDS, dagText } from './text.ts'
import type { Builder, Dag, DagNames, Kept } from './types.ts'

const NAMES = ['name', 'version', 'params', 'signals', 'onDrift'] as const satisfies (keyof DagNames<
  unknown,
  unknown
>)[]

// D1641: a host starts a run for each order or request; a limit that it has not written would refuse the second one
const NO_LIMIT = -1
/** More than there can be. Rule 7.2.4: a start with a negative limit passes its queue, and its author has named one. */
const NO_LIMIT_IN_A_QUEUE = 1_000_000

// D1140: a DAG of code becomes a text, and its plan is read from that
/**
 * Runs the builder once, and makes the definition of what it says.
 * @throws TroupeError bad_request, with all problems in `details.errors`: of the fields, of the steps, of the functions
 */
export function defineDag<
  S extends Schema | undefined = undefined,
  // A builder may return nothing, which a function type calls void.
  // biome-ignore lint/suspicious/noConfusingVoidType: see above
  B extends Readonly<Record<string, Node>> | Node | void = void,
  const W extends Record<string, Schema> = Record<never, never>
>(fields: DagNames<S, W> & DagFields, build: (builder: Builder<Out<S>, W>) => B): Dag<In<S>, Kept<B>, W> {
  const problems = fieldProblems(fields)
  const name = String(Object(fields).name)
  if (typeof build !== 'function') problems.push(`wanted a builder function, found ${shown(build)}`)
  refuse(name, problems)
  const { builder, said, seal } = openBuilder(name, Object.keys(fields.signals ?? {}))
  const kept: unknown = ran(name, () => build(builder as unknown as Builder<Out<S>, W>)) // its steps have no types at run time
  seal()
  refuse(name, [...said.problems, ...handlerProblems(fields, said), ...keptProblems(kept, said)])
  const { version, signals = {}, params, onDrift, ...dagFields } = fields
  const { maxActiveRuns = dagFields.queue ? NO_LIMIT_IN_A_QUEUE : NO_LIMIT } = dagFields
  const result = resultOf(kept, said)
  const names = { ...(version ? { version } : {}), ...(onDrift ? { onDrift } : {}) }
  const text = dagText({ ...dagFields, maxActiveRuns, ...names }, said, {
    ...(result === undefined ? {} : { result }),
    signals
  })
  const plan = planOf(name, text, said)
  const planHash = planIdentity(plan)
  const dag = {
    name: plan.name,
    version: versionOf(plan, planHash),
    planHash,
    toYaml: () => text
  }
  hide(dag, {
    ...dag,
    text,
    plan,
    ...(params ? { params } : {}),
    signals: new Map(Object.entries(signals)),
    bodies: said.bodies,
    uses: said.uses
  })
  return Object.freeze(dag)
}

/** @throws TroupeError: the function has thrown, or is asynchronous */
function ran(name: string, build: () => unknown): unknown {
  let kept: unknown
  try {
    kept = build()
  } catch (cause) {
    throw new TroupeError('bad_request', `DAG "${name}": its builder has thrown: ${messageOf(cause)}`, { cause })
  }
  const { then }: { then?: unknown } = Object(kept)
  if (typeof then !== 'function') return kept
  void Promise.resolve(kept).catch(() => {}) // what it throws later follows from this refusal
  throw new TroupeError(
    'bad_request',
    `DAG "${name}": its builder is asynchronous. It only says which steps there are, so it must end at once: load what it needs before defineDag, and do the work in functions of steps`
  )
}

/** @throws TroupeError bad_request (details.errors) */
function refuse(name: string, problems: readonly string[]): void {
  if (problems.length === 0) return
  const errors = problems.map((problem) => `DAG "${name}": ${problem}`)
  throw new TroupeError('bad_request', errors.join('; '), { details: { errors } })
}

function fieldProblems(fields: object): string[] {
  if (typeof fields !== 'object' || fields === null || Array.isArray(fields))
    return [`fields: wanted an object, found ${shown(fields)}`]
  const known: readonly string[] = [...NAMES, ...DAG_FIELDS]
  const strangers = Object.keys(fields).flatMap((name) =>
    known.includes(name) ? [] : [`unknown field ${name}${hinted(name, known)}`]
  )
  const { name, version, params, signals = {} }: Partial<Record<(typeof NAMES)[number], unknown>> = fields
  return [
    ...strangers,
    ...(typeof name === 'string' && name !== '' ? [] : [`name: wanted a text, found ${shown(name)}`]),
    ...(version === undefined || (typeof version === 'string' && version.trim() !== '')
      ? []
      : [`version: wanted a text, found ${shown(version)}`]),
    ...(params === undefined || isSchema(params) ? [] : [`params: wanted ${A_SCHEMA}, found ${shown(params)}`]),
    ...(typeof signals !== 'object' || signals === null
      ? [`signals: wanted an object, found ${shown(signals)}`]
      : Object.entries(signals).flatMap(([step, schema]) =>
          isSchema(schema) ? [] : [`signals.${step}: wanted ${A_SCHEMA}, found ${shown(schema)}`]
        ))
  ]
}

const A_SCHEMA = 'a Standard Schema (of zod, valibot, arktype and others)'
const isSchema = (schema: unknown): schema is Std => typeof Object(Object(schema)['~standard']).validate === 'function'

const isHandleLike = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && typeof Object(value).name === 'string'

/** A handler is said once. */
const handlerProblems = ({ handlerOn = {} }: DagFields, { handlers }: Said): string[] =>
  Object.keys(handlers)
    .filter((kind) => Object.hasOwn(handlerOn, kind))
    .map((kind) => `handlerOn.${kind}: the builder has a handler for ${kind}, too: leave one out`)

/** The builder must return handles of its own steps. */
function keptProblems(kept: unknown, { nameOf }: Said): string[] {
  if (kept === undefined || kept === null || nameOf(kept) !== undefined) return []
  const problem = (what: string, value: unknown) =>
    `${what}: wanted the handle of a step of this DAG, found ${isHandleLike(value) ? `the handle "${Object(value).name}" of another DAG` : shown(value)}`
  if (typeof kept !== 'object' || (isHandleLike(kept) && Object.keys(kept).length === 1))
    return [problem('what the builder returned', kept)]
  return Object.entries(kept).flatMap(([name, handle]) =>
    nameOf(handle) === undefined ? [problem(`"${name}" of what the builder returned`, handle)] : []
  )
}

function resultOf(kept: unknown, { nameOf }: Said): string | Record<string, string> | undefined {
  if (kept === undefined || kept === null) return undefined
  const alone = nameOf(kept)
  if (alone !== undefined) return alone
  return Object.fromEntries(Object.entries(kept).map(([name, handle]) => [name, nameOf(handle) ?? '']))
}

/** @throws TroupeError bad_request: the problems of the text, with the names of its steps */
function planOf(name: string, text: string, { steps }: Said): Plan {
  const { plan, problems } = readDefinition(text, { custom: foreignTypes(steps) })
  if (plan) return plan
  refuse(
    name,
    problems.map(({ path, message }) => {
      const index = /^steps\[(\d+)\]/.exec(path)?.[1]
      const step = index === undefined ? undefined : steps[Number(index)]
      return step ? `step "${step.name}": ${message}` : message
    })
  )
  throw new TroupeError('internal_error', `DAG "${name}": it has neither a plan nor a problem`)
}

/** Executors that a DAG of code names and this package does not have: the engine that gets the DAG checks them. */
function foreignTypes(steps: readonly SaidStep[]): Map<string, CustomType> {
  const types = new Map<string, CustomType>()
  for (const { construct, what } of steps) {
    if (construct !== 'yaml') continue
    const { executor }: { executor?: unknown } = Object(what)
    const type: unknown = typeof executor === 'string' ? executor : Object(executor).type
    if (typeof type === 'string' && !executorType(type)) types.set(type, {})
  }
  return types
}
