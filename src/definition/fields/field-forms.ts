/**
 * The forms a field's value may have, each with its name for people and its JSON Schema. Data for the tables of fields.
 * Source: execution-semantics 1.7.
 */
import type { Json } from '../../../machines/vocabulary.ts'

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

export interface Form {
  /** As the manual calls it. */
  label: string
  schema: Schema
}

/** One field of a level. */
export interface FieldRow {
  name: string
  form: Form
  /** One sentence: what it does. */
  about: string
  /** A value as a definition has it, in YAML on one line. */
  example: string
  /** What an absent field counts as. */
  default?: Json
  /** The same in words, where it is no constant. */
  otherwise?: string
  required?: true
  /** A null is an error, not the same as absent. */
  neverNull?: true
  /** The field that is preferred over this one. */
  aliasOf?: string
  /** Why a definition cannot have it: the message with which it is refused. */
  elsewhere?: string
}

/** A mapping with fields. */
export interface LevelTable {
  rows: readonly FieldRow[]
  /** Unknown keys are ignored. */
  open?: true
  /** Constraints across fields. */
  together?: Schema
}

const SCALAR: Schema = { type: ['string', 'number', 'boolean'] }
const listOf = (items: Schema): Schema => ({ type: 'array', items })
const oneOrMore = (items: Schema): Schema => ({ anyOf: [items, listOf(items)] })

/** Any scalar is text, as it is written. */
export const TEXT: Form = { label: 'text', schema: SCALAR }
/** Not a number or boolean. */
export const STRING: Form = { label: 'text', schema: { type: 'string' } }
/** Not empty. */
export const FILLED_TEXT: Form = { label: 'text', schema: { ...SCALAR, pattern: '\\S' } }
/** A name that a shell can export; the reader checks for those that shells reserve. */
export const VARIABLE: Form = {
  label: 'text',
  schema: { type: ['string', 'boolean'], pattern: '^\\s*[A-Za-z_]\\w*\\s*$' }
}
export const TEXTS: Form = { label: 'text or list of texts', schema: oneOrMore(SCALAR) }
export const TEXT_LIST: Form = { label: 'list of texts', schema: listOf(SCALAR) }
export const TEXT_MAP: Form = { label: 'map of texts', schema: { type: 'object', additionalProperties: SCALAR } }
/** Pairs: a list in it gives one for each of its items. */
export const PAIRS: Form = {
  label: 'map of texts or lists of texts',
  schema: { type: 'object', additionalProperties: oneOrMore(SCALAR) }
}
export const FLAG: Form = { label: 'boolean', schema: { type: 'boolean' } }
export const INTEGER: Form = { label: 'integer', schema: { type: 'integer' } }
export const COUNT: Form = { label: 'integer from 0', schema: { type: 'integer', minimum: 0 } }
/** 31 years. */
export const MAX_SECONDS = 1_000_000_000
export const SECONDS: Form = { label: 'whole seconds', schema: { type: 'integer', minimum: 0, maximum: MAX_SECONDS } }
export const ANY: Form = { label: 'anything', schema: {} }
export const MAP: Form = { label: 'map', schema: { type: 'object' } }

export const oneOf = (...words: string[]): Form => ({
  label: words.map((word) => `\`${word}\``).join(', '),
  schema: { enum: words }
})

export const CATCHUP = oneOf('none', 'last', 'all')
export const ON_INTERRUPT = oneOf('resume', 'fail', 'rerun')
export const ON_WORKER_LOST = oneOf('fail', 'requeue', 'wait')

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

export const ENV: Form = {
  label: 'list of maps and `KEY=value` texts, or one map',
  schema: { anyOf: [ENV_MAP, { type: 'array', items: { anyOf: [ENV_MAP, ASSIGNMENT] } }] }
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
export const EXIT_CODES: Form = {
  label: 'integer or list of integers',
  schema: oneOrMore({ anyOf: [{ type: 'integer' }, { type: 'string', pattern: '^[-+]?\\d{1,15}$' }] })
}
export const BACKOFF: Form = {
  label: 'boolean, or number above 1',
  schema: { anyOf: [{ type: 'boolean' }, { const: 0 }, { type: 'number', exclusiveMinimum: 1 }] }
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
/** Of a machine: as a number or a text; empty counts as absent. */
export const PORT: Form = {
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
  }
}
/** One of some words, in an executor's config. */
export const weakOneOf = (...words: string[]): Form => {
  const form = oneOf(...words)
  return { label: form.label, schema: { anyOf: [form.schema, EVALUATED] } }
}

/** A required field with a value of this form. */
export const written = (name: string, schema: Schema = { not: { type: 'null' } }): Schema => ({
  required: [name],
  properties: { [name]: schema }
})
