/** One step, or one handler, as written. Source: definition-format "Step fields", execution-semantics 1.5.3, 4.1, 4.5.4. */
import type { Step } from '../../../machines/vocabulary.ts'
import { stepParams } from '../dag/declared-params.ts'
import { expandStep } from '../expand.ts'
import { knownField } from '../fields/fields.ts'
import { env, onInterrupt, onMissing, shell, signal } from '../fields/forms.ts'
import { type Fields, fieldsOf } from '../fields/mapping.ts'
import {
  filled,
  flag,
  isText,
  optional,
  seconds,
  selector,
  text,
  textFields,
  textOf,
  texts,
  trimmed,
  words
} from '../fields/values.ts'
import { type Problems, wrong, wrongValue } from '../problems.ts'
import { type Field, isNull, member } from '../yaml/value.ts'
import { each } from './each.ts'
import type { WrittenExecutor } from './executor.ts'
import { type Around, mayRunCommands } from './executor-checks.ts'
import { stepFunctions } from './functions.ts'
import { lacksItems, parallel } from './parallel.ts'
import { continueOn, preconditions, retryPolicy } from './policies.ts'
import { repeatPolicy } from './repeat.ts'
import { workOf } from './work.ts'

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

// D506, D515
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
    if (isNull(written) && knownField('step', name)?.name === 'parallel')
      lacksItems(problems, member(field, 'parallel', written))
  const fields = fieldsOf(problems, field, 'step')
  return fields && draftOf(problems, field, fields, around, key)
}

function draftOf(problems: Problems, field: Field, fields: Fields, around: Around, key?: string): Draft {
  const work = workOf(problems, field, fields, around)
  const depends = fields.get('depends')
  const step = expandStep({
    name: key?.trim() ?? optional(problems, fields.get('name'), trimmed),
    id: optional(problems, fields.get('id'), trimmed) || undefined,
    description: optional(problems, fields.get('description'), text),
    command: work.command,
    argv: work.argv,
    args: optional(problems, fields.get('args'), words),
    script: work.script,
    shell: optional(problems, fields.get('shell'), shell),
    dir: optional(problems, fields.get('workingDir') ?? fields.get('dir'), filled),
    stdout: optional(problems, fields.get('stdout'), filled),
    stderr: optional(problems, fields.get('stderr'), filled),
    output: optional(problems, fields.get('output'), outputName),
    preconditions: mayRunCommands(problems, fields, preconditions(problems, fields), around),
    continueOn: optional(problems, fields.get('continueOn'), continueOn),
    retry: optional(problems, fields.get('retryPolicy'), retryPolicy),
    env: optional(problems, fields.get('env'), env),
    timeoutMs: optional(problems, fields.get('timeoutSec'), seconds),
    signalOnStop: optional(problems, fields.get('signalOnStop'), signal),
    executor: work.executor && {
      type: work.executor.type,
      config: work.executor.config,
      ...(work.executor.own && { own: work.executor.own })
    },
    repeat: optional(problems, fields.get('repeatPolicy'), repeatPolicy),
    wait: work.wait,
    call: work.call,
    params: optional(problems, fields.get('params'), stepParams),
    parallel: optional(problems, fields.get('parallel'), parallel),
    mailOnError: optional(problems, fields.get('mailOnError'), flag),
    shellPackages: optional(problems, fields.get('shellPackages'), texts),
    workerSelector: optional(problems, fields.get('workerSelector'), selector),
    onInterrupt: optional(problems, fields.get('onInterrupt'), onInterrupt),
    onMissing: optional(problems, fields.get('onMissing'), onMissing),
    cleanUpMs: optional(problems, fields.get('maxCleanUpTimeSec'), seconds) || undefined,
    functions: stepFunctions(problems, fields.get('functions'), work),
    each: each(problems, fields, work)
  })
  refuse(problems, field, fields, step, around)
  warnOfIdle(problems, field, fields, step, key)
  return {
    field,
    step,
    prefix: prefixOf(step, work.executor),
    nameField: fields.get('name') ?? member(field, 'name', field.value),
    idField: fields.get('id'),
    dependsField: depends,
    depends: depends && (textFields(problems, depends, 'depends must be a string or an array of strings') ?? [])
  }
}

/** What the configuration does not allow, where it is written. */
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

/** The variable's name; a leading `$` is dropped. */
function outputName(problems: Problems, field: Field): string | undefined {
  const name = trimmed(problems, field)?.replace(/^\$/, '')
  return name || undefined
}
