/** One document of a definition. Source: definition-format "DAG-level fields", execution-semantics 1.4.1, 2.1, 8.5. */
import type { HandlerKind, Plan, Step } from '../../../machines/vocabulary.ts'
import type { Budget } from '../budget.ts'
import type { CustomTypes } from '../fields/custom-types.ts'
import { dag, handlerOn } from '../fields/fields-dag.ts'
import type { Fields } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { optional, trimmed } from '../fields/values.ts'
import { type Problems, shortened, wrong } from '../problems.ts'
import { type AllowedTypes, commandRefusal, refusalOf } from '../steps/allowed-types.ts'
import { type Around, mayRunCommands } from '../steps/executor-checks.ts'
import { continueOn, preconditions } from '../steps/policies.ts'
import { type Draft, readStep } from '../steps/step.ts'
import { readSteps } from '../steps/steps.ts'
import { type Field, member } from '../yaml/value.ts'
import { declaredParams } from './declared-params.ts'
import { result } from './result.ts'

export interface DagOptions {
  budget: Budget
  sourceDir: string | undefined
  /** Executors of the host application. */
  custom: CustomTypes
  /** Executors that the definition may use; absent: all. */
  allowed?: AllowedTypes | undefined
  /** The name by the one written, which may be missing; reports a wrong one. */
  nameOf: (written: string | undefined, field: Field) => string
}

/** The plan as far as the document allows one; sound only when no problem was found. */
export function readDag(
  problems: Problems,
  root: Field,
  { budget, sourceDir, custom, allowed, nameOf }: DagOptions
): Plan {
  const fields: Fields = fieldsOf(problems, root, dag) ?? new Map()
  const nameField = fields.get('name')
  const name = nameOf(optional(problems, nameField, trimmed), nameField ?? member(root, 'name', root.value))
  const group = optional(problems, fields.get('group'), trimmed)
  const around: Around = { hasContainer: fields.has('container'), hasSsh: fields.has('ssh'), custom }
  if (allowed) {
    around.refusal = (type) => refusalOf(allowed, group ?? '', type)
    around.commandRefusal = commandRefusal(allowed, group ?? '')
    const refusal = around.hasContainer && around.refusal('docker')
    if (refusal) wrong(problems, fields.get('container') ?? root, refusal)
  }
  if (around.hasContainer && around.hasSsh) {
    wrong(problems, fields.get('ssh') ?? root, 'container and ssh are exclusive')
  }
  const handlers =
    optional(problems, fields.get('handlerOn'), (_, field) => readHandlers(problems, field, around)) ??
    new Map<HandlerKind, Draft>()
  const type = optional(problems, fields.get('type'), readType) ?? 'chain'
  const steps = readSteps(problems, fields.get('steps'), {
    type,
    handlers: [...handlers.values()],
    around,
    budget
  })
  const declared = optional(problems, fields.get('params'), declaredParams)
  return dag.read(problems, fields, {
    name,
    group: group ?? '',
    type,
    sourceDir,
    params: declared?.params ?? [],
    paramSchema: declared?.paramSchema,
    preconditions: () => mayRunCommands(problems, fields, preconditions(problems, fields), around),
    statesMaxActiveRuns: fields.has('maxActiveRuns'),
    handlers: Object.fromEntries([...handlers].map(([kind, { step }]) => [kind, step])),
    result: () => optional(problems, fields.get('result'), (_, field) => result(problems, field, steps)),
    steps,
    locals: []
  })
}

function readType(problems: Problems, field: Field): Plan['type'] | undefined {
  const type = trimmed(problems, field)
  if (!type) return undefined
  if (type === 'chain' || type === 'graph') return type
  const unknown = `invalid type: ${shortened(type)} (must be one of: graph, chain, agent)`
  wrong(problems, field, type === 'agent' ? 'agent type is not yet implemented' : unknown)
  return undefined
}

export const HANDLER_KINDS = ['success', 'failure', 'cancel', 'exit'] as const

function readHandlers(problems: Problems, field: Field, around: Around): Map<HandlerKind, Draft> {
  const fields = fieldsOf(problems, field, handlerOn)
  const handlers = new Map<HandlerKind, Draft>()
  for (const kind of HANDLER_KINDS) {
    const handler = fields?.get(kind)
    const draft = handler && readStep(problems, handler, around)
    if (!draft) continue
    const { continueOn, executor, wait, each } = draft.step
    // D1076: a handler cannot wait
    if (wait) wrong(problems, handler, `a handler cannot wait: a step of the type ${executor.type} is one of the steps`)
    if (each?.pages) wrong(problems, handler, 'a handler does not repeat, so its items cannot come in pages')
    const waited =
      continueOn.failure || continueOn.skipped || continueOn.exitCodes.length + continueOn.outputs.length > 0
    if (draft.depends || waited || draft.step.repeat)
      problems.warn(`${draft.field.path}: depends, continueOn and repeatPolicy have no effect on a handler`)
    handlers.set(kind, { ...draft, step: handlerOf(draft.step, kind) })
  }
  return handlers
}

/** The names of handlers, by what they are for. */
export const HANDLER_NAMES = { success: 'onSuccess', failure: 'onFailure', cancel: 'onCancel', exit: 'onExit' } as const

/** A handler is named by its kind, waits for nothing, does not repeat, and nothing waits for it. Source: execution-semantics 8.8. */
const handlerOf = ({ repeat: _, ...step }: Step, kind: HandlerKind): Step => ({
  ...step,
  name: HANDLER_NAMES[kind],
  depends: [],
  continueOn: continueOn.blank({})
})
