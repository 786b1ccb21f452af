/**
 * Requirements of each executor for a step, as far as they can be checked before expansion: a text with variables may expand to a
 * valid value. Source: definition-format "Executors", execution-semantics 9.1.5, 10.
 */
import type { Condition, Json, Step } from '../../../machines/vocabulary.ts'
import { messageOf } from '../../errors.ts'
import type { CustomType, CustomTypes, Setting, WrittenStep } from '../fields/custom-types.ts'
import type { ExecutorType } from '../fields/executor-types.ts'
import { ANY, type Form, PAIRS, TEXT, TEXTS, WEAK_FLAG, WEAK_NUMBER } from '../fields/field-forms.ts'
import { CONFIGS } from '../fields/fields-executor.ts'
import { fits } from '../fields/fits.ts'
import type { Fields } from '../fields/level.ts'
import { lacking, type Problems, wrong, wrongValue } from '../problems.ts'
import { type Field, isNull, member, nullAt } from '../yaml/value.ts'
import { actionReference, REFERENCE_REASON } from './action-reference.ts'
import type { WrittenExecutor } from './executor.ts'

/** The definition around a step. */
export interface Around {
  hasContainer: boolean
  hasSsh: boolean
  /** Executors of the host application. */
  custom: CustomTypes
  /** Why the configuration does not allow steps of a type, as a clause. Absent: it allows all. */
  refusal?: (type: string) => string | undefined
  /** Why the configuration does not allow commands of conditions, as a clause. */
  commandRefusal?: string | undefined
}

/** The parts of a step that are checked, with their positions. */
export interface Checked {
  step: Pick<Step, 'command' | 'argv' | 'script'> & { executor: WrittenExecutor }
  /** The command of the step goes on in `args`. */
  hasArgs: boolean
  field: Field
  commandField: Field | undefined
  around: Around
}

// D517: executor settings are checked when the definition is read
/** Reports what a step lacks for its executor. */
export function checkExecutor(problems: Problems, checked: Checked): void {
  const { executor } = checked.step
  const custom = checked.around.custom.get(executor.type)
  if (custom && !answersParams(checked)) checkCustom(problems, checked, custom)
  if (custom && executor.type !== 'function') return
  const type = executor.type as ExecutorType // of no other kind are those that are not custom
  checkConfig(problems, type, executor)
  CHECKS[type]?.(problems, checked)
}

/** The step's params are those that a function of the host application answers when the step runs. */
const answersParams = ({ step, field: { value } }: Checked): boolean => {
  const functions = value.kind === 'map' ? value.entries.find(({ key }) => key === 'functions')?.value : undefined
  return (
    step.executor.type === 'function' &&
    functions?.kind === 'map' &&
    functions.entries.some(({ key, value }) => key === 'params' && !isNull(value))
  )
}

const SETTINGS: Record<Setting['is'], Form> = {
  text: TEXT,
  flag: WEAK_FLAG,
  number: WEAK_NUMBER,
  texts: TEXTS,
  map: PAIRS,
  any: ANY
}

function checkCustom(problems: Problems, { step, field }: Checked, custom: CustomType): void {
  const { config: settings = {} } = custom
  const { config, configField } = step.executor
  for (const [name, { is, required = false }] of Object.entries(settings)) {
    const setting = settingOf(config, name)
    const { schema, label } = SETTINGS[is]
    if (!isSet(setting)) {
      if (required) lacking(problems, configField, name, `is required by the executor ${step.executor.type}`)
    } else if (setting !== undefined && !fits(setting, schema))
      wrongValue(problems, fieldOf(configField, name), `must be: ${label}`)
  }
  const { command, argv, script } = step
  const written = {
    ...(command === undefined ? {} : { command }),
    ...(argv === undefined ? {} : { argv }),
    ...(script === undefined ? {} : { script }),
    config
  }
  for (const sentence of ownProblems(custom, step.executor.type, written)) wrong(problems, field, sentence)
}

/** The checks of the host application. An exception in one is a problem of this step, not of the reader. */
function ownProblems(custom: CustomType, type: string, written: WrittenStep): readonly string[] {
  try {
    const sentences: unknown = custom.validate?.(written) ?? []
    if (Array.isArray(sentences) && sentences.every((sentence) => typeof sentence === 'string')) return sentences
    return [`the executor ${type} could not check it: wanted a list of sentences from its validate`]
  } catch (error) {
    return [`the executor ${type} could not check it: ${messageOf(error)}`]
  }
}

/** Reports conditions that are commands where the configuration allows none. Gives them back. */
export function mayRunCommands(
  problems: Problems,
  fields: Fields,
  conditions: Condition[],
  { commandRefusal }: Around
): Condition[] {
  const field = fields.get('preconditions') ?? fields.get('precondition')
  if (commandRefusal && field && conditions.some(({ expected }) => !expected)) wrong(problems, field, commandRefusal)
  return conditions
}

type Check = (problems: Problems, checked: Checked) => void

/** Formats of the archive executor, in any case and with an optional dot. */
const ARCHIVE_FORMAT = /^\.?(?:zip|tar(?:\.(?:gz|bz2|xz|zst))?|t(?:gz|bz2?|xz|zst)|gz|bz2|xz|zst|lz4)?$/i
const FORMATS = 'zip, tar, tar.gz, tar.bz2, tar.xz, tar.zst, gz, bz2, xz, zst, lz4'

