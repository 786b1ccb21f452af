/** Reads JSON that another machine has sent: each reader returns the value in its type, or says what was wanted and found. */

/** @param at what it is, for messages @throws Unreadable */
export type Reader<T> = (value: unknown, at: string) => T

export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

const MOST_SHOWN = 60
export function wrong(at: string, wanted: string, value: unknown): never {
  const found = value === undefined ? 'nothing' : JSON.stringify(value)
  throw new Unreadable(`${at}: wanted ${wanted}, found ${found.length > MOST_SHOWN ? 'something long' : found}`)
}

const CONTROL = /[\0-\x1f\x7f-\x9f\u2028\u2029]/
export const text =
  (longest: number, shortest = 1): Reader<string> =>
  (value, at) =>
    typeof value === 'string' && value.length >= shortest && value.length <= longest && !CONTROL.test(value)
      ? value
      : wrong(at, `a text of ${shortest} to ${longest} characters on one line`, value)

/** Line breaks and the like included. */
export const lines =
  (longest: number, shortest = 1): Reader<string> =>
  (value, at) =>
    typeof value === 'string' && value.length >= shortest && value.length <= longest
      ? value
      : wrong(at, `a text of ${shortest} to ${longest} characters`, value)

export const oneOf =
  <const T extends string | boolean>(values: readonly T[]): Reader<T> =>
  (value, at) =>
    values.find((one) => one === value) ?? wrong(at, `one of ${values.join(', ')}`, value)

/** A value of one of these types, whatever is in it. */
export const any =
  <T>(types: readonly ('string' | 'number' | 'boolean' | 'object')[]): Reader<T> =>
  (value, at) =>
    value !== null && types.some((type) => typeof value === type) ? (value as T) : wrong(at, types.join(' or '), value)

/** Bytes, as base64. */
export const bytes =
  (longest: number): Reader<Buffer> =>
  (value, at) => {
    const read = typeof value === 'string' ? Buffer.from(value, 'base64') : undefined
    return read && read.length <= longest ? read : wrong(at, `at most ${longest} bytes in base64`, value)
  }

export const integer =
  (min: number, max: number): Reader<number> =>
  (value, at) =>
    typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
      ? value
      : wrong(at, `an integer from ${min} to ${max}`, value)

export const percent: Reader<number> = (value, at) =>
  typeof value === 'number' && value >= 0 && value <= 100 ? value : wrong(at, 'a number from 0 to 100', value)

export const list =
  <T>(item: Reader<T>, most: number): Reader<T[]> =>
  (value, at) =>
    Array.isArray(value) && value.length <= most
      ? value.map((one, index) => item(one, `${at}[${index}]`))
      : wrong(at, `a list of at most ${most}`, value)

export const map =
  <T>(key: Reader<string>, item: Reader<T>, most: number): Reader<Record<string, T>> =>
  (value, at) => {
    const entries = isObject(value) ? Object.entries(value) : []
    if (!isObject(value) || entries.length > most) wrong(at, `a map of at most ${most}`, value)
    // Not assigned one by one: `__proto__` is a label like any other.
    return Object.fromEntries(entries.map(([name, one]) => [key(name, at), item(one, `${at}.${name}`)]))
  }

export const optional =
  <T>(reader: Reader<T>): Reader<T | undefined> =>
  (value, at) =>
    value === undefined ? undefined : reader(value, at)

type Members = Record<string, Reader<unknown>>
type Optional<S extends Members> = { [K in keyof S]: undefined extends ReturnType<S[K]> ? K : never }[keyof S]
export type Read<S extends Members> = { [K in Exclude<keyof S, Optional<S>>]: ReturnType<S[K]> } & {
  [K in Optional<S>]?: Exclude<ReturnType<S[K]>, undefined>
}

/** Members that are not named are ignored: a later release may send them. */
export const object = <S extends Members>(members: S): Reader<Read<S>> => {
  const readers = Object.entries(members)
  return (value, at) => {
    if (!isObject(value)) wrong(at, 'an object', value)
    const read: Record<string, unknown> = {}
    for (const [name, reader] of readers) {
      const found = reader(Object.hasOwn(value, name) ? value[name] : undefined, `${at}.${name}`)
      if (found !== undefined) read[name] = found
    }
    return read as Read<S> // by the loop
  }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
