/**
 * The levels of the format: maps with keys. A key stands once, in its level: form, sentence, example, default, its place in the plan,
 * whether code has it. What reads a definition, what a plan has without a key, the JSON Schema and the manual's tables all follow from
 * that.
 * Source: definition-format "DAG-level fields", "Step fields"; execution-semantics 1.6, 1.8, 1.9.
 */
import type { Json } from '../../../machines/vocabulary.ts'
import type { Problems } from '../problems.ts'
import { type Field, nullAt, type Value } from '../yaml/value.ts'
import type { Form, Schema } from './field-forms.ts'
import type { Read } from './values.ts'

/** What a row says of its key beside the form. */
export interface Says {
  /** The name of the key in the plan, if that is another one; false: the code of its level reads it, together with others. */
  to?: string | false
  /** Reads the value in place of the form. */
  read?: Read<unknown>
  /** The value that an absent key counts as; the plan has what is read of it. */
  default?: Json
  /** The plan leaves it out when it is absent, whatever its default. */
  implied?: true
  /** The value that the plan has for an absent key, if no default says so. */
  absent?: () => unknown
  /** 0 counts as absent, and so does an empty text. */
  zeroIsAbsent?: true
  /** The default in words, where it is no constant. */
  otherwise?: string
  required?: true
  /** A null is an error, not the same as absent. */
  neverNull?: true
  /** The key that is preferred over this one. */
  aliasOf?: string
  /** Why a definition cannot have it: the message with which it is refused. */
  elsewhere?: string
  /** `defineDag` does not take it. */
  notInCode?: true
}

export interface Key<T, S> {
  form: Form<T>
  about: string
  example: string
  says: S
}

/** @param about one sentence: what it does @param example a value as a definition has it, in YAML on one line */
export function key<T>(form: Form<T>, about: string, example: string): Key<T, Record<never, never>>
export function key<T, const S extends Says>(form: Form<T>, about: string, example: string, says: S): Key<T, S>
export function key(form: Form, about: string, example: string, says: Says = {}): Key<unknown, Says> {
  return { form, about, example, says }
}

export type Keys = Record<string, Key<unknown, Says>>

export interface FieldRow extends Says, Omit<Key<unknown, Says>, 'says'> {
  name: string
}

export interface LevelOptions {
  /** Unknown keys are ignored. */
  open?: true
  /** Constraints across keys. */
  together?: Schema
  /** The value that is wanted for the level, if not a map with some of its keys. */
  wanted?: string
  /** Keys that are for others. */
  foreign?: RegExp
  /** Words of other engines may stand here: what to use is said of each. In a smaller map the same word means something else. */
  takesAdvice?: true
}

/** A map with keys. */
export interface LevelTable extends LevelOptions {
  rows: readonly FieldRow[]
  /** By name in lower case: a key may be written in any case. */
  known: ReadonlyMap<string, FieldRow>
}

/** A level that its own code reads. */
export function table(keys: Keys): LevelTable {
  const rows = Object.entries(keys).map(([name, { says, ...row }]): FieldRow => ({ name, ...row, ...says }))
  return { rows, known: new Map(rows.map((row) => [row.name.toLowerCase(), row])) }
}

export const openTable = (keys: Keys): LevelTable => ({ ...table(keys), open: true })

/** Fields by the name of the table. One whose value is null is absent. */
export type Fields = Map<string, Field>

/** All members of a part of the plan; undefined: it is left out. */
type Loose<P> = { [M in keyof P]-?: Record<never, never> extends Pick<P, M> ? P[M] | undefined : P[M] }

/** The member of the plan that a key becomes. */
type To<Name, S> = S extends { to: false } | { aliasOf: string } | { elsewhere: string }
  ? never
  : S extends { to: infer M extends string }
    ? M
    : Name

/** What the plan has of a key, there or not. */
type Had<T, S> = (S extends { read: Read<infer U> } ? U : T) | HadWithout<S>
type HadWithout<S> = S extends { absent: () => infer U }
  ? U
  : S extends { implied: true }
    ? undefined
    : S extends { default: Json }
      ? never
      : undefined

type Found<R extends Keys> = {
  [Name in keyof R & string as To<Name, R[Name]['says']>]: R[Name] extends Key<infer T, infer S> ? Had<T, S> : never
}

/** Beside each key: nothing, or what the compiler has to say about it. */
type Fitting<P, R extends Keys> = {
  [Name in keyof R & string]: To<Name, R[Name]['says']> extends infer M
    ? [M] extends [never]
      ? unknown
      : M extends keyof P & keyof Found<R>
        ? Found<R>[M] extends Loose<P>[M]
          ? unknown
          : { 'the plan has it as': P[M] }
        : { 'the plan has no member': M }
    : never
}

