/** What every message is: JSON with its `kind`, of a limited size. */
import { type Flat, isObject, type Schema, type Shape } from '../schema/schema.ts'
import { reader, Unreadable, wrong } from './readers.ts'

/** Limit of one message. */
export const MOST_BYTES = 512 * 1024

type Kinds = Readonly<Record<string, Schema>>
/** A message of one of some kinds. */
export type SaidOf<K extends Kinds> = { [N in keyof K]: Flat<{ kind: N } & Shape<K[N]>> }[keyof K]

/** Messages of several kinds, each with the schema of its members. @throws Unreadable */
export function messageOf<const K extends Kinds>(what: string, kinds: K): (message: string) => SaidOf<K> {
  const readers = new Map<unknown, ReturnType<typeof reader>>(
    Object.entries(kinds).map(([kind, schema]) => [kind, reader(kind, schema)])
  )
  const names = Object.keys(kinds)
  const wanted = `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`
  return (message) => {
    const value = jsonIn(message, what)
    const read = readers.get(value.kind) ?? wrong(`${what}.kind`, wanted, value.kind)
    return { kind: value.kind, ...Object(read(value)) } as SaidOf<K> // by the reader of its kind
  }
}

/** Messages of one kind. @throws Unreadable */
export function bodyOf<S extends Schema>(kind: string, schema: S): (message: string) => Shape<S> {
  const read = reader(kind, schema)
  return (message) => read(bodyIn(message, kind))
}

/** @throws Unreadable */
export function bodyIn(message: string, kind: string): Record<string, unknown> {
  const value = jsonIn(message, kind)
  return value.kind === kind ? value : wrong(`${kind}.kind`, JSON.stringify(kind), value.kind)
}

/** @throws Unreadable */
export function jsonIn(message: string, at: string): Record<string, unknown> {
  if (Buffer.byteLength(message) > MOST_BYTES) throw new Unreadable(`${at}: wanted at most ${MOST_BYTES} bytes`)
  let value: unknown
  try {
    value = JSON.parse(message)
  } catch {
    throw new Unreadable(`${at}: wanted JSON, found something else`)
  }
  return isObject(value) ? value : wrong(at, 'an object', value)
}
