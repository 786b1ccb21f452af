/** Steps of the types `signal`, `approval` and `sleep`: what they wait for, and which fields they cannot have. Source: embedding 1, 2.5. */
import { hasOpenTexts, SLEEP_FORM, wakeAt } from '../../../machines/policy/waits.ts'
import type { Json, Wait } from '../../../machines/vocabulary.ts'
import { didYouMeanInBrackets } from '../../nearest.ts'
import { CONFIGS } from '../fields/fields-executor.ts'
import type { Fields } from '../fields/level.ts'
import { lacking, type Problems, wrong, wrongValue } from '../problems.ts'
import { type Field, isNull, member, toJson, type Value } from '../yaml/value.ts'
import type { WrittenExecutor } from './executor.ts'

const KINDS: ReadonlySet<string> = new Set<Wait['kind']>(['signal', 'approval', 'sleep'])
const isKind = (type: string): type is Wait['kind'] => KINDS.has(type)

/** Bytes of a schema as JSON. */
const MAX_SCHEMA = 64 * 1024
const MAX_ASK = 2_000

/** There is nothing that could be executed, tried again or repeated. */
const WITHOUT = ['command', 'script', 'args', 'retryPolicy', 'repeatPolicy', 'signalOnStop', 'onInterrupt'] as const
const IDLE = ['stdout', 'stderr'] as const

// D1070: waits are executor types without an executor; what they cannot have is refused
/** The wait of a step; undefined: the step is of another type. Its config has been checked by its rows. */
export function waitOf(problems: Problems, field: Field, fields: Fields, executor: WrittenExecutor): Wait | undefined {
  const { type, configField } = executor
  if (!isKind(type)) return undefined
  for (const name of WITHOUT) {
    const found = fields.get(name)
    if (found) wrong(problems, found, `a step of the type ${type} executes nothing, so it cannot have ${name}`)
  }
  for (const name of IDLE) {
    const found = fields.get(name)
    if (found) problems.warn(`${found.path}: has no effect on a step of the executor ${type}`)
  }
  const config = settingsOf(problems, type, executor)
  const wait: Wait = { kind: type }
  const ask = textIn(config.get('ask'))
  if (ask !== undefined) wait.ask = ask
  if (ask !== undefined && ask.length > MAX_ASK)
    wrong(problems, config.get('ask') ?? configField, `is longer than ${MAX_ASK} characters`)
  const onTimeout = textIn(config.get('onTimeout'))
  if (onTimeout === 'skip' || onTimeout === 'succeed') wait.onTimeout = onTimeout
  if (onTimeout !== undefined && !fields.has('timeoutSec'))
    problems.warn(`${config.get('onTimeout')?.path}: has no effect without timeoutSec, a field of the step`)
  if (textIn(config.get('onRefusal')) === 'succeed') wait.onRefusal = 'succeed'
  const schema = config.get('payloadSchema')
  if (schema?.value.kind === 'map') wait.payloadSchema = schemaIn(problems, schema)
  if (type === 'sleep') sleepIn(problems, field, fields, config, wait)
  return wait
}

function sleepIn(problems: Problems, field: Field, fields: Fields, config: Map<string, Field>, wait: Wait): void {
  const timeout = fields.get('timeoutSec')
  if (timeout) wrong(problems, timeout, 'a sleep ends by itself, so it cannot have timeoutSec')
  const written = config.get('for')
  const text = textIn(written)
  if (namesDuration(fields) && text === undefined) return
  if (!written || text === undefined) {
    lacking(problems, field, 'executor.config.for', `is required: ${SLEEP_FORM}`)
    return
  }
  wait.for = text
  if (!hasOpenTexts(wait) && wakeAt(text, 0) === undefined) wrongValue(problems, written, `must be: ${SLEEP_FORM}`)
}

/** Settings by their names in the table; unknown ones are refused, since a wait with a misspelt limit would last for ever. */
function settingsOf(
  problems: Problems,
  type: Wait['kind'],
  { config, configField }: WrittenExecutor
): Map<string, Field> {
  const rows = CONFIGS[type]?.rows ?? []
  const found = new Map<string, Field>()
  // Without a config its field is the executor itself.
  if (configField.value.kind !== 'map' || Object.keys(config).length === 0) return found
  for (const { key, value } of configField.value.entries) {
    const row = rows.find(({ name }) => name.toLowerCase() === key.toLowerCase())
    const setting = member(configField, row?.name ?? key, value)
    if (row) {
      if (!isNull(value)) found.set(row.name, setting)
    } else if (key.toLowerCase() === 'timeoutsec') wrong(problems, setting, 'is a field of the step, beside executor')
    else
      wrong(
        problems,
        setting,
        `the type ${type} has no such setting${didYouMeanInBrackets(
          key,
          rows.map(({ name }) => name)
        )}`
      )
  }
  return found
}

const textIn = (field: Field | undefined): string | undefined =>
  field?.value.kind === 'scalar' ? field.value.text : undefined

/** Numbers as they are: in a schema `1.0` is no text. */
function schemaIn(problems: Problems, field: Field & { value: Value }): { [key: string]: Json } {
  const text = toJson(field.value)
  if (Buffer.byteLength(text) > MAX_SCHEMA) {
    wrong(problems, field, `is larger than ${MAX_SCHEMA / 1024} KiB as JSON`)
    return {}
  }
  return JSON.parse(text)
}

/** A function of the host application says how long. */
const namesDuration = (fields: Fields): boolean => {
  const value = fields.get('functions')?.value
  return value?.kind === 'map' && value.entries.some(({ key }) => key === 'for')
}
