/**
 * The base file: read separately, so that its problems have positions in it, then merged under each document before that is
 * read. Source: execution-semantics 1.2, api-semantics 10.2.
 */
import { basename } from 'node:path'
import { LineCounter } from 'yaml'
import { readDag } from './dag/dag.ts'
import { hasSchema } from './dag/declared-params.ts'
import type { Problem } from './definition.ts'
import type { CustomTypes } from './fields/custom-types.ts'
import { knownField, sameName } from './fields/fields.ts'
import { collectProblems } from './problems.ts'
import { readDocuments } from './yaml/document.ts'
import { type Entry, type Field, isNull, type Mapping, type Scalar, type Value } from './yaml/value.ts'

/** Never supplied by a base file. */
const OWN: ReadonlySet<string> = new Set(['name', 'steps', 'schedule'])

/** Lists that start with the items of the base file. */
const JOINED: ReadonlySet<string> = new Set(['env', 'dotenv', 'tags', 'params'])

/** Replaced as a whole. */
const WHOLE: ReadonlySet<string> = new Set(['mailOn'])

// D512, D513: problems of a base file name the base file
/** Reads a base file; never throws. A part that a field lacks may come from the document. An empty file has no defaults. */
export function readBase(file: { text: string; path: string }, custom: CustomTypes) {
  const lines = new LineCounter()
  const problems = collectProblems(lines, { isPart: true })
  const [root, second] = readDocuments(file.text, lines, problems)
  if (second) problems.add('a base file has one document', '', second.value.at)
  const written = root?.value.kind === 'map' ? root.value.entries.filter(({ value }) => !isNull(value)) : []
  const unused = written.filter(({ key }) => OWN.has(canonical(key)))
  const entries = written.filter((entry) => !unused.includes(entry))
  if (root) {
    const value: Value = root.value.kind === 'map' ? { ...root.value, entries } : root.value
    const budget = { steps: 0, dependencies: 0 }
    readDag(problems, { ...root, value }, { budget, sourceDir: undefined, custom, nameOf: () => 'base' })
  }
  const found = problems.list().map((problem) => inBase(problem, basename(file.path)))
  const ignored = unused.map(({ key }) => `base config: ${key} has no effect there`)
  return {
    entries: found.length > 0 ? [] : entries.map((entry) => ({ ...unplaced(entry), key: canonical(entry.key) })),
    problems: found,
    warnings: [...problems.warnings().map((warning) => `base config: ${warning}`), ...ignored]
  }
}

/** The position in the base file is part of the message: line and column of a problem are those of the definition. */
function inBase({ message, path, line, column }: Problem, file: string): Problem {
  const place = line === undefined ? file : `${file} line ${line}${column === undefined ? '' : `, column ${column}`}`
  return { message: `failed to decode base config: ${message} (${place})`, path }
}

const canonical = (key: string): string => knownField('dag', key)?.name ?? key

const unplaced = (entry: Entry): Entry => ({ ...entry, keyAt: -1, value: nowhere(entry.value) })

function nowhere(value: Value): Value {
  if (value.kind === 'scalar') return { ...value, at: -1 }
  if (value.kind === 'list') return { ...value, at: -1, items: value.items.map(nowhere) }
  return { ...value, at: -1, entries: value.entries.map(unplaced) }
}

/** A document merged over the base: values of the document win. */
export function overBase(root: Field, base: Entry[]): Field {
  const { value } = root
  if (value.kind !== 'map') return root
  const own = value.entries
  const writes = new Set(own.filter((entry) => !isNull(entry.value)).map(({ key }) => canonical(key)))
  // The two names of preconditions are one field.
  const isTaken = ({ key }: Entry) => writes.has(key) || (isPrecondition(key) && [...writes].some(isPrecondition))
  const merged = own.map((entry) => {
    const under = base.find(({ key }) => key === canonical(entry.key))
    return under && !isNull(entry.value) ? { ...entry, value: combined(under.key, under.value, entry.value) } : entry
  })
  // A null of the document would count as a second entry of that name.
  const silent = merged.filter(
    ({ key, value }) => !isNull(value) || !base.some((entry) => entry.key === canonical(key))
  )
  return { ...root, value: { ...value, entries: [...silent, ...base.filter((entry) => !isTaken(entry))] } }
}

const isPrecondition = (name: string) => name === 'preconditions' || name === 'precondition'

function combined(name: string, base: Value, own: Value): Value {
  if (WHOLE.has(name) || hasSchema(base) || hasSchema(own)) return own
  if (JOINED.has(name)) return { kind: 'list', at: own.at, items: [...itemsOf(name, base), ...itemsOf(name, own)] }
  return base.kind === 'map' && own.kind === 'map' ? mappings(base, own) : own
}

/** The items of a list that may be written as one value. */
function itemsOf(name: string, value: Value): Value[] {
  if (value.kind === 'list') return value.items
  if (name !== 'tags' || value.kind !== 'scalar') return [value]
  return value.text.split(',').map((text): Scalar => ({ ...value, text, data: text }))
}

function mappings(base: Mapping, own: Mapping): Mapping {
  const merged = own.entries.map((entry) => {
    const under = base.entries.find(({ key }) => sameName(key) === sameName(entry.key))
    if (!under) return entry
    if (isNull(entry.value)) return under
    if (under.value.kind !== 'map' || entry.value.kind !== 'map') return entry
    return { ...entry, value: mappings(under.value, entry.value) }
  })
  const written = new Set(own.entries.map(({ key }) => sameName(key)))
  return { ...own, entries: [...base.entries.filter(({ key }) => !written.has(sameName(key))), ...merged] }
}
