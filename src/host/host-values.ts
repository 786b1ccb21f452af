/** Checks values from a host application, because JavaScript does not. Reports all problems at once. */
import { guarded, TroupeError } from '../errors.ts'
import { nearest } from '../nearest.ts'

/** The expected kind of a value. */
export interface Kind {
  /** Problems of the value or of its members, as `wanted ..., found ...`; empty: none. */
  problems(value: unknown): string[]
}
export type Kinds = Readonly<Record<string, Kind>>

const kind = (wanted: string, fits: (value: unknown) => boolean): Kind => ({
  problems: (value) => (fits(value) ? [] : [`wanted ${wanted}, found ${foundText(value)}`])
})

/** Checked elsewhere. */
export const anything = kind('anything', () => true)
export const text = kind('text', (value) => typeof value === 'string')
export const flag = kind('true or false', (value) => typeof value === 'boolean')
export const numeric = kind('a number', (value) => typeof value === 'number' && !Number.isNaN(value))
/** A number such as milliseconds. */
export const positive = kind(
  'a number above 0',
  (value) => typeof value === 'number' && value > 0 && Number.isFinite(value)
)
export const port = kind(
  'an integer from 0 to 65535',
  (value) => Number.isInteger(value) && Number(value) >= 0 && Number(value) <= 65_535
)
export const callable = kind('a function', (value) => typeof value === 'function')
export const word = (...words: string[]) => kind(alternatives(words), (value) => words.some((word) => word === value))

/** A union: a value that is no `other` must be of this kind. */
export const unless = (other: unknown, { problems }: Kind): Kind => ({
  problems: (value) => (value === other ? [] : problems(value))
})

/** Undefined counts as absent. */
export const optional = (kind: Kind): Kind => unless(undefined, kind)

export const listOf = ({ problems }: Kind): Kind => ({
  problems: (value) =>
    Array.isArray(value)
      ? value.flatMap((one, at) => problems(one).map((problem) => `[${at}]: ${problem}`))
      : [`wanted a list, found ${foundText(value)}`]
})

/** An object with methods. */
export const withFunctions = (names: readonly string[], or = ''): Kind => {
  const all = `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  return kind(
    `${or}an object with the functions ${all}`,
    (value) => isObject(value) && names.every((name) => typeof value[name] === 'function')
  )
}

/**
 * An object with members; undefined counts as absent.
 * @param required members that must exist @param unknown message for an unknown member; default: ignored
 */
export const members = (
  kinds: Kinds,
  required: readonly string[] = [],
  unknown: (name: string) => string | undefined = () => undefined
): Kind => ({
  problems(value) {
    if (!isObject(value)) return [`wanted an object, found ${foundText(value)}`]
    const strangers = Object.keys(value).flatMap((name) => (Object.hasOwn(kinds, name) ? [] : (unknown(name) ?? [])))
    const wrong = Object.entries(kinds).flatMap(([name, { problems }]) =>
      value[name] === undefined && !required.includes(name)
        ? []
        : problems(value[name]).map((problem) => (problem.startsWith('[') ? name + problem : `${name}: ${problem}`))
    )
    return [...strangers, ...wrong]
  }
})

/** The same, without unknown members. @param what such as `option` */
export const only = (what: string, kinds: Kinds, required: readonly string[] = []): Kind =>
  members(kinds, required, (name) => unknownText(what, name, Object.keys(kinds)))

/** An object with members of any name. */
export const mapOf = ({ problems }: Kind): Kind => ({
  problems: (value) =>
    isObject(value)
      ? Object.entries(value).flatMap(([name, one]) => problems(one).map((problem) => `${name}: ${problem}`))
      : [`wanted an object, found ${foundText(value)}`]
})

/** The message for an unknown name. */
export function unknownText(what: string, name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  return `unknown ${what} ${name}${near === undefined ? '' : `; did you mean ${near}?`}`
}

/** Problems of a value that may throw when it is read. @param what prefix of each */
export const problemsOf = ({ problems }: Kind, value: unknown, what: string): string[] =>
  guarded(() => problems(value), ['it cannot be read']).map((problem) => `${what}: ${problem}`)

/** @param what prefix of the message @throws TroupeError bad_request (details.errors) */
export const mustBe = (kind: Kind, value: unknown, what: string): void => refuse(problemsOf(kind, value, what))

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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
