/**
 * The forms a field's value may have, each with its name for people, its JSON Schema and its reader. Data for the tables of fields.
 * Source: execution-semantics 1.7.
 */
import { MOST_PRIORITY } from '../../../machines/policy/admission.ts'
import type { EnvEntry, Json } from '../../../machines/vocabulary.ts'
import { backoff, env } from './forms.ts'
import {
  count,
  exitCodes,
  filled,
  flag,
  integer,
  MAX_SECONDS,
  named,
  port,
  priority,
  type Read,
  seconds,
  text,
  textMap,
  texts,
  wordOf,
  words
} from './values.ts'

/** The part of JSON Schema (draft 2020-12) that the forms are written in. */
export interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: Json[]
  const?: Json
  pattern?: string
  maxLength?: number
  minimum?: number
  maximum?: number
  exclusiveMinimum?: number
  items?: Schema
  minItems?: number
  properties?: Record<string, Schema>
  patternProperties?: Record<string, Schema>
  additionalProperties?: boolean | Schema
  required?: string[]
  anyOf?: Schema[]
  allOf?: Schema[]
  not?: Schema
  if?: Schema
  then?: Schema
  description?: string
  default?: Json
  examples?: Json[]
  deprecated?: boolean
}

export interface Form<T = unknown> {
  /** The name in the manual. */
  label: string
  schema: Schema
  /** Absent: the code of the level reads it. */
  read?: Read<T>
}

const SCALAR: Schema = { type: ['string', 'number', 'boolean'] }
const listOf = (items: Schema): Schema => ({ type: 'array', items })
const oneOrMore = (items: Schema): Schema => ({ anyOf: [items, listOf(items)] })

/** Any scalar is text, as it is written. */
export const TEXT: Form<string> = { label: 'text', schema: SCALAR, read: text }
/** An empty one counts as absent. */
export const FILLED: Form<string> = { ...TEXT, read: filled }
/** Without blanks at its ends; an empty one counts as absent. */
export const NAME: Form<string> = { ...TEXT, read: named }
/** Not a number or boolean. */
export const STRING: Form = { label: 'text', schema: { type: 'string' } }
/** Not empty. */
export const FILLED_TEXT: Form = { label: 'text', schema: { ...SCALAR, pattern: '\\S' } }
/** A name that a shell can export; the reader checks for those that shells reserve. */
export const VARIABLE: Form = {
  label: 'text',
  schema: { type: ['string', 'boolean'], pattern: '^\\s*[A-Za-z_]\\w*\\s*$' }
}
export const TEXTS: Form<string[]> = { label: 'text or list of texts', schema: oneOrMore(SCALAR), read: texts }
export const TEXT_LIST: Form<string[]> = { label: 'list of texts', schema: listOf(SCALAR), read: words }
export const TEXT_MAP: Form<Record<string, string>> = {
  label: 'map of texts',
  schema: { type: 'object', additionalProperties: SCALAR },
  read: textMap
}
/** Pairs: a list in it gives one for each of its items. */
export const PAIRS: Form = {
  label: 'map of texts or lists of texts',
  schema: { type: 'object', additionalProperties: oneOrMore(SCALAR) }
}
export const FLAG: Form<boolean> = { label: 'boolean', schema: { type: 'boolean' }, read: flag }
export const INTEGER: Form<number> = { label: 'integer', schema: { type: 'integer' }, read: integer }
export const COUNT: Form<number> = { label: 'integer from 0', schema: { type: 'integer', minimum: 0 }, read: count }
export const PRIORITY: Form<number> = {
  label: 'integer from -1000 to 1000',
  schema: { type: 'integer', minimum: -MOST_PRIORITY, maximum: MOST_PRIORITY },
  read: priority
}
export const SECONDS: Form<number> = {
  label: 'whole seconds',
  schema: { type: 'integer', minimum: 0, maximum: MAX_SECONDS },
  read: seconds
}
export const ANY: Form = { label: 'anything', schema: {} }
export const MAP: Form = { label: 'map', schema: { type: 'object' } }

export const oneOf = <T extends string>(...words: T[]): Form<T> => ({
  label: words.map((word) => `\`${word}\``).join(', '),
  schema: { enum: words },
  read: wordOf(...words)
})

export const CATCHUP = oneOf('none', 'last', 'all')
export const ON_INTERRUPT = oneOf('resume', 'fail', 'rerun')
export const ON_WORKER_LOST = oneOf('fail', 'requeue', 'wait')
export const ON_MISSING = oneOf('wait', 'fail')

