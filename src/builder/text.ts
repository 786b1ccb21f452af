/** The text of a DAG of code, in the definition format. Source: docs/definition-format.md. */
import { stringify } from 'yaml'
import { dag } from '../definition/fields/fields-dag.ts'
import { bodyName } from './builder.ts'
import type { DagFields } from './dag-fields.ts'
import type { Construct } from './options.ts'
import type { Said, SaidStep } from './said.ts'

/** The two types if they are the same, otherwise what only one of them has. */
type Same<A, B> = [A, B] extends [B, A]
  ? A
  : { 'only a row of the format': Exclude<A, B>; 'only DagFields': Exclude<B, A> }

/** The keys of the format that code has, as their rows say. The compiler checks that `DagFields` is no different. */
export const DAG_FIELDS: readonly Same<(typeof dag.namesInCode)[number], keyof DagFields>[] = dag.namesInCode

/** The text of a DAG: its fields in the order of the host, then its steps. Equal DAGs have equal texts. */
export function dagText(
  fields: { name: string } & Record<string, unknown>,
  { steps, handlers }: Said,
  { result, signals }: { result?: string | Record<string, string>; signals: Readonly<Record<string, unknown>> }
): string {
  const read = resultsRead(steps, result)
  const document = {
    ...fields,
    ...handlersIn(fields, handlers),
    type: 'graph',
    ...(result === undefined ? {} : { result }),
    steps: steps.map((step) => stepFields(fields.name, step, { outputs: read, signals }))
  }
  // D1142: through JSON, so that nothing is in it that would not be in the text.
  return stringify(JSON.parse(JSON.stringify(document)), { lineWidth: 0, aliasDuplicateObjects: false })
}

/** Pages of items that a step in code may have unless it says another number. */
const MOST_PAGES = 100

/** Handlers of the fields and of the builder. */
function handlersIn(
  { name: dag, handlerOn }: { name: string; handlerOn?: unknown },
  handlers: Said['handlers']
): { handlerOn?: object } {
  const coded = Object.entries(handlers).map(([kind, step]) => {
    const { name: _, ...handler } = stepFields(dag, { ...step, depends: [] }, NOTHING_AROUND)
    return [kind, handler] as const
  })
  return coded.length === 0 ? {} : { handlerOn: { ...Object(handlerOn), ...Object.fromEntries(coded) } }
}

/** Constructs whose result is in their output, which is kept only where somebody wants it. */
const CAPTURED: ReadonlySet<string> = new Set(['shell', 'yaml', 'call', 'callEach'] satisfies Construct[])

/** Names of variables for the outputs of commands that are a result of the DAG, or of interest to a dependent; by step. */
function resultsRead(
  steps: readonly SaidStep[],
  result: string | Record<string, string> | undefined
): Map<string, string> {
  const wanted = new Set(typeof result === 'string' ? [result] : Object.values(result ?? {}))
  for (const { depends } of steps) for (const name of depends) wanted.add(name)
  const outputs = new Map<string, string>()
  const taken = new Set<string>()
  for (const { construct, name } of steps) {
    if (!CAPTURED.has(construct) || !wanted.has(name)) continue
    const plain = `RESULT_${name.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`
    let variable = plain
    for (let number = 2; taken.has(variable); number++) variable = `${plain}_${number}`
    taken.add(variable)
    outputs.set(name, variable)
  }
  return outputs
}

interface Around {
  outputs: ReadonlyMap<string, string>
  signals: Readonly<Record<string, unknown>>
}
const NOTHING_AROUND: Around = { outputs: new Map(), signals: {} }

function stepFields(dag: string, step: SaidStep, around: Around): { name: string } {
  const { name, depends, fields, functions } = step
  const asked = Object.keys(functions).map((asking) => [asking, bodyName(dag, name, asking as never)]) // keys of `functions`
  return {
    name,
    ...ofConstruct(dag, step, around),
    ...fields,
    ...(depends.length === 0 ? {} : { depends }),
    ...(asked.length === 0 ? {} : { functions: Object.fromEntries(asked) })
  }
}

function ofConstruct(
  dag: string,
  { construct, name, what, values, settings }: SaidStep,
  { outputs, signals }: Around
): object {
  const output = outputs.get(name)
  const captured = output === undefined ? {} : { output }
  const each = construct === 'eachPage' ? { pages: MOST_PAGES, ...settings, ...Object(what) } : settings
  switch (construct) {
    case 'step':
    case 'repeat':
    case 'handler':
    case 'eachPage':
    case 'each':
      return {
        executor: { type: 'function', config: { name: bodyName(dag, name) } },
        ...(Object.keys(each).length === 0 ? {} : { each }),
        ...(construct === 'repeat' ? { repeatPolicy: what } : {})
      }
    case 'use':
      return { executor: { type: 'function', config: { name: what } } }
    case 'shell':
      return { command: what, ...captured }
    case 'yaml':
      return { ...captured, ...Object(what) }
    case 'call':
      return { call: what, ...captured }
    case 'callEach':
      return { call: what, ...(Object.keys(settings).length === 0 ? {} : { parallel: settings }), ...captured }
    case 'signal':
      return waitFor(construct, { ...values, ...settings, ...payloadSchema(signals[name]) })
    case 'approval':
    case 'sleep':
      return waitFor(construct, { ...values, ...settings })
  }
}

const waitFor = (type: string, config: object): object => ({
  executor: Object.keys(config).length === 0 ? type : { type, config }
})

/** The schema for those who see the text alone, such as the form on the page; not every one can say it. */
function payloadSchema(schema: unknown): { payloadSchema?: object } {
  const { jsonSchema }: { jsonSchema?: { input?: (options: { target: string }) => unknown } } = Object(
    Object(schema)['~standard']
  )
  try {
    const found = jsonSchema?.input?.({ target: 'draft-2020-12' })
    return typeof found === 'object' && found !== null ? { payloadSchema: found } : {}
  } catch {
    return {} // it has something that JSON Schema has no word for
  }
}
