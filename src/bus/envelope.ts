/** What every message is: JSON with its `kind`, of a limited size. */
import { isObject, Unreadable, wrong } from './readers.ts'

/** Of one message. */
export const MOST_BYTES = 512 * 1024

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