/** The members of the plan that no key becomes; a function is called when it is its member's turn: problems keep their order. */
type Rest<P, R extends Keys> = { [M in Exclude<keyof P, keyof Found<R>>]: Loose<P>[M] | (() => Loose<P>[M]) }

/** The keys that `defineDag` takes. */
export type InCode<R extends Keys> = {
  [Name in keyof R & string]: R[Name]['says'] extends { notInCode: true } | { elsewhere: string } ? never : Name
}[keyof R & string]

export interface Level<P, R extends Keys> extends LevelTable {
  namesInCode: readonly InCode<R>[]
  /** @param fields undefined: the level is not there */
  read(problems: Problems, fields: Fields | undefined, rest: Rest<P, R>): P
  /** What the plan has without the level. */
  blank(rest: Omit<P, keyof Found<R>>): P
}

// D1741: a key of a definition stands once
/**
 * A level that becomes a part of the plan. The compiler refuses a key that the plan does not have, and a `read` without a member of the
 * plan that no key becomes.
 * @param first members of the plan, in the order in which their keys are read and the plan has them; others follow in that of the keys
 */
export const levelOf =
  <P extends object>({ first = '', ...options }: LevelOptions & { first?: string } = {}) =>
  <R extends Keys>(keys: R & Fitting<P, R>): Level<P, R> => {
    const level = table(keys)
    const members = inOrder(level.rows, first.split(/\s+/).filter(Boolean))
    const read = (problems: Problems, fields: Fields | undefined, rest: Record<string, unknown>) => {
      const found: Record<string, unknown> = {}
      const put = (to: string, given: unknown) => {
        const value: unknown = typeof given === 'function' ? given() : given
        if (value !== undefined) found[to] = value
      }
      for (const [to, member] of members) put(to, member ? member(problems, fields) : rest[to])
      for (const to in rest) if (!members.has(to)) put(to, rest[to])
      return found as P // what it has, `Fitting` and `Rest` say
    }
    const isInCode = (name: string): name is InCode<R> => !keys[name]?.says.notInCode && !keys[name]?.says.elsewhere
    const namesInCode = Object.keys(keys).filter(isInCode)
    return { ...level, ...options, namesInCode, read, blank: (rest) => read(strict, undefined, rest) }
  }

type Member = (problems: Problems, fields: Fields | undefined) => unknown

/** How each member is read; undefined: it is given. */
function inOrder(rows: readonly FieldRow[], first: readonly string[]): Map<string, Member | undefined> {
  const members = new Map<string, Member | undefined>(first.map((to) => [to, undefined]))
  for (const row of rows)
    if (row.to !== false && row.aliasOf === undefined && row.elsewhere === undefined) {
      const others = rows.filter(({ aliasOf }) => aliasOf === row.name).map(({ name }) => name)
      members.set(row.to ?? row.name, memberOf(row, others))
    }
  return members
}

function memberOf(row: FieldRow, others: readonly string[]): Member | undefined {
  const { name, zeroIsAbsent, form, read = form.read } = row
  if (!read) return undefined
  const absent = absentOf(row, read)
  return (problems, fields) => {
    let field = fields?.get(name)
    for (const other of others) field ??= fields?.get(other)
    const value = field && read(problems, field)
    return value === undefined || (zeroIsAbsent && !value) ? absent() : value
  }
}

/** A default that the reader of its own row refuses is a mistake in the row. */
const strict: Problems = {
  add(message) {
    throw new Error(message)
  },
  lacks() {},
  warn() {},
  list: () => [],
  warnings: () => [],
  found: () => false,
  full: () => false
}

function absentOf({ name, absent, implied, default: written }: FieldRow, read: Read<unknown>): () => unknown {
  if (absent) return absent
  if (implied || written === undefined) return () => undefined
  const value = read(strict, { name, path: name, value: valueFor(written) })
  if (Array.isArray(value)) return () => [...value]
  return typeof value === 'object' ? () => ({ ...value }) : () => value
}

function valueFor(json: Json): Value {
  if (Array.isArray(json)) return { kind: 'list', at: -1, items: json.map(valueFor) }
  if (typeof json !== 'object') return { kind: 'scalar', at: -1, text: String(json), data: json }
  if (json === null) return nullAt(-1)
  return {
    kind: 'map',
    at: -1,
    entries: Object.entries(json).map(([key, value]) => ({ key, keyAt: -1, value: valueFor(value) }))
  }
}
