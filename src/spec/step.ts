/** One step, or one handler, as written. Source: definition-format "Step fields", execution-semantics 1.5.3, 4.1, 4.5.4. */
import type { Step } from '../../machines/vocabulary.ts'
import { params } from './declared-params.ts'
import { executorOf, type WrittenExecutor } from './executor.ts'
import { type Around, checkExecutor } from './executor-checks.ts'
import { expandStep } from './expand.ts'
import { env, onInterrupt, shell, signal } from './forms.ts'
import { type Fields, fieldsOf } from './mapping.ts'
import { parallel } from './parallel.ts'
import { continueOn, preconditions, retryPolicy } from './policies.ts'
import { lacking, type Problems, wrong, wrongValue } from './problems.ts'
import { repeatPolicy } from './repeat.ts'
import { type Field, member } from './value.ts'
import {
  filled,
  flag,
  isText,
  optional,
  seconds,
  text,
  textFields,
  textMap,
  textOf,
  texts,
  trimmed,
  words
} from './values.ts'

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
export function readStep(problems: Problems, field: Field, around: Around, key?: string): Draft | undefined {
  if (isText(field)) return draftOf(problems, field, new Map([['command', { ...field, name: 'command' }]]), around, key)
  if (field.value.kind !== 'map') {
    wrongValue(problems, field, 'invalid step data, wanted a map or a command')
    return undefined
  }
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
    preconditions: preconditions(problems, fields),
    continueOn: optional(problems, fields.get('continueOn'), continueOn),
    retry: optional(problems, fields.get('retryPolicy'), retryPolicy),
    env: optional(problems, fields.get('env'), env),
    timeoutMs: optional(problems, fields.get('timeoutSec'), seconds),
    signalOnStop: optional(problems, fields.get('signalOnStop'), signal),
    executor: work.executor && { type: work.executor.type, config: work.executor.config },
    repeat: optional(problems, fields.get('repeatPolicy'), repeatPolicy),
    call: work.call,
    params: optional(problems, fields.get('params'), params),
    parallel: optional(problems, fields.get('parallel'), parallel),
    mailOnError: optional(problems, fields.get('mailOnError'), flag),
    shellPackages: optional(problems, fields.get('shellPackages'), texts),
    workerSelector: optional(problems, fields.get('workerSelector'), textMap),
    onInterrupt: optional(problems, fields.get('onInterrupt'), onInterrupt)
  })
  warnOfIdle(problems, field, fields, step)
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

/** What does the work of a step, and what it is told. Without an executor: it is of no known type. */
interface Work extends Pick<Step, 'command' | 'argv' | 'script' | 'call'> {
  executor?: WrittenExecutor
}

function workOf(problems: Problems, field: Field, fields: Fields, around: Around): Work {
  const callField = fields.get('call') ?? fields.get('run')
  const call = optional(problems, callField, filled)
  const run = fields.get('run')
  if (run) problems.warn(`${run.path}: step field \`run\` is deprecated, use \`call\``)
  if (callField && isText(callField) && !call) wrong(problems, callField, 'the name of a workflow is required')

  const executorField = fields.get('executor')
  const executor = executorField
    ? executorOf(problems, executorField)
    : { ...defaultExecutor(callField !== undefined, around), config: {}, configField: field }
  const script = optional(problems, fields.get('script'), filled)
  const spoken = commandOf(problems, fields.get('command'), script, !executor || SCRIPTED.has(executor.type))
  const said = { ...spoken, ...(script !== undefined && { script }) }

  if (fields.has('parallel') && executor && executor.type !== 'dag') {
    const reason = "parallel execution is only supported for child-DAGs (must have 'run' field)"
    wrong(problems, fields.get('parallel') ?? field, reason)
  }
  if (callField && executor && executor.type !== 'dag') {
    wrong(problems, callField, `call and executor ${executor.type} are exclusive`)
  } else if (executor?.type === 'dag') {
    for (const name of ['command', 'script', 'args']) {
      const idle = (callField || name !== 'command') && fields.get(name)
      if (idle) problems.warn(`${idle.path}: has no effect on a step that calls a workflow`)
    }
    const target = call ?? said.command ?? said.argv?.join(' ')
    if (!callField && !fields.has('command')) lacking(problems, field, 'call', 'the name of a workflow is required')
    return { executor, ...(target !== undefined && { call: target }) }
  } else if (executor && !fields.has('container')) {
    checkExecutor(problems, { step: { ...said, executor }, field, commandField: fields.get('command'), around })
  }
  return { ...said, ...(executor && { executor }) }
}

/** Executors whose command of several lines is a script. */
const SCRIPTED: ReadonlySet<string> = new Set(['shell', 'docker', 'ssh'])

/** A shared container goes before a remote machine. */
function defaultExecutor(isCall: boolean, { hasContainer, hasSsh }: Around): Pick<WrittenExecutor, 'type' | 'written'> {
  if (isCall) return { type: 'dag', written: 'dag' }
  if (hasContainer) return { type: 'docker', written: 'container' }
  return hasSsh ? { type: 'ssh', written: 'ssh' } : { type: 'shell', written: '' }
}

function prefixOf({ parallel, script, command, argv }: Step, executor: WrittenExecutor | undefined): string {
  if (parallel) return 'parallel'
  if (executor?.written) return executor.written
  if (script !== undefined) return 'script'
  return (command ?? argv) ? 'cmd' : 'step'
}

/** Fields that load and do nothing where they stand. */
function warnOfIdle(problems: Problems, { path }: Field, fields: Fields, { executor: { type } }: Step): void {
  if (fields.has('workerSelector')) problems.warn(`${path}.workerSelector: has no effect on a step, only on a workflow`)
  if (fields.has('params') && type !== 'dag' && type !== 'gha') {
    problems.warn(`${path}.params: has no effect on a step that neither calls a workflow nor is an action`)
  }
}

/** A text of several lines is a script for executors that know scripts; a list is a program and its arguments. */
function commandOf(
  problems: Problems,
  field: Field | undefined,
  script: string | undefined,
  isScripted: boolean
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
  if (!isScripted || !line.includes('\n')) return { command: line }
  if (script !== undefined) wrong(problems, field, 'command with several lines and script are exclusive')
  return { script: textOf(field) }
}

/** The variable's name; a leading `$` is dropped. */
function outputName(problems: Problems, field: Field): string | undefined {
  const name = trimmed(problems, field)?.replace(/^\$/, '')
  return name || undefined
}
