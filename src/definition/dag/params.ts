/**
 * Params: their grammar, overrides of a start, evaluation and display. Words that come from a
 * caller are never evaluated here. Source: execution-semantics 2, api-semantics 4.4.
 */
import { parse, stringify } from 'lossless-json'
import type { Param, RunParam } from '../../../machines/vocabulary.ts'
import { messageOf, TroupeError } from '../../errors.ts'
import type { Lookup } from '../text/lookup.ts'
import { expandField, noting, withVariables } from '../text/variables.ts'

/** Limit of one definition, one step or one start. */
export const MOST_PARAMS = 1_000

/** Longest params text of a start, in bytes of UTF-8. */
const MAX_BYTES = 64 * 1024

/**
 * One word: an optional `NAME=`, then `"quoted"`, a backtick command with its backticks, or a run without blanks and quotes.
 * Choice: an unclosed quote runs to the end of the text; `NAME=` without a value is an empty value.
 */
const WORD = /\s*(?:([^\s"`=]+)=)?(?:"([^"\\]*(?:\\[\s\S]?[^"\\]*)*)(?:"|$)|(`[^`\\]*(?:\\[\s\S][^`\\]*)*`)|([^\s"]*))/y

/** Names that would reach into the prototype of an object. */
const REFUSED = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Params of a text, in written order. A bare value is named by its position among all params.
 * @param before number of params that precede the text (items of a list share one count)
 */
export function parseParamWords(text: string, before = 0): Param[] {
  const params: Param[] = []
  WORD.lastIndex = 0
  for (let found = WORD.exec(text); found?.[0].trim(); found = WORD.exec(text)) {
    const [, name, quoted, command, run = ''] = found
    const value = quoted === undefined ? (command ?? run) : unescaped(quoted)
    params.push({ name: name ?? String(before + params.length + 1), value, positional: name === undefined })
  }
  return params
}

