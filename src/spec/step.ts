/** One step, or one handler, as written. Source: definition-format "Step fields", execution-semantics 1.5.3, 4.1, 4.5.4. */
import type { Step } from '../../machines/vocabulary.ts'
import { expandStep } from './expand.ts'
import { EXECUTOR_TYPES } from './fields.ts'
import { env, shell, signal } from './forms.ts'
import { type Fields, fieldsOf, invalidKey } from './mapping.ts'
import { continueOn, preconditions, retryPolicy } from './policies.ts'
import { type Problems, shortened, wrong, wrongValue } from './problems.ts'
import { type Field, member } from './value.ts'
import { filled, isText, optional, seconds, text, textFields, textOf, trimmed, words } from './values.ts'

/** A step on its way into the plan. */
export interface Draft {
  /** Where the step stands. */
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

/**
 * @param key the step's key when steps are a map; it is its name
 * @returns nothing, with a problem, when the field is neither a map nor a command
 */
export function readStep(problems: Problems, field: Field, key?: string): Draft | undefined {
  if (isText(field))
    return draftOf(problems, field, new Map([['command', { ...field, name: 'command' }]]), new Set(), key)
  if (field.value.kind !== 'map') {
    wrongValue(problems, field, 'invalid step data, wanted a map or a command')
    return undefined
  }
  const read = fieldsOf(problems, field, 'step')
  return read && draftOf(problems, field, read.fields, read.later, key)
}

/** Fields of a step that do its work instead of a command. */
const INSTEAD_OF_COMMAND = ['call', 'run', 'container']

function draftOf(problems: Problems, field: Field, fields: Fields, later: Set<string>, key?: string): Draft {
  const script = optional(problems, fields.get('script'), filled)
  const executor = executorOf(problems, fields.get('executor'))
  const command = commandOf(problems, fields.get('command'), script)
  const isShell = EXECUTOR_TYPES.supported.includes(executor) && !INSTEAD_OF_COMMAND.some((name) => later.has(name))
  if (isShell && !fields.has('command') && !script)
    wrong(problems, member(field, 'command', field.value), 'step command is required')
  const depends = fields.get('depends')
  const step = expandStep({
    name: key?.trim() ?? optional(problems, fields.get('name'), trimmed),
    id: optional(problems, fields.get('id'), trimmed) || undefined,
    description: optional(problems, fields.get('description'), text),
    command: command.command,
    argv: command.argv,
    args: optional(problems, fields.get('args'), words),
    script: command.script ?? script,
    shell: optional(problems, fields.get('shell'), shell),
    dir: optional(problems, fields.get('workingDir') ?? fields.get('dir'), filled),
    stdout: optional(problems, fields.get('stdout'), filled),
    stderr: optional(problems, fields.get('stderr'), filled),
    output: optional(problems, fields.get('output'), outputName),
    preconditions: preconditions(problems, fields),
    continueOn: optional(problems, fields.get('continueOn'), continueOn),
    retry: optional(problems, fields.get('retryPolicy'), retryPolicy),
    env: optional(problems, fields.get('env'), env),
    timeoutMs: optional(problems, fields.get('timeoutSec'), seconds),
    signalOnStop: optional(problems, fields.get('signalOnStop'), signal),
    executor: undefined,
    repeat: undefined,
    call: undefined,
    params: undefined,
    parallel: undefined,
    mailOnError: undefined,
    shellPackages: undefined,
    workerSelector: undefined,
    onInterrupt: undefined
  })
  return {
    field,
    step,
    prefix: executor || (step.script === undefined ? ((step.command ?? step.argv) ? 'cmd' : 'step') : 'script'),
    nameField: fields.get('name') ?? member(field, 'name', field.value),
    idField: fields.get('id'),
    dependsField: depends,
    depends: depends && (textFields(problems, depends, 'depends must be a string or an array of strings') ?? [])
  }
}

/** A text of several lines is a script; a list is a program and its arguments. */
function commandOf(
  problems: Problems,
  field: Field | undefined,
  script: string | undefined
): Pick<Step, 'command' | 'argv' | 'script'> {
  const parts = field && textFields(problems, field, 'must be a string or a list of strings')
  if (!field || !parts) return {}
  const argv = parts.map(textOf)
  const line = (argv[0] ?? '').trim()
  if (!line) {
    wrong(problems, field, 'step command is empty')
    return {}
  }
  if (field.value.kind === 'list') return { argv }
  if (!line.includes('\n')) return { command: line }
  if (script !== undefined) wrong(problems, field, 'command with several lines and script are exclusive')
  return { script: textOf(field) }
}

/** The type as written; empty when there is none. */
function executorOf(problems: Problems, field: Field | undefined): string {
  const isMap = field?.value.kind === 'map'
  const found =
    field && isMap ? fieldsOf(problems, field, 'executor', invalidKey('executor'))?.fields.get('type') : field
  const type = optional(problems, found, trimmed) ?? ''
  if (!field || !found || EXECUTOR_TYPES.supported.includes(type)) return type
  if (EXECUTOR_TYPES.later.includes(type)) problems.add(`not supported yet: ${field.path}`, field.path, found.value.at)
  else wrong(problems, found, `executor type "${shortened(type)}" is not registered`)
  return type
}

/** The variable's name; a leading `$` is dropped. */
function outputName(problems: Problems, field: Field): string | undefined {
  const name = trimmed(problems, field)?.replace(/^\$/, '')
  return name || undefined
}
