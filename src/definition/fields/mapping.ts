/**
 * A mapping read by the table of its level: which fields it has, which it should not have.
 * Source: execution-semantics 1.6.1, 1.6.2.
 */
import { nearest } from '../../nearest.ts'
import { insteadOf } from '../../schema/instead.ts'
import { type Problems, shortened, wrongValue } from '../problems.ts'
import { type Entry, type Field, isNull, member } from '../yaml/value.ts'
import type { Fields, LevelTable } from './level.ts'

/** Keys named in one message. */
const MAX_NAMED = 10

/** How unknown keys of a mapping are reported. */
export type UnknownKeys = (problems: Problems, field: Field, unknown: Entry[]) => void

/**
 * The fields of a mapping. Nothing when it is no mapping.
 */
export function fieldsOf(
  problems: Problems,
  field: Field,
  level: LevelTable,
  tellUnknown: UnknownKeys = invalidKeys(level)
): Fields | undefined {
  if (field.value.kind !== 'map') {
    wrongValue(problems, field, level.wanted ?? mapOf(level))
    return undefined
  }
  const fields: Fields = new Map()
  const unknown: Entry[] = []
  const seen = new Set<string>()
  for (const entry of field.value.entries) {
    const known = level.known.get(entry.key.toLowerCase())
    if (!known) {
      if (!level.open && !level.foreign?.test(entry.key)) unknown.push(entry)
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

/** The recommended keys of a level: no aliases, no refused ones. */
function mapOf({ rows }: LevelTable): string {
  const names = rows.flatMap(({ name, aliasOf, elsewhere }) => ((aliasOf ?? elsewhere) ? [] : [name]))
  return `must be a map with any of the keys ${names.slice(0, MAX_NAMED).join(', ')}${more(names)}`
}

const more = ({ length }: readonly unknown[]): string => (length > MAX_NAMED ? ` and ${length - MAX_NAMED} more` : '')

/** `has invalid keys: a, b`, with the nearest known key of each, or what to use for a word of other engines. */
export function invalidKeys({ rows, takesAdvice }: LevelTable): UnknownKeys {
  return (problems, { path, value }, unknown) => {
    const named = unknown.slice(0, MAX_NAMED).map(({ key }) => shortened(key))
    const meant = named.flatMap((key) => {
      const near = nearest(
        key,
        rows.map(({ name }) => name)
      )
      const instead = takesAdvice && insteadOf(key)
      if (instead) return [`${key}: ${instead}.`]
      return near ? [`did you mean ${near} instead of ${key}?`] : []
    })
    const hint = meant.length > 0 ? ` (${meant.join(' ')})` : ''
    const reason = `has invalid keys: ${named.join(', ')}${more(unknown)}${hint}`
    problems.add(path ? `field '${path}': ${reason}` : reason, path, unknown[0]?.keyAt ?? value.at)
  }
}

/** `<what> has invalid key: a`, once per key. */
export const invalidKey =
  (what: string): UnknownKeys =>
  (problems, { name, path }, unknown) => {
    for (const { key, keyAt } of unknown) {
      problems.add(`field '${name}': ${what} has invalid key: ${shortened(key)}`, path, keyAt)
    }
  }
