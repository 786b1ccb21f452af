/** One document of a definition. Source: definition-format "DAG-level fields", execution-semantics 1.4.1, 2.1, 8.5. */
import type { HandlerKind, Param, Plan } from '../../machines/vocabulary.ts'
import type { Budget } from './budget.ts'
import { expandHandler, expandPlan } from './expand.ts'
import { checkVariable, env, shell, tags } from './forms.ts'
import { type Fields, fieldsOf } from './mapping.ts'
import { parseParamWords } from './params.ts'
import { preconditions } from './policies.ts'
import { type Problems, shortened, wrong, wrongValue } from './problems.ts'
import { type Draft, readStep } from './step.ts'
import { readSteps } from './steps.ts'
import { type Field, member, toJson } from './value.ts'
import { count, filled, integer, isText, optional, partsOf, seconds, text, textOf, trimmed } from './values.ts'

export interface DagOptions {
  budget: Budget
  sourceDir: string | undefined
  /** The name by the one written, which may be missing; reports a wrong one. */
  nameOf: (written: string | undefined, field: Field) => string
}

/** The plan as far as the document allows one; sound only when no problem was found. */
export function readDag(problems: Problems, root: Field, { budget, sourceDir, nameOf }: DagOptions): Plan {
  const fields: Fields = fieldsOf(problems, root, 'dag')?.fields ?? new Map()
  const nameField = fields.get('name')
  const name = nameOf(optional(problems, nameField, trimmed), nameField ?? member(root, 'name', root.value))
  const handlers = optional(problems, fields.get('handlerOn'), readHandlers) ?? new Map<HandlerKind, Draft>()
  const type = optional(problems, fields.get('type'), readType)
  return expandPlan({
    name,
    group: optional(problems, fields.get('group'), trimmed),
    description: optional(problems, fields.get('description'), text),
    tags: optional(problems, fields.get('tags'), tags),
    type,
    shell: optional(problems, fields.get('shell'), shell),
    workingDir: optional(problems, fields.get('workingDir'), filled),
    sourceDir,
    env: optional(problems, fields.get('env'), env),
    params: optional(problems, fields.get('params'), readParams),
    preconditions: preconditions(problems, fields),
    ...NOT_READ,
    maxActiveRuns: optional(problems, fields.get('maxActiveRuns'), integer),
    maxActiveSteps: optional(problems, fields.get('maxActiveSteps'), count),
    timeoutMs: optional(problems, fields.get('timeoutSec'), seconds),
    cleanUpMs: optional(problems, fields.get('maxCleanUpTimeSec'), seconds),
    maxOutputSize: optional(problems, fields.get('maxOutputSize'), count),
    handlers: Object.fromEntries([...handlers].map(([kind, { step }]) => [kind, step])),
    steps: readSteps(problems, fields.get('steps'), { type: type ?? 'chain', handlers: [...handlers.values()], budget })
  })
}

/** Fields of plans whose reader does not exist; they are refused by name. */
const NOT_READ = {
  dotenv: undefined,
  paramSchema: undefined,
  schedule: undefined,
  restartWaitMs: undefined,
  skipIfSuccessful: undefined,
  queue: undefined,
  delayMs: undefined,
  histRetentionDays: undefined,
  logDir: undefined,
  secrets: undefined,
  mailOn: undefined,
  errorMail: undefined,
  infoMail: undefined,
  smtp: undefined,
  workerSelector: undefined,
  container: undefined,
  registryAuths: undefined,
  ssh: undefined,
  otel: undefined,
  runConfig: undefined,
  onInterrupt: undefined
}

function readType(problems: Problems, field: Field): Plan['type'] | undefined {
  const type = trimmed(problems, field)
  if (!type) return undefined
  if (type === 'chain' || type === 'graph') return type
  const unknown = `invalid type: ${shortened(type)} (must be one of: graph, chain, agent)`
  wrong(problems, field, type === 'agent' ? 'agent type is not yet implemented' : unknown)
  return undefined
}

const HANDLER_KINDS = ['success', 'failure', 'cancel', 'exit'] as const

function readHandlers(problems: Problems, field: Field): Map<HandlerKind, Draft> {
  const fields = fieldsOf(problems, field, 'handlerOn')?.fields
  const handlers = new Map<HandlerKind, Draft>()
  for (const kind of HANDLER_KINDS) {
    const draft = optional(problems, fields?.get(kind), readStep)
    if (!draft) continue
    const { continueOn } = draft.step
    const waited =
      continueOn.failure || continueOn.skipped || continueOn.exitCodes.length + continueOn.outputs.length > 0
    if (draft.depends || waited)
      problems.warn(`${draft.field.path}: depends and continueOn have no effect on a handler`)
    handlers.set(kind, { ...draft, step: expandHandler(draft.step, kind) })
  }
  return handlers
}

/** Values stay unevaluated. Bare words are named by their position among all params. */
function readParams(problems: Problems, field: Field): Param[] | undefined {
  const { value } = field
  const schema = value.kind === 'map' && value.entries.find(({ key }) => key === 'schema')?.value
  if (schema && schema.kind === 'scalar' && typeof schema.data === 'string') {
    fieldsOf(problems, field, 'paramsSchema')
    return undefined
  }
  const params: Param[] = []
  for (const part of partsOf(field)) {
    const { value } = part
    if (value.kind === 'map') {
      for (const { key, value: given } of value.entries) {
        const entry = member(part, key, given)
        params.push({ name: key, value: given.kind === 'scalar' ? textOf(entry) : toJson(given), positional: false })
        checkVariable(problems, entry, key)
      }
    } else if (isText(part)) {
      const words = parseParamWords(textOf(part), params.length)
      for (const { name } of words) checkVariable(problems, part, name)
      params.push(...words)
    } else wrongValue(problems, part, 'must be a string, a map, or a list of those')
  }
  return params
}