const unescaped = (text: string) => text.replace(/\\(["\\])/g, '$1')

// D507: a value that begins with `{` or `[` is JSON or refused
/**
 * Params passed at a start: words, the text of a JSON object (`{"NAME": "value"}`), or of a JSON array of words and objects.
 * A text of names or JSON that is wrapped whole in double quotes is unquoted first. An empty text has no params.
 * Choice: a text that begins with `{` or `[` is JSON or an error. One in quotes that is neither is one value, as a quoted word is.
 * @throws TroupeError bad_request: longer than 64 KB, more than 1,000, broken JSON, a refused name, a value with a NUL character
 */
export function parseOverride(text: string): Param[] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw refused(`wanted at most ${MAX_BYTES} bytes`)
  const words = unwrapped(text)
  const params = isJsonLike(words) ? parseParamJson(words) : parseParamWords(words)
  if (params.length > MOST_PARAMS) throw refused(`wanted at most ${MOST_PARAMS}, found ${params.length}`)
  for (const { name, value } of params) {
    if (REFUSED.has(name)) throw refused(`the name ${name} is reserved`)
    if (name.includes('\0') || value.includes('\0')) throw refused('a name or value must not hold a NUL character')
  }
  return params
}

// D545: double quotes around a params text
/** `"A=x B=y"` becomes `A=x B=y`; `"two words"` stays the word it is. */
function unwrapped(text: string): string {
  const whole = /^\s*"([^"\\]*(?:\\[\s\S][^"\\]*)*)"\s*$/.exec(text)?.[1]
  const words = whole === undefined ? '' : unescaped(whole)
  return /^\s*[^\s"`=]+=/.test(words) || (isJsonLike(words) && isJson(words)) ? words : text
}

function isJson(text: string): boolean {
  try {
    parse(text)
    return true
  } catch {
    return false
  }
}

const refused = (reason: string, cause?: unknown) => new TroupeError('bad_request', `params: ${reason}`, { cause })

/** Whether a text of params is JSON, or nothing. */
export const isJsonLike = (text: string): boolean => /^\s*[{[]/.test(text)

/** @throws TroupeError bad_request for broken JSON */
export function parseParamJson(text: string): Param[] {
  let json: unknown
  try {
    json = parse(text)
  } catch (cause) {
    const reason = messageOf(cause)
    throw refused(`wanted words, or JSON such as {"NAME": "value"}, found broken JSON: ${reason}`, cause)
  }
  const params: Param[] = []
  for (const item of Array.isArray(json) ? json : [json]) {
    if (typeof item === 'string') for (const word of parseParamWords(item, params.length)) params.push(word)
    else if (isMap(item)) {
      for (const [name, value] of Object.entries(item)) params.push({ name, ...shownAs(value), positional: false })
    } else params.push({ name: String(params.length + 1), ...shownAs(item), positional: true })
  }
  return params
}

/** A list is no map, and a number is an object of lossless-json. */
const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype

const shownAs = (value: unknown): Pick<Param, 'value' | 'isJson'> =>
  typeof value === 'string'
    ? { value }
    : { value: stringify(value) ?? '', ...(isMap(value) || Array.isArray(value) ? { isJson: true } : {}) }

/**
 * Puts overrides over the evaluated defaults: a param of the same name takes the new value in its old place, an unknown
 * one is appended. A bare word of the override hits a default by its position's name only. Defaults are not evaluated again.
 */
export function mergeParams(declared: RunParam[], override: RunParam[]): RunParam[] {
  const merged = new Map<string, RunParam>()
  for (const { name, value, written } of [...declared, ...override])
    merged.set(name, { name, value, ...(written ? { written } : {}) })
  return [...merged.values()]
}

/** Texts of a compact JSON, keys included. */
const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"(:?)/g

/**
 * The value of a param. Within a list or a map each text is expanded by itself, so that whatever it becomes is JSON.
 * @param seen called with each text before it becomes JSON
 * @throws Error of a failing backtick command or of `${X:?message}`
 */
export async function expandParam(
  { value, isJson }: Param,
  look: Lookup,
  seen: (text: string) => unknown = () => {}
): Promise<string> {
  const one = async (text: string) => {
    const expanded = await expandField(text, look)
    seen(expanded)
    return expanded
  }
  if (!isJson) return one(value)
  let json = ''
  let end = 0
  for (const found of value.matchAll(JSON_TEXT)) {
    const [written, colon] = found
    json += value.slice(end, found.index) + (colon ? written : JSON.stringify(await one(JSON.parse(written))))
    end = found.index + written.length
  }
  return json + value.slice(end)
}

/**
 * Evaluates defaults from left to right; each sees the ones before it, then `look`. Those of which no part is data are `written`;
 * of one that has nothing to evaluate the definition itself says so.
 * @throws TroupeError bad_request when a value cannot be evaluated
 */
export async function evaluateParams(declared: Param[], look: Lookup): Promise<RunParam[]> {
  const values = new Map<string, string>()
  const data = new Set<string>()
  const written = new Set<string>()
  const inner = withVariables(look, values, data)
  try {
    for (const param of declared) {
      const { look: noted, wasData } = noting(param.value, inner)
      const value = await expandParam(param, noted)
      values.set(param.name, value)
      data.delete(param.name)
      written.delete(param.name)
      if (wasData()) data.add(param.name)
      else if (look.isData && value !== param.value) written.add(param.name)
    }
  } catch (cause) {
    const reason = messageOf(cause)
    throw new TroupeError('bad_request', `field 'params': invalid parameter value: ${reason}`, { cause })
  }
  return [...values].map(([name, value]) => ({ name, value, ...(written.has(name) ? { written: true } : {}) }))
}

/**
 * Names of the params of a run whose values are data: not written by the author of the definition, nor by the user of the command
 * line. A value that equals a default of the definition is the author's, whatever its sender. Source: execution-semantics 3.1.5.
 */
export function dataParams(params: RunParam[], declared: Param[]): string[] {
  const asDeclared = new Map(declared.map(({ name, value }) => [name, value]))
  return params.filter(({ name, value, written }) => !written && asDeclared.get(name) !== value).map(({ name }) => name)
}

/** `params` of a run as the API shows it: `1=one NAME=v`, without quotes. */
export const paramsText = (params: RunParam[]): string => params.map(({ name, value }) => `${name}=${value}`).join(' ')

/**
 * `defaultParams` of a definition as the API shows it: `1="one" NAME="v"`, unevaluated. `parseOverride` reads it back.
 * Choice: positional ones are named (api-semantics 2); execution-semantics 2.4 has them bare.
 */
export const defaultParamsText = (params: Param[]): string =>
  params.map(({ name, value }) => `${name}="${value.replace(/["\\]/g, '\\$&')}"`).join(' ')
