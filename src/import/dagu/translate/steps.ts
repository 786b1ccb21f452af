/** Steps of 1.24 to 2.x: what they run, in the words of this format. */
import { isMap, isScalar, isSeq, Scalar } from 'yaml'
import { executorType } from '../../../definition/fields/executor-types.ts'
import { knownField } from '../../../definition/fields/fields.ts'
import { translateAction, translateType } from './actions.ts'
import { cureOf, sayForeign } from './cures.ts'
import { renameAt } from './names.ts'
import { drop, type Entry, entryOf, mapIn, nameOf, type Pen, put, textIn, type YamlMap } from './pen.ts'

/** Every step of a definition: of a list of steps and groups, or of a map by name. */
export function translateSteps(pen: Pen, dag: YamlMap): void {
  const below = (value: unknown, path: string): void => {
    if (isSeq(value)) for (const [index, item] of value.items.entries()) below(item, `${path}[${index}]`)
    else if (isMap(value)) translateStep(pen, value as YamlMap, path)
  }
  const steps = entryOf(dag, 'steps')?.value
  if (!isMap(steps)) {
    nameById(pen, steps)
    below(steps, 'steps')
  } else for (const entry of (steps as YamlMap).items) below(entry.value, `steps.${nameOf(entry)}`)
}

export function translateStep(pen: Pen, step: YamlMap, path: string): void {
  renameAt(pen, step, 'step')
  translateAction(pen, step, path)
  translateRun(pen, step, path)
  translateExec(pen, step)
  translateType(pen, step, path)
  translateList(pen, step)
  translateContinue(pen, step)
  translateOutput(pen, step, path)
  translateStreams(pen, step, path)
  sayValues(pen, step, path)
  sayForeign(pen, step, 'step', path)
  const args = entryOf(step, 'shellArgs')
  if (args) joinShell(pen, step, args)
}

/** `stdout: {outputs: ...}` of 2.x. */
function translateStreams(pen: Pen, step: YamlMap, path: string): void {
  for (const name of ['stdout', 'stderr']) {
    const entry = entryOf(step, name)
    if (entry && isMap(entry.value))
      pen.say(
        'left',
        entry.key,
        `${name} as a map has no counterpart here`,
        `write a file: ${name}: FILE, or capture what is printed: output: NAME`,
        `${path}.${name}`
      )
  }
}

/** Values of keys that are known here, without a counterpart. */
function sayValues(pen: Pen, step: YamlMap, path: string): void {
  const executor = entryOf(step, 'executor')
  const map = mapIn(executor)
  const type = map ? textIn(entryOf(map, 'type')) : textIn(executor)
  if (executor && type !== undefined && !executorType(type))
    pen.say(
      'left',
      executor.key,
      `an executor of type ${type} has no counterpart here`,
      cureOf(type),
      `${path}.executor`
    )
  const selector = entryOf(step, 'workerSelector')
  if (selector && textIn(selector) === 'local') {
    drop(step, selector)
    pen.say('translated', selector.key, 'workerSelector: local is left out')
  }
  sayEval(pen, step, `${path}.`)
}

/** Preconditions that are expressions of 2.x. @param prefix of the path */
export function sayEval(pen: Pen, map: YamlMap, prefix: string): void {
  for (const name of ['preconditions', 'precondition']) {
    const entry = entryOf(map, name)
    const conditions = isSeq(entry?.value) ? entry.value.items : [entry?.value]
    if (conditions.some((one) => isMap(one) && one.has('eval')))
      pen.say(
        'left',
        entry?.key,
        'a precondition with eval has no counterpart here',
        'write condition: a command that must exit 0, such as test',
        `${prefix}${name}`
      )
  }
}

// D1692: a step with an id alone has it as its name
/** The name that 2.x gives such a step, and that its users know. */
function nameById(pen: Pen, steps: unknown): void {
  const found: Entry[] = []
  const below = (value: unknown): void => {
    if (isSeq(value)) for (const item of value.items) below(item)
    if (!isMap(value)) return
    const step = value as YamlMap
    const id = entryOf(step, 'id')
    if (!id || textIn(id) === undefined || entryOf(step, 'name')) return
    step.items.splice(step.items.indexOf(id), 0, pen.document.createPair('name', textIn(id)))
    found.push(id)
  }
  below(steps)
  const [first] = found
  if (first)
    pen.say(
      'translated',
      first.key,
      `${found.length === 1 ? 'the step' : `${found.length} steps`} with an id and no name: the id is the name, too`
    )
}

const WORD = /^[A-Za-z0-9_.-]+$/

