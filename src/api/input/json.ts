/**
 * Reads untrusted JSON: exactly RFC 8259, a bounded depth, each key once, and maps without a prototype.
 * `JSON.parse` keeps the last of two equal keys and lets `__proto__` through. Source: reliability 5.3 R1, R4.
 */
import { TroupeError } from '../../errors.ts'

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [key: string]: Json
}

const DEEPEST = 64
// D263: a request body has at most 10,000 values
/** No legitimate body has as many, and a million numbers block the event loop for a second. */
const MOST_VALUES = 10_000
const REFUSED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const WORD = /true|false|null/y
const WORDS: Record<string, boolean | null> = { true: true, false: false, null: null }
const SPECIAL_IN_STRING = /["\\\u0000-\u001f]/g
/** Many escapes at once, and the text between them. */
const ESCAPES = /(?:[^"\\\u0000-\u001f]{0,64}\\[\s\S]){1,4096}/y

/**
 * @param anyNumber one that is too large for a `number` is none that is wrong
 * @throws TroupeError bad_request that names the place (1-based, in UTF-16 units) and what is wrong there
 */
export function readJson(text: string, anyNumber = false): Json {
  let at = 0
  let values = 0

  const wrong = (what: string) => new TroupeError('bad_request', `malformed JSON at character ${at + 1}: ${what}`)
  const passBlanks = () => {
    while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++
  }
  const next = (mark: string): boolean => {
    passBlanks()
    if (text[at] !== mark) return false
    at++
    return true
  }
  const expect = (mark: string) => {
    if (!next(mark)) throw wrong(`wanted ${mark}, found ${found()}`)
  }
  const found = () => (at < text.length ? JSON.stringify(text[at]) : 'the end')
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const word = pattern.exec(text)?.[0]
    at += word?.length ?? 0
    return word
  }

  function value(depth: number): Json {
    if (depth > DEEPEST) throw wrong(`nested deeper than ${DEEPEST}`)
    if (++values > MOST_VALUES) throw wrong(`more than ${MOST_VALUES} values`)
    passBlanks()
    if (text[at] === '"') return string()
    if (next('{')) return object(depth)
    if (next('[')) return array(depth)
    const word = match(WORD)
    if (word !== undefined) return WORDS[word] ?? null
    const number = match(NUMBER)
    if (number === undefined) throw wrong(`wanted a value, found ${found()}`)
    if (!anyNumber && !Number.isFinite(Number(number))) throw wrong('number out of range')
    return Number(number)
  }

  function object(depth: number): JsonObject {
    const members: JsonObject = Object.create(null)
    if (next('}')) return members
    do {
      passBlanks()
      if (text[at] !== '"') throw wrong(`wanted a key, found ${found()}`)
      const key = string()
      if (REFUSED_KEYS.has(key)) throw wrong(`key ${JSON.stringify(key)} is not allowed`)
      if (Object.hasOwn(members, key)) throw wrong(`key ${JSON.stringify(key)} is given twice`)
      expect(':')
      members[key] = value(depth + 1)
    } while (next(','))
    expect('}')
    return members
  }

  function array(depth: number): Json[] {
    const items: Json[] = []
    if (next(']')) return items
    do items.push(value(depth + 1))
    while (next(','))
    expect(']')
    return items
  }

  function string(): string {
    const start = at
    SPECIAL_IN_STRING.lastIndex = start + 1
    for (let special = SPECIAL_IN_STRING.exec(text); special !== null; special = SPECIAL_IN_STRING.exec(text)) {
      at = special.index
      if (special[0] === '"') {
        at++
        return unescaped(text.slice(start, at))
      }
      if (special[0] !== '\\') throw wrong('control character in a string')
      ESCAPES.lastIndex = at
      SPECIAL_IN_STRING.lastIndex = ESCAPES.test(text) ? ESCAPES.lastIndex : at + 2
    }
    at = text.length
    throw wrong('string without an end')
  }

  function unescaped(literal: string): string {
    try {
      return JSON.parse(literal)
    } catch {
      throw wrong('bad escape in the string that ends here')
    }
  }

  const whole = value(1)
  passBlanks()
  if (at < text.length) throw wrong(`wanted the end, found ${found()}`)
  return whole
}
