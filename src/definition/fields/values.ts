/**
 * Readers of single values: the value, or a problem and nothing. A text field takes any scalar as it is written.
 * Source: execution-semantics 1.7.
 */
import { MOST_PRIORITY } from '../../../machines/policy/admission.ts'
import { type Problems, shortened, wrong, wrongValue } from '../problems.ts'
import { type Field, item, member } from '../yaml/value.ts'

export type Read<T> = (problems: Problems, field: Field) => T | undefined

/** Reads a field that may be missing. */
export const optional = <T>(problems: Problems, field: Field | undefined, read: Read<T>): T | undefined =>
  field && read(problems, field)

export const isText = ({ value }: Field): boolean => value.kind === 'scalar' && value.data !== null

/** The text of a scalar; empty for anything else. */
export const textOf = ({ value }: Field): string => (value.kind === 'scalar' && value.data !== null ? value.text : '')

/** The items of a list, or the field itself. */
export const partsOf = (field: Field): Field[] =>
  field.value.kind === 'list' ? field.value.items.map((child, index) => item(field, index, child)) : [field]

export const text: Read<string> = (problems, field) => {
  if (isText(field)) return textOf(field)
  wrongValue(problems, field, 'must be a string')
  return undefined
}

export const trimmed: Read<string> = (problems, field) => text(problems, field)?.trim()

/** Trimmed; absent when it is empty. */
export const named: Read<string> = (problems, field) => trimmed(problems, field) || undefined

/** A text that counts as absent when it is empty. */
export const filled: Read<string> = (problems, field) => text(problems, field) || undefined

/** A port as text; one with variables may expand to one. */
export const port: Read<string> = (problems, field) => {
  const found = filled(problems, field)
  if (found === undefined || /[$`]/.test(found) || !found.trim()) return found
  const isPort = /^\s*[1-9]\d{0,4}\s*$/.test(found) && Number(found) <= 65_535
  if (!isPort) wrongValue(problems, field, 'must be: port from 1 to 65535')
  return isPort ? found : undefined
}

// D501: any scalar is accepted where text is wanted
/** A text or a list of texts, each as a separate field. */
export function textFields(problems: Problems, field: Field, reason: string): Field[] | undefined {
  const parts = partsOf(field)
  if (parts.every(isText)) return parts
  wrongValue(problems, field, reason)
  return undefined
}

/** A text or a list of texts; empty ones are left out. */
export const texts: Read<string[]> = (problems, field) =>
  textFields(problems, field, 'must be a string or a list of strings')?.map(textOf).filter(Boolean)

/** A map of scalars, as texts. */
export const textMap: Read<Record<string, string>> = (problems, field) => {
  const { value } = field
  if (value.kind !== 'map') {
    wrongValue(problems, field, 'must be a map of strings')
    return undefined
  }
  const entries = value.entries.flatMap(({ key, value }) => {
    const found = text(problems, member(field, key, value))
    return found === undefined ? [] : [[key, found] as const]
  })
  return Object.fromEntries(entries)
}

/** Labels of a worker: each has a name and a value. */
export const selector: Read<Record<string, string>> = (problems, field) => {
  const found = textMap(problems, field)
  if (found && field.value.kind === 'map')
    for (const { key, value } of field.value.entries)
      if (key.trim() === '') wrongValue(problems, member(field, key, value), 'must have a name: the label of a worker')
      else if (found[key]?.trim() === '')
        wrongValue(problems, member(field, key, value), 'must have a value: a worker has no label without one')
  return found
}

/** Reads one of several words; another one is `invalid <name>: <word>`. */
export const wordOf =
  <T extends string>(...words: T[]): Read<T> =>
  (problems, field) => {
    const found = text(problems, field)
    const word = words.find((word) => word === found)
    if (found !== undefined && word === undefined) {
      wrong(problems, field, `invalid ${field.name}: ${shortened(found)} (must be one of: ${words.join(', ')})`)
    }
    return word
  }

/** A list of scalars as texts. */
export const words: Read<string[]> = (problems, field) => {
  const parts = partsOf(field)
  if (field.value.kind === 'list' && parts.every(isText)) return parts.map(textOf)
  wrongValue(problems, field, 'must be a list of strings')
  return undefined
}

export const flag: Read<boolean> = (problems, field) => {
  const { value } = field
  if (value.kind === 'scalar' && typeof value.data === 'boolean') return value.data
  wrongValue(problems, field, 'must be true or false')
  return undefined
}

const integerOf = ({ value }: Field): number | undefined =>
  value.kind === 'scalar' && Number.isSafeInteger(value.data) ? Number(value.data) : undefined

export const integer: Read<number> = (problems, field) => {
  const found = integerOf(field)
  if (found === undefined) wrongValue(problems, field, 'must be an integer')
  return found
}

export const count: Read<number> = (problems, field) => {
  const found = integer(problems, field)
  if (found === undefined || found >= 0) return found
  wrongValue(problems, field, `${field.name} must be zero or greater`)
  return undefined
}

export const priority: Read<number> = (problems, field) => {
  const found = integer(problems, field)
  if (found === undefined || Math.abs(found) <= MOST_PRIORITY) return found
  wrongValue(problems, field, `${field.name} must be from -${MOST_PRIORITY} to ${MOST_PRIORITY}`)
  return undefined
}

/** 31 years. */
export const MAX_SECONDS = 1_000_000_000

/** Seconds as written, to milliseconds. */
export const seconds: Read<number> = (problems, field) => {
  const found = count(problems, field)
  if (found === undefined || found <= MAX_SECONDS) return found === undefined ? undefined : found * 1000
  wrongValue(problems, field, `${field.name} must be at most ${MAX_SECONDS}`)
  return undefined
}

/** A number, or a text that is evaluated when the node is set up. */
export const orText =
  (read: Read<number>, reason: string): Read<number | string> =>
  (problems, field) => {
    const { value } = field
    if (value.kind === 'scalar' && typeof value.data === 'string' && value.data) return value.text
    if (integerOf(field) !== undefined) return read(problems, field)
    wrongValue(problems, field, reason)
    return undefined
  }

const INTEGER_TEXT = /^[-+]?\d{1,15}$/

/** Exit codes: an integer, its text, or a list of those. */
export const exitCodes: Read<number[]> = (problems, field) => {
  const codes = partsOf(field).map(
    (part) => integerOf(part) ?? (INTEGER_TEXT.test(textOf(part)) ? Number(textOf(part)) : null)
  )
  if (codes.every((code) => code !== null)) return codes
  wrongValue(problems, field, 'must be an integer or a list of integers')
  return undefined
}
