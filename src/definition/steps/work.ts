/** The work of a step: executor and command. Source: execution-semantics 4.1, 9.1, 10. */
import type { Step } from '../../../machines/vocabulary.ts'
import type { Fields } from '../fields/level.ts'
import { filled, isText, optional, textFields, textOf } from '../fields/values.ts'
import { lacking, type Problems, wrong } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import { executorOf, type WrittenExecutor } from './executor.ts'
import { type Around, checkExecutor } from './executor-checks.ts'
import { stepContainer } from './step-container.ts'
import { waitOf } from './waits.ts'

/** Without an executor: it is of no known type. */
export interface Work extends Pick<Step, 'command' | 'argv' | 'script' | 'call' | 'wait'> {
  executor?: WrittenExecutor
}

// D518: a multi-line `command` is a script for shell, docker and ssh
/** Reads `command`, `script`, `call`, `run` and `executor`, and checks that they fit each other. */
export function workOf(problems: Problems, field: Field, fields: Fields, around: Around): Work {
  const callField = fields.get('call') ?? fields.get('run')
  const call = optional(problems, callField, filled)
  const run = fields.get('run')
  if (run) problems.warn(`${run.path}: step field \`run\` is deprecated, use \`call\``)
  if (callField && isText(callField) && !call) wrong(problems, callField, 'the name of a workflow is required')

  const executorField = fields.get('executor')
  const containerField = fields.get('container')
  for (const other of ['executor', 'call', 'run']) {
    if (containerField && fields.has(other)) wrong(problems, containerField, `container and ${other} are exclusive`)
  }
  const executor = executorField
    ? executorOf(problems, executorField, around.custom)
    : containerField && !callField
      ? stepContainer(problems, containerField)
      : { config: {}, configField: field, ...defaultExecutor(callField !== undefined, around) }
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
    for (const name of ['command', 'script', 'args', 'shell', 'shellPackages']) {
      const idle = (callField || name !== 'command') && fields.get(name)
      if (idle) problems.warn(`${idle.path}: has no effect on a step that calls a workflow`)
    }
    const target = call ?? said.command ?? said.argv?.join(' ')
    if (!callField && !fields.has('command')) lacking(problems, field, 'call', 'the name of a workflow is required')
    return { executor, ...(target !== undefined && { call: target }) }
  } else if (executor && !containerField) {
    const [commandField, hasArgs] = [fields.get('command'), fields.has('args')]
    checkExecutor(problems, { step: { ...said, executor }, hasArgs, field, commandField, around })
    const wait = waitOf(problems, field, fields, executor)
    if (wait) return { executor, wait }
  }
  return { ...said, ...(executor && { executor }) }
}

/** Executors whose command of several lines is a script. */
const SCRIPTED: ReadonlySet<string> = new Set(['shell', 'docker', 'ssh'])

/** A shared container takes precedence over a remote machine. */
function defaultExecutor(isCall: boolean, { hasContainer, hasSsh }: Around): Pick<WrittenExecutor, 'type' | 'written'> {
  if (isCall) return { type: 'dag', written: 'dag' }
  if (hasContainer) return { type: 'docker', written: 'container' }
  return hasSsh ? { type: 'ssh', written: 'ssh' } : { type: 'shell', written: '' }
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