/** A mapping of another level. */
export const mapOf = (level: string, label = `map, see ${level}`): Form => ({
  label,
  schema: { $ref: `#/$defs/${level}` }
})

export const either = (label: string, ...forms: Form[]): Form => ({
  label,
  schema: { anyOf: forms.map(({ schema }) => schema) }
})

export const listsOf = (form: Form, label: string): Form => ({ label, schema: listOf(form.schema) })

const NULLABLE_SCALAR: Schema = { type: ['string', 'number', 'boolean', 'null'] }
const ENV_MAP: Schema = { type: 'object', additionalProperties: NULLABLE_SCALAR }
const ASSIGNMENT: Schema = { type: 'string', pattern: '^[^=]*[^=\\s][^=]*=' }

export const ENV: Form<EnvEntry[]> = {
  label: 'list of maps and `KEY=value` texts, or one map',
  schema: { anyOf: [ENV_MAP, { type: 'array', items: { anyOf: [ENV_MAP, ASSIGNMENT] } }] },
  read: env
}
export const PARAMS: Form = {
  label: 'text, map, or list of those',
  schema: oneOrMore({ type: ['string', 'number', 'boolean', 'object'] })
}
/** A map whose `schema` is a text is of another kind. */
export const DAG_PARAMS: Form = {
  label: 'text, map, list of those, or map with schema',
  schema: {
    anyOf: [
      SCALAR,
      listOf({ type: ['string', 'number', 'boolean', 'object'] }),
      {
        type: 'object',
        if: { required: ['schema'], properties: { schema: { type: 'string' } } },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits it.
        then: { $ref: '#/$defs/paramsSchema' }
      }
    ]
  }
}
export const CONDITIONS: Form = {
  label: 'text, map, or list of those',
  schema: oneOrMore({ anyOf: [SCALAR, { $ref: '#/$defs/condition' }] })
}
export const EXIT_CODES: Form<number[]> = {
  label: 'integer or list of integers',
  schema: oneOrMore({ anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[-+]?\\d{1,15}$' }] }),
  read: exitCodes
}
export const BACKOFF: Form<number> = {
  label: 'boolean, or number above 1',
  schema: { anyOf: [{ type: 'boolean' }, { const: 0 }, { type: 'number', exclusiveMinimum: 1 }] },
  read: backoff
}
/** A number, or a text that is evaluated when the node is set up. */
export const orEvaluated = (form: Form): Form => ({
  label: `${form.label}, or text with variables`,
  schema: { anyOf: [form.schema, { type: 'string', pattern: '.' }] }
})
/** A text with variables or commands may expand to a valid value. */
const EVALUATED: Schema = { type: 'string', pattern: '[$`]' }
const FLAG_TEXT = '^\\s*([tT]|[tT][rR][uU][eE]|[fF]|[fF][aA][lL][sS][eE]|[01]?)\\s*$'
const NUMBER_TEXT = '^\\s*[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?\\s*$'
const COUNT_TEXT = '^\\s*\\+?\\d+\\s*$'

/** Values of an executor's config: a text of the value is accepted (`"5"` is 5), and one with variables, which may expand to it. */
const weak = (form: Form, pattern: string): Form => ({
  label: form.label,
  schema: { anyOf: [form.schema, { type: 'string', pattern }, EVALUATED] }
})
export const WEAK_FLAG = weak(FLAG, FLAG_TEXT)
export const WEAK_NUMBER = weak({ label: 'number', schema: { type: 'number' } }, NUMBER_TEXT)
export const WEAK_COUNT = weak(COUNT, COUNT_TEXT)
export const WEAK_SECONDS = weak(SECONDS, COUNT_TEXT)
/** Port of a machine: a number or a text; empty counts as absent. */
export const PORT: Form<string> = {
  label: 'port from 1 to 65535',
  schema: {
    anyOf: [
      { type: 'integer', minimum: 1, maximum: 65_535 },
      {
        type: 'string',
        pattern: '^\\s*([1-9]\\d{0,3}|[1-5]\\d{4}|6[0-4]\\d{3}|65[0-4]\\d{2}|655[0-2]\\d|6553[0-5])?\\s*$'
      },
      EVALUATED
    ]
  },
  read: port
}
/** A word out of some, in an executor's config. */
export const weakOneOf = (...words: string[]): Form => {
  const form = oneOf(...words)
  return { label: form.label, schema: { anyOf: [form.schema, EVALUATED] } }
}

/** A required field with a value of this form. */
export const written = (name: string, schema: Schema = { not: { type: 'null' } }): Schema => ({
  required: [name],
  properties: { [name]: schema }
})
