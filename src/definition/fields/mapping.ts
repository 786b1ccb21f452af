/**
 * A mapping read by the table of its level: which fields it has, which it should not have.
 * Source: execution-semantics 1.6.1, 1.6.2.
 */
import { type Problems, shortened, wrongValue } from '../problems.ts'
import { type Entry, type Field, isNull, member } from '../yaml/value.ts'
import { fieldNames, isOpen, knownField, type Level, nearestField } from './fields.ts'

/** Keys named in one message. */
const MAX_NAMED = 10

/** Fields by the name of the table. One whose value is null is absent. */
export type Fields = Map<string, Field>

/** How unknown keys of a mapping are reported. */
type UnknownKeys = (problems: Problems, field: Field, unknown: Entry[]) => void

/**
 * The fields of a mapping. Nothing when it is no mapping.
 */
export function fieldsOf(
  problems: Problems,
  field: Field,
  level: Level,
  tellUnknown: UnknownKeys = level === 'step' ? invalidStepKeys : invalidKeys(level)
): Fields | undefined {
  if (field.value.kind !== 'map') {
    const wanted = level === 'dag' ? 'a definition must be a map with fields such as name and steps' : mapOf(level)
    wrongValue(problems, field, wanted)
    return undefined
  }
  const fields: Fields = new Map()
  const unknown: Entry[] = []
  const seen = new Set<string>()
  for (const entry of field.value.entries) {
    const known = knownField(level, entry.key)
    if (!known) {
      const isIgnored = isOpen(level) || (level === 'dag' && /^x-/i.test(entry.key))
      if (!isIgnored) unknown.push(entry)
      continue
    }
    const child = member(field, known.name, entry.value)
    if (seen.has(known.name)) problems.add(`duplicate key: ${entry.key}`, child.path, entry.keyAt)
    else if (known.elsewhere) problems.add(known.elsewhere, child.path, entry.keyAt)
    seen.add(known.name)
    if (isNull(entry.value) || known.elsewhere) continue
    if (!fields.has(known.name)) fields.set(known.name, child)
  }
  if (unknown.length > 0) tellUnknown(problems, field, unknown)
  return fields
}

function mapOf(level: Level): string {
  const names = fieldNames(level)
  return `must be a map with any of the keys ${names.slice(0, MAX_NAMED).join(', ')}${more(names)}`
}

const more = ({ length }: readonly unknown[]): string => (length > MAX_NAMED ? ` and ${length - MAX_NAMED} more` : '')

/** `has invalid keys: a, b`, with the nearest known key of each. */
function invalidKeys(level: Level): UnknownKeys {
  return (problems, { path, value }, unknown) => {
    const named = unknown.slice(0, MAX_NAMED).map(({ key }) => shortened(key))
    const meant = named.flatMap((key) => {
      const near = nearestField(level, key)
      return near ? [`did you mean ${near} instead of ${key}?`] : []
    })
    const hint = meant.length > 0 ? ` (${meant.join(' ')})` : ''
    const reason = `has invalid keys: ${named.join(', ')}${more(unknown)}${hint}`
    problems.add(path ? `field '${path}': ${reason}` : reason, path, unknown[0]?.keyAt ?? value.at)
  }
}

/** A command that YAML has read as a map is reported as a command. */
const invalidStepKeys: UnknownKeys = (problems, field, unknown) => {
  const [{ key, keyAt, value }, ...others] = unknown as [Entry, ...Entry[]] // called when there is one
  const isCommand = /\s/.test(key) && field.value.kind === 'map' && field.value.entries.length === 1
  if (!isCommand || others.length > 0) return invalidKeys('step')(problems, field, unknown)
  const text = value.kind === 'scalar' ? `: '${shortened(`${key}: ${value.text}`.replaceAll("'", "''"))}'` : ''
  const hint = `(a text with ": " in it has to be quoted${text})`
  problems.add(`field '${field.path}': has invalid keys: ${shortened(key)} ${hint}`, field.path, keyAt)
}

/** `<what> has invalid key: a`, once per key. */
export const invalidKey =
  (what: string): UnknownKeys =>
  (problems, { name, path }, unknown) => {
    for (const { key, keyAt } of unknown) {
      problems.add(`field '${name}': ${what} has invalid key: ${shortened(key)}`, path, keyAt)
    }
  }
