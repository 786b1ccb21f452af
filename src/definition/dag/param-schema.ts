/**
 * Params against a JSON Schema: completed by its defaults, checked, and converted back to text. The schema's patterns run in linear
 * time; everything else has a time limit. Source: execution-semantics 2.3.
 */
import { createRequire } from 'node:module'
import { runInNewContext } from 'node:vm'
import type { Ajv, ErrorObject, Options } from 'ajv'
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import { RE2JS } from 're2js'
import type { RunParam } from '../../../machines/vocabulary.ts'
import { codeOf, messageOf, TroupeError } from '../../errors.ts'
import { exactJson, exactText, withDigits } from '../text/exact-json.ts'

/** The result for a set of params. */
export interface Fitted {
  /** Completed: the input in its order, then the schema's defaults in theirs. */
  params: RunParam[]
  faults: SchemaFault[]
}

export interface SchemaFault {
  /** JSON pointer. */
  path: string
  reason: string
  /** Keyword of the schema, such as `required`. */
  keyword: string
}

/** Time limit of one schema for one set of params, in ms: references can take practically forever. */
const LIMIT_MS = 2_000
const MAX_FAULTS = 10
const MAX_REASON = 300

// D704: params schemas are bounded
/**
 * Reads a schema. Returns a function that completes and checks params.
 * @param text the schema
 * @throws TroupeError bad_request `failed to get JSON schema: <reason>`
 */
export function paramSchema(text: string): (input: RunParam[]) => Fitted {
  const schema = jsonOf(text)
  if (typeof schema !== 'boolean' && !isMap(schema)) throw unusable('wanted a JSON object, found something else')
  const dialect = dialectOf(schema)
  const validate = within(LIMIT_MS, () => validatorOf(schema, dialect), unusable)
  // Numbers as written in the text; the shape was checked by the validator's own reading.
  const written = isMap(schema) ? (parse(text) as { properties?: Record<string, { default?: unknown }> }) : {}
  const defaults = Object.entries(isMap(written.properties) ? written.properties : {})
  const defaultOf = new Map(defaults.map(([name, property]) => [name, property?.default]))
  return (input) => {
    const before = new Map(input.map(({ name, value }) => [name, writtenValue(value)]))
    const marked = new Map(input.map(({ name, written }) => [name, written]))
    const data: Record<string, unknown> = Object.fromEntries(input.map(({ name, value }) => [name, plainValue(value)]))
    const fits = within(LIMIT_MS, () => validate(data), invalidParams)
    // Keys that look like integers come first in any object: passed params keep their own order.
    const names = new Set([...before.keys(), ...Object.keys(data)])
    return {
      params: Array.from(names, (name) => ({
        name,
        value: textOf(withDigits(data[name], before.has(name) ? before.get(name) : defaultOf.get(name))),
        // A default of the schema is the author's text.
        ...((marked.has(name) ? marked.get(name) : true) ? { written: true } : {})
      })),
      faults: fits ? [] : (validate.errors ?? []).map(faultOf)
    }
  }
}

/** A payload that was checked. */
export interface FittedPayload {
  /** JSON, completed by the schema's defaults. */
  payload: string
  faults: SchemaFault[]
}

/**
 * Reads the schema of a payload. Returns a function that completes and checks one, as JSON.
 * @throws TroupeError bad_request `failed to get JSON schema: <reason>`
 */
export function payloadSchema(text: string): (payload: string) => FittedPayload {
  const schema = jsonOf(text)
  if (typeof schema !== 'boolean' && !isMap(schema)) throw unusable('wanted a JSON object, found something else')
  const dialect = dialectOf(schema)
  const validate = within(LIMIT_MS, () => validatorOf(schema, dialect), unusable)
  return (payload) => {
    const data: unknown = JSON.parse(payload)
    const fits = within(LIMIT_MS, () => validate(data), unusable)
    return {
      payload: exactText(withDigits(data, exactJson(payload))),
      faults: fits ? [] : (validate.errors ?? []).map(faultOf).slice(0, 100)
    }
  }
}

