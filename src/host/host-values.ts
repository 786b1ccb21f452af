/** Checks values from a host application, because JavaScript does not. Reports all problems at once. */
import { guarded, TroupeError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { insteadOf } from '../schema/instead.ts'
import { between } from '../schema/limited.ts'
import { isObject, type Optional, type Schema } from '../schema/schema.ts'
import { type Misfit, misfitsOf } from '../schema/walk.ts'

export type Schemas = Readonly<Record<string, Schema>>

export const thing = (wanted: string, fits: (value: unknown) => boolean): Schema => ({
  'x-wanted': wanted,
  'x-fits': fits
})

/** Checked elsewhere. */
export const anything: Schema = {}
export const text: Schema = { type: 'string', 'x-wanted': 'text' }
export const flag: Schema = { type: 'boolean', 'x-wanted': 'true or false' }
export const numeric = thing('a number', (value) => typeof value === 'number' && !Number.isNaN(value))
/** A number such as milliseconds. */
export const positive = thing('a number above 0', (value) => Number.isFinite(value) && Number(value) > 0)
export const port: Schema = between(0, 65_535)
export const callable = thing('a function', (value) => typeof value === 'function')
export const word = (...words: string[]): Schema => ({ enum: words, 'x-wanted': alternatives(words) })

/** A union: a value that is no `other` must fit. */
export const unless = (other: unknown, schema: Schema): Schema => ({ anyOf: [{ const: other }, schema] })

/** An object with methods. */
export const withFunctions = (names: readonly string[], or = ''): Schema =>
  thing(
    `${or}an object with the functions ${names.slice(0, -1).join(', ')} and ${names.at(-1)}`,
    (value) => isObject(value) && names.every((name) => typeof value[name] === 'function')
  )

/** An object whose members can be read; they are checked elsewhere. */
export const readable = thing('an object', (value) => isObject(value) && Boolean(Object.entries(value)))

/** An object with members; undefined counts as absent, unknown ones are ignored. @param required members that must exist */
export const members = (properties: Schemas, required: readonly string[] = []): Schema => ({
  type: 'object',
  properties,
  required
})

/** An object without unknown members. @param what they are, such as `option` */
export const only = (what: string, properties: Schemas, required: readonly string[] = []): Schema => ({
  ...members(properties, required),
  additionalProperties: false,
  'x-members': what
})

export function unknownText(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  const hint = insteadOf(name) ?? (near === undefined ? undefined : `did you mean ${near}?`)
  return `unknown ${what} ${name}${hint === undefined ? '' : `; ${hint}`}`
}

/** @param unknown what is said of an unknown member */
export const sentenceOf = ({ at, schema, value, unknown }: Misfit, said = unknownText): string => {
  const where = at.map((part) => (typeof part === 'number' ? `[${part}]` : `: ${part}`)).join('')
  const { type, properties = {}, 'x-members': what = 'member' } = schema
  const wanted = schema['x-wanted'] ?? (type === 'array' ? 'a list' : 'an object')
  const sentence =
    unknown === undefined ? `wanted ${wanted}, found ${foundText(value)}` : said(what, unknown, Object.keys(properties))
  return `${where}: ${sentence}`.replace(/^: /, '')
}

/** Problems of a value that may throw when it is read. @param what prefix of each */
export function problemsOf(given: Schema | Optional, value: unknown, what: string): string[] {
  const isOptional = 'optional' in given
  if (isOptional && value === undefined) return []
  const schema = isOptional ? given.optional : given
  return guarded(() => misfitsOf(schema, value).map((one) => sentenceOf(one)), ['it cannot be read']).map(
    (problem) => `${what}: ${problem}`
  )
}

/** @param what prefix of the message @throws TroupeError bad_request (details.errors) */
export const mustBe = (schema: Schema | Optional, value: unknown, what: string): void =>
  refuse(problemsOf(schema, value, what))

/** @throws TroupeError bad_request (details.errors) when there is a problem */
export function refuse(errors: readonly string[]): void {
  if (errors.length > 0) throw new TroupeError('bad_request', errors.join('; '), { details: { errors } })
}

export const alternatives = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`

const MOST_SHOWN = 60

/** A value as text for a message. */
function foundText(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'string')
    return JSON.stringify(value.length > MOST_SHOWN ? `${value.slice(0, MOST_SHOWN)}...` : value)
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (Array.isArray(value)) return 'an array'
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`
}