// D1502: `run` is a command unless a workflow has that name
/** `run` is a command since 2.7, and the old name of `call` before. */
function translateRun(pen: Pen, step: YamlMap, path: string): void {
  const entry = entryOf(step, 'run')
  if (!entry) return
  const text = textIn(entry)
  const options = entryOf(step, 'with')
  if (text !== undefined && pen.release !== 'new') {
    const name = text.trim()
    const isKnown = pen.locals.has(name) || pen.isDefinition(name)
    const unsure = pen.release === undefined
    if (isKnown && unsure)
      pen.say(
        'note',
        entry.key,
        `run: ${name} is read as the call of the workflow ${name}, as before release 2.7; since then it is a command`,
        'say the release with --from VERSION, or write call or command'
      )
    if (isKnown || /\.ya?ml$/.test(name)) return
    if (WORD.test(name)) {
      const advice = unsure
        ? `say the release with --from VERSION, or write command: ${name} if it is one`
        : `write command: ${name} if it is one`
      pen.say('note', entry.key, `run: ${name} is read as the call of a workflow, and none has this name`, advice)
      return
    }
  }
  becomeCommand(pen, step, entry, 'run')
  const settings = mapIn(options)
  // Beside a type they are the settings of that.
  if (!settings || entryOf(step, 'type')) return
  drop(step, options)
  renameAt(pen, settings, 'step')
  for (const setting of settings.items) {
    const name = nameOf(setting)
    put(pen, step, name, setting.value)
    if (knownField('step', name)) pen.say('translated', setting.key, `with.${name} is ${name} of the step`)
    else pen.say('left', setting.key, `with.${name} of run has no counterpart here`, 'leave it out', `${path}.${name}`)
  }
}

function becomeCommand(pen: Pen, step: YamlMap, entry: Entry, before: string): void {
  const { value } = entry
  if (isSeq(value)) {
    put(pen, step, 'script', scriptOf(value.items), entry)
    pen.say('translated', entry.key, `${before} with several commands is a script that ends at the first failure`)
    return
  }
  const text = isScalar(value) ? String(value.value) : ''
  pen.rename(entry, text.trim().includes('\n') ? 'script' : 'command')
}

function scriptOf(commands: readonly unknown[]): Scalar {
  const lines = commands.map((one) => String(isScalar(one) ? one.value : one))
  const script = new Scalar(['set -e', ...lines, ''].join('\n'))
  script.type = 'BLOCK_LITERAL'
  return script
}

/** A list of `command` is several commands since 1.24, and a program with its arguments before and here. */
function translateList(pen: Pen, step: YamlMap): void {
  const entry = entryOf(step, 'command')
  if (!entry || !isSeq(entry.value) || entryOf(step, 'executor')) return
  const [first] = entry.value.items
  const text = String(isScalar(first) ? first.value : '')
  if (/\s/.test(text.trim())) becomeCommand(pen, step, entry, 'command')
}

function translateExec(pen: Pen, step: YamlMap): void {
  const entry = entryOf(step, 'exec')
  const map = mapIn(entry)
  const program = map && entryOf(map, 'command')
  if (!entry || !map || !program) return
  const args = entryOf(map, 'args')?.value
  put(pen, step, 'command', [program.value, ...(isSeq(args) ? args.items : [])], entry)
  pen.say('translated', entry.key, 'exec is command as a list')
}

/** `continue_on: failed` of 2.x. */
export function translateContinue(pen: Pen, step: YamlMap): void {
  const entry = entryOf(step, 'continueOn')
  const text = textIn(entry)
  if (!entry || text === undefined) return
  const name = { failed: 'failure', failure: 'failure', skipped: 'skipped' }[text]
  if (!name) return
  put(pen, step, 'continueOn', { [name]: true }, entry)
  pen.say('translated', entry.key, `continueOn ${text} is {${name}: true}`)
}

/** `output: {name: X}` of 1.24 to 2.x. */
function translateOutput(pen: Pen, step: YamlMap, path: string): void {
  const entry = entryOf(step, 'output')
  const map = mapIn(entry)
  if (!entry || !map) return
  const name = textIn(entryOf(map, 'name'))
  const isName = name !== undefined && !map.items.some((one) => nameOf(one) === 'from')
  if (!isName) {
    pen.say(
      'left',
      entry.key,
      'an output of several members has no counterpart',
      'capture all of stdout: output: NAME, and use ${NAME.member}',
      `${path}.output`
    )
    return
  }
  for (const other of map.items)
    if (nameOf(other) !== 'name')
      pen.say('left', other.key, `output.${nameOf(other)} has no counterpart`, 'the whole output is captured')
  put(pen, step, 'output', name, entry)
  pen.say('translated', entry.key, `output with the name ${name} is output: ${name}`)
}

/** `shell_args` of 2.x are further words of `shell`. */
export function joinShell(pen: Pen, map: YamlMap, args: Entry): void {
  const shell = entryOf(map, 'shell')
  if (!shell || !isSeq(args.value)) return
  const before = isSeq(shell.value) ? shell.value.items : String(textIn(shell) ?? '').split(/\s+/)
  put(pen, map, 'shell', [...before, ...args.value.items], shell)
  pen.say('translated', args.key, 'shell_args are further words of shell')
  drop(map, args)
}