const needsWork: Check = (problems, { step, field, commandField }) => {
  if (!commandField && !step.script) lacking(problems, field, 'command', 'step command is required')
}

const CHECKS: Readonly<Partial<Record<ExecutorType, Check>>> = {
  shell: needsWork,
  docker(problems, { step: { executor }, around }) {
    if (around.hasContainer) return
    const { configField, config } = executor
    const hasName = isSet(settingOf(config, 'containerName'))
    if (!hasName && !isSet(settingOf(config, 'image'))) {
      wrong(problems, configField, 'containerName or image must be specified')
    } else if (!hasName && isSet(settingOf(config, 'exec'))) {
      wrong(problems, configField, "'exec' options require 'containerName' (exec-in-existing mode)")
    }
  },
  ssh(problems, checked) {
    const { config, configField } = checked.step.executor
    if (Object.keys(config).length === 0) {
      if (!checked.around.hasSsh) wrong(problems, configField, 'ssh configuration is not found')
    } else if (!isSet(settingOf(config, 'host')) && !isSet(settingOf(config, 'ip'))) {
      lacking(problems, configField, 'host', 'ssh host is required')
    }
    needsWork(problems, checked)
  },
  http(problems, checked) {
    const text = commandText(checked.step)
    if (isOpen(text) || checked.hasArgs) return
    const address = /^[a-z]+\s+(\S+)$/i.exec(text)?.[1]
    if (address === undefined) atCommand(problems, checked, 'http executor requires "<METHOD> <URL>"')
    else if (!isHttpUrl(unquoted(address)))
      atCommand(problems, checked, 'http executor requires a URL that begins with http:// or https://')
  },
  archive(problems, checked) {
    const operation = commandText(checked.step)
    const { config, configField } = checked.step.executor
    const isCreate = /^create$/i.test(operation)
    if (!isCreate && !/^(?:extract|list)$/i.test(operation) && !isOpen(operation)) {
      atCommand(problems, checked, 'archive executor requires the command extract, create or list')
    }
    if (!isSet(settingOf(config, 'source'))) lacking(problems, configField, 'source', 'archive source is required')
    const isDry = String(settingOf(config, 'dryRun')) === 'true'
    if (isCreate && !isDry && !isSet(settingOf(config, 'destination'))) {
      lacking(problems, configField, 'destination', 'archive destination is required for create')
    }
    const format = settingOf(config, 'format')
    if (isCreate && typeof format === 'string' && !isOpen(format) && !ARCHIVE_FORMAT.test(format))
      wrongValue(problems, fieldOf(configField, 'format'), `archive executor requires one of ${FORMATS}`)
  },
  mail(problems, { step: { executor } }) {
    const to = settingOf(executor.config, 'to')
    if (![to].flat().some(isSet)) lacking(problems, executor.configField, 'to', 'no valid recipients specified')
  },
  jq(problems, checked) {
    if (!commandText(checked.step)) atCommand(problems, checked, 'jq executor requires a filter')
  },
  function(problems, { step, field, commandField, hasArgs }) {
    const { config, configField } = step.executor
    const name = settingOf(config, 'name')
    if (!isSet(name)) lacking(problems, configField, 'name', 'the name of a function is required')
    else if (typeof name === 'string' && isOpen(name))
      wrongValue(problems, fieldOf(configField, 'name'), 'must be the name itself, without variables')
    if (commandField || step.script !== undefined || hasArgs)
      wrong(problems, commandField ?? field, 'a function has params, and no command, args or script')
  },
  gha(problems, checked) {
    const text = commandText(checked.step)
    if (!isOpen(text) && !actionReference(text)) atCommand(problems, checked, REFERENCE_REASON)
  }
}

const commandText = ({ command, argv }: Checked['step']): string => (command ?? argv?.join(' ') ?? '').trim()

const isHttpUrl = (text: string): boolean => /^https?:/i.test(text) && URL.canParse(text)
const unquoted = (text: string): string => /^(["'])(.*)\1$/.exec(text)?.[2] ?? text

/** Whether a text has variables or commands in it. */
const isOpen = (text: string): boolean => /[$`]/.test(text)

/** At the command, or where it is missing. */
function atCommand(problems: Problems, { field, commandField }: Checked, reason: string): void {
  if (commandField) wrongValue(problems, commandField, reason)
  else lacking(problems, field, 'command', reason)
}

/** A setting by its name in any case. */
function settingOf(config: { [key: string]: Json }, name: string): Json | undefined {
  const wanted = name.toLowerCase()
  return Object.entries(config).find(([key]) => key.toLowerCase() === wanted)?.[1]
}

const isSet = (value: Json | undefined): boolean =>
  value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '')

function checkConfig(problems: Problems, type: ExecutorType, { config, configField }: WrittenExecutor): void {
  for (const { name, form } of CONFIGS[type]?.rows ?? []) {
    const setting = settingOf(config, name)
    if (setting === undefined || setting === null || fits(setting, form.schema)) continue
    wrongValue(problems, fieldOf(configField, name), `must be: ${form.label}`)
  }
}

/** A setting with its position. */
function fieldOf(configField: Field, name: string): Field {
  const { value } = configField
  const entry =
    value.kind === 'map' ? value.entries.find(({ key }) => key.toLowerCase() === name.toLowerCase()) : undefined
  return member(configField, name, entry?.value ?? nullAt(value.at))
}
