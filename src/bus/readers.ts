/** Reads JSON that another machine has sent, by its schema. */
import type { Schema, Shape } from '../schema/schema.ts'
import { read } from '../schema/walk.ts'

const MOST_SHOWN = 60

export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** @param at what it is @throws Unreadable */
export function wrong(at: string, wanted: string, value: unknown): never {
  const found = value === undefined ? 'nothing' : JSON.stringify(value)
  throw new Unreadable(`${at}: wanted ${wanted}, found ${found.length > MOST_SHOWN ? 'something long' : found}`)
}

/** Reads a value; members that the schema does not name are ignored: a later release may send them. @throws Unreadable */
export const reader =
  <S extends Schema>(what: string, schema: S) =>
  (value: unknown): Shape<S> =>
    read(schema, value, ({ at, schema, value }) => {
      const path = at.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')
      const { 'x-wanted': wanted = 'an object', 'x-secret': isSecret } = schema
      if (isSecret) throw new Unreadable(`${what}${path}: wanted ${wanted}, found something else`)
      return wrong(what + path, wanted, value)
    })
