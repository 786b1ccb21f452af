/** The result of a function as JSON. */
import { ResultNotJson, ResultTooLarge } from './errors.ts'

/** Levels of lists and objects in a result. */
const DEEPEST = 200

/** @param limit bytes @throws ResultNotJson with its path, ResultTooLarge */
export function resultText(result: unknown, limit: number): string {
  if (result === undefined) return 'null'
  mustBeJson(result, 'result', 0, new Set())
  const text = JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes > limit)
    throw new ResultTooLarge(`the result has ${bytes} bytes, and maxOutputSize allows ${limit}: store it elsewhere`)
  return text
}

// D1053: what JSON cannot give back is no result
function mustBeJson(value: unknown, path: string, depth: number, above: Set<object>): void {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return
    throw notJson(path, String(value))
  }
  if (typeof value !== 'object') throw notJson(path, value === undefined ? 'undefined' : `a ${typeof value}`)
  if (above.has(value)) throw notJson(path, 'an object that contains itself')
  if (depth >= DEEPEST) throw notJson(path, `more than ${DEEPEST} levels`)
  above.add(value)
  if (Array.isArray(value)) {
    for (let at = 0; at < value.length; at++) mustBeJson(value[at], `${path}[${at}]`, depth + 1, above)
  } else {
    const prototype: unknown = Object.getPrototypeOf(value)
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null)
      throw notJson(path, `an instance of ${value.constructor?.name || 'a class'}`)
    for (const [key, member] of Object.entries(value))
      if (member !== undefined) mustBeJson(member, `${path}.${key}`, depth + 1, above) // JSON leaves it out
  }
  above.delete(value)
}

/** The beginning of a longer path says where to look. */
const LONGEST_PATH = 100

const HELP: Readonly<Record<string, string>> = {
  'an instance of Date': 'return its toISOString()',
  'an instance of Map': 'return Object.fromEntries() of it',
  'an instance of Set': 'return a list of it',
  'an instance of Promise': 'await it',
  'a bigint': 'return a text of it'
}

function notJson(path: string, found: string): ResultNotJson {
  const place = path.length > LONGEST_PATH ? `${path.slice(0, LONGEST_PATH)}...` : path
  const help = Object.hasOwn(HELP, found)
    ? HELP[found]
    : 'return objects, lists, texts, finite numbers, true, false and null only'
  return new ResultNotJson(`${place}: wanted JSON, found ${found}: ${help}`)
}