/** Faults as one message. Source: 2.3.4. */
export function faultsText(faults: SchemaFault[]): string {
  const shown = faults.slice(0, MAX_FAULTS).map(({ path, reason }) => `${path}: ${reason}`)
  if (faults.length > MAX_FAULTS) shown.push(`and ${faults.length - MAX_FAULTS} more`)
  return shown.join('; ')
}

export const invalidParams = (reason: string, cause?: unknown) =>
  new TroupeError('bad_request', `parameter validation failed: ${reason}`, { cause })

export const unusable = (reason: string, cause?: unknown) =>
  new TroupeError('bad_request', `failed to get JSON schema: ${reason}`, { cause })

const OPTIONS = () =>
  ({
    useDefaults: true,
    allErrors: true,
    strict: false,
    validateFormats: false, // Choice: `format` is an annotation, as draft 2020-12 has it.
    logger: false,
    code: { regExp: linear }
  }) satisfies Options

function validatorOf(schema: boolean | Record<string, unknown>, { make, meta }: Dialect): ReturnType<Ajv['compile']> {
  if (!meta.validateSchema(schema)) throw unusable(`it is no schema: ${meta.errorsText()}`.slice(0, MAX_REASON))
  // A compiler for each schema: two of them may have the same `$id`.
  return new make({ ...OPTIONS(), meta: false, validateSchema: false }).compile(schema)
}

interface Dialect {
  make: new (options: Options) => Ajv
  /** Has the compiled metaschema of its dialect, which takes long. */
  meta: Ajv
}

const dialects = new Map<string, Dialect>()

/** Loads and compiles it the first time, outside the schema's time limit. */
function dialectOf(schema: boolean | Record<string, unknown>): Dialect {
  const { $schema = '2020-12' } = typeof schema === 'boolean' ? {} : schema
  const named = String($schema)
  const found = PACKAGES.find(([name]) => named.includes(name))
  if (!found)
    throw unusable(`$schema: wanted draft 2020-12, 2019-09 or 7, found ${JSON.stringify(named.slice(0, 100))}`)
  const [name, load] = found
  const known = dialects.get(name)
  if (known) return known
  const make: Dialect['make'] = load()
  const dialect = { make, meta: new make(OPTIONS()) }
  dialect.meta.validateSchema({})
  dialects.set(name, dialect)
  return dialect
}

/** Slow to load, so only when there is a schema. */
const PACKAGES = [
  ['2020-12', () => createRequire(import.meta.url)('ajv/dist/2020.js')],
  ['2019-09', () => createRequire(import.meta.url)('ajv/dist/2019.js')],
  ['draft-07', () => createRequire(import.meta.url)('ajv')]
] as const

/** In place of `RegExp`: patterns come from users. Look-around and back references are refused. */
const linear = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(RE2JS.translateRegExp(pattern))
    return { test: (text: string) => compiled.test(text), toString: () => pattern }
  },
  { code: 'linear' }
)

/** Runs `work`, terminated after `ms`. @param failure makes the error from what it throws */
function within<T>(ms: number, work: () => T, failure: (reason: string, cause: unknown) => TroupeError): T {
  try {
    return runInNewContext('work()', { work }, { timeout: ms })
  } catch (cause) {
    if (cause instanceof TroupeError) throw cause
    const isEndless = codeOf(cause) === 'ERR_SCRIPT_EXECUTION_TIMEOUT' || cause instanceof RangeError
    if (isEndless) dialects.clear() // what was ended by force may be half done
    throw failure(isEndless ? 'the schema asks for too much work' : messageOf(cause).slice(0, MAX_REASON), cause)
  }
}

function faultOf({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): SchemaFault {
  const detail = params.allowedValues ?? params.additionalProperty ?? params.unevaluatedProperty
  const reason = detail === undefined ? message : `${message}: ${JSON.stringify(detail)}`
  return { path: instancePath || '/', reason: reason.slice(0, MAX_REASON), keyword }
}

/** Parses the schema. The parser's message would show content of the file. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unusable('it is not valid JSON', cause)
  }
}

/** A param as JSON when it can be, else as text; `writtenValue` keeps the digits of numbers. */
function plainValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
function writtenValue(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return plainValue(text)
  }
}

const isMap = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)

const textOf = (value: unknown) => (typeof value === 'string' ? value : (stringify(value) ?? ''))
