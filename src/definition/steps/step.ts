/** One step, or one handler, as written. Source: definition-format "Step fields", execution-semantics 1.5.3, 4.1, 4.5.4. */
import type { Step, StepExecutor } from '../../../machines/vocabulary.ts'
import { step } from '../fields/fields-step.ts'
import type { Fields } from '../fields/level.ts'
import { fieldsOf, invalidKeys, type UnknownKeys } from '../fields/mapping.ts'
import { isText, optional, textFields, textOf, trimmed } from '../fields/values.ts'
import { type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { type Entry, type Field, isNull, member } from '../yaml/value.ts'
import { eachOf, pagesOf } from './each.ts'
import type { WrittenExecutor } from './executor.ts'
import { type Around, mayRunCommands } from './executor-checks.ts'
import { stepFunctions } from './functions.ts'
import { lacksItems, parallelOf } from './parallel.ts'
import { preconditions } from './policies.ts'
import { type Work, workOf } from './work.ts'

/** A step on its way into the plan. */
export interface Draft {
  /** Position of the step. */
  field: Field
  /** Nameless and without dependencies at first. */
  step: Step
  /** What an automatic name begins with. */
  prefix: string
  nameField: Field
  idField: Field | undefined
  dependsField: Field | undefined
  /** Names and ids as written; undefined: no `depends`. */
  depends: Field[] | undefined
}

// D506, D515: `depends`, `continueOn` and `repeatPolicy` on a handler load with a warning
/**
 * @param key the step's key when steps are a map; it is its name
 * @returns undefined, with a problem, when the field is neither a map nor a command
 */
export function readStep(problems: Problems, field: Field, around: Around, key?: string): Draft | undefined {
  const { value } = field
  // `true` and `false` are programs; a number is a mistake.
  if (value.kind === 'scalar' && (typeof value.data === 'number' || typeof value.data === 'bigint')) {
    wrongValue(
      problems,
      field,
      'invalid step data, wanted a map or a command, found a number: in quotes it is a command'
    )
    return undefined
  }
  if (isText(field)) return draftOf(problems, field, new Map([['command', { ...field, name: 'command' }]]), around, key)
  if (value.kind !== 'map') {
    wrongValue(problems, field, 'invalid step data, wanted a map or a command')
    return undefined
  }
  for (const { key: name, value: written } of value.entries)
    if (isNull(written) && step.known.get(name.toLowerCase())?.name === 'parallel')
      lacksItems(problems, member(field, 'parallel', written))
  const fields = fieldsOf(problems, field, step, invalidStepKeys)
  return fields && draftOf(problems, field, fields, around, key)
}

function draftOf(problems: Problems, field: Field, fields: Fields, around: Around, key?: string): Draft {
  const work = workOf(problems, field, fields, around)
  const depends = fields.get('depends')
  const found = step.read(problems, fields, {
    name: key?.trim() ?? optional(problems, fields.get('name'), trimmed) ?? '',
    command: work.command,
    argv: work.argv,
    script: work.script,
    preconditions: () => mayRunCommands(problems, fields, preconditions(problems, fields), around),
    executor: executorFor(work),
    wait: work.wait,
    call: work.call,
    functions: () => stepFunctions(problems, fields.get('functions'), work),
    parallel: () => parallelOf(problems, fields, work),
    each: () => eachOf(problems, fields, work),
    depends: []
  })
  const repeat = pagesOf(found)
  if (repeat) found.repeat = repeat
  refuse(problems, field, fields, found, around)
  warnOfIdle(problems, field, fields, found, key)
  return {
    field,
    step: found,
    prefix: prefixOf(found, work.executor),
    nameField: fields.get('name') ?? member(field, 'name', field.value),
    idField: fields.get('id'),
    dependsField: depends,
    depends: depends && (textFields(problems, depends, 'depends must be a string or an array of strings') ?? [])
  }
}

/** The shell's, where the one that is written could not be read. */
const executorFor = ({ executor }: Work): StepExecutor =>
  executor
    ? { type: executor.type, config: executor.config, ...(executor.own && { own: executor.own }) }
    : { type: 'shell', config: {} }

/** Reports what the configuration does not allow, where it is written. */
function refuse(problems: Problems, field: Field, fields: Fields, { executor, repeat }: Step, around: Around): void {
  const refusal = around.refusal?.(executor.type)
  const places = ['executor', 'container', 'command', 'script'].flatMap((name) => fields.get(name) ?? [])
  const place = places[0] ?? field
  const fromBase = place.value.at < 0 ? ' (in the base file)' : ''
  if (refusal !== undefined) wrong(problems, place, refusal + fromBase)
  const { commandRefusal } = around
  if (commandRefusal && repeat?.condition && !repeat.condition.expected)
    wrong(problems, fields.get('repeatPolicy') ?? field, commandRefusal)
}

function prefixOf({ parallel, script, command, argv }: Step, executor: WrittenExecutor | undefined): string {
  if (parallel) return 'parallel'
  if (executor?.written) return executor.written
  if (script !== undefined) return 'script'
  return (command ?? argv) ? 'cmd' : 'step'
}

/** Fields that load and do nothing where they stand. @param key the step's, when steps are a map */
function warnOfIdle(
  problems: Problems,
  { path }: Field,
  fields: Fields,
  { executor: { type }, script }: Step,
  key?: string
): void {
  const named = fields.get('name')
  if (key !== undefined && named && textOf(named).trim() !== key.trim())
    problems.warn(`${path}.name: has no effect in a map of steps, where the key is the name`)
  if (fields.has('workerSelector')) problems.warn(`${path}.workerSelector: has no effect on a step, only on a workflow`)
  if (fields.has('params') && type !== 'dag' && type !== 'gha') {
    problems.warn(`${path}.params: has no effect on a step that neither calls a workflow nor is an action`)
  }
  if (type === 'shell' || type === 'dag') return // unused fields of a call are reported where calls are read
  const isRemoteScript = type === 'ssh' && script !== undefined
  if (fields.has('shell') && !isRemoteScript) {
    const what = type === 'ssh' ? 'a step over ssh without a script' : `a step of the executor ${type}`
    problems.warn(`${path}.shell: has no effect on ${what}`)
  }
  if (fields.has('shellPackages'))
    problems.warn(`${path}.shellPackages: has no effect on a step of the executor ${type}`)
}

/** A command that YAML has read as a map is reported as a command. */
const invalidStepKeys: UnknownKeys = (problems, field, unknown) => {
  const [{ key, keyAt, value }, ...others] = unknown as [Entry, ...Entry[]] // called when there is one
  const isCommand = /\s/.test(key) && field.value.kind === 'map' && field.value.entries.length === 1
  if (!isCommand || others.length > 0) return invalidKeys(step)(problems, field, unknown)
  const text = value.kind === 'scalar' ? `: '${shortened(`${key}: ${value.text}`.replaceAll("'", "''"))}'` : ''
  const hint = `(a text with ": " in it has to be quoted${text})`
  problems.add(`field '${field.path}': has invalid keys: ${shortened(key)} ${hint}`, field.path, keyAt)
}
