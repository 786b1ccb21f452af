/**
 * The fields the format knows, level by level.
 * The reader's check for unknown keys, the JSON Schema for editors and the manual's tables all come from here.
 * Source: definition-format "DAG-level fields", "Step fields"; execution-semantics 1.6, 1.9.
 */
import { nearest } from '../../nearest.ts'
import type { FieldRow, LevelTable } from './field-forms.ts'
import { dag } from './fields-dag.ts'
import * as ofDag from './fields-dag-parts.ts'
import { EXECUTORS, type ExecutorType, executor } from './fields-executor.ts'
import { step } from './fields-step.ts'
import * as ofStep from './fields-step-parts.ts'

export const LEVELS = { dag, step, ...ofDag, ...ofStep, executor } satisfies Record<string, LevelTable>

export type Level = keyof typeof LEVELS

/** A field name in its written form. */
export interface KnownField {
  name: string
  elsewhere?: string
}

const KNOWN = new Map(
  Object.entries<LevelTable>(LEVELS).map(([level, { rows }]) => [
    level,
    new Map(rows.map((row) => [row.name.toLowerCase(), known(row)]))
  ])
)

function known({ name, elsewhere }: FieldRow): KnownField {
  return { name, ...(elsewhere !== undefined && { elsewhere }) }
}

/** The field of a level that a key names, in any case; absent: unknown. */
export const knownField = (level: Level, key: string): KnownField | undefined =>
  KNOWN.get(level)?.get(key.toLowerCase())

const tableOf = (level: Level): LevelTable => LEVELS[level]

/** The recommended fields of a level: no aliases, no refused ones. */
export const fieldNames = (level: Level): string[] =>
  tableOf(level).rows.flatMap(({ name, aliasOf, elsewhere }) => ((aliasOf ?? elsewhere) ? [] : [name]))

/** Whether unknown keys of a level are ignored. */
export const isOpen = (level: Level): boolean => tableOf(level).open ?? false

/** The known field nearest to an unknown key. */
export const nearestField = (level: Level, key: string): string | undefined =>
  nearest(
    key,
    Array.from(KNOWN.get(level)?.values() ?? [], ({ name }) => name)
  )

const ALIASES = new Map(
  Object.values<LevelTable>(LEVELS).flatMap(({ rows }) =>
    rows.flatMap(({ name, aliasOf }) => (aliasOf ? [[name.toLowerCase(), aliasOf.toLowerCase()] as const] : []))
  )
)

/** One name for a key below the top level, its aliases and its other spellings; for comparing keys only. */
export const sameName = (key: string): string => ALIASES.get(key.toLowerCase()) ?? key.toLowerCase()

const TYPES = new Map(
  Object.entries(EXECUTORS).flatMap(([type, aliases]) =>
    // The cast: the keys of a constant.
    [type, ...aliases].map((name) => [name, type as ExecutorType])
  )
)

/** Every name of an executor type. */
export const executorNames: readonly string[] = [...TYPES.keys()].filter((name) => name !== '')

/** The executor type that a name stands for; absent: there is none. */
export const executorType = (name: string): ExecutorType | undefined => TYPES.get(name)
