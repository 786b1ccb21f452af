/** Reads an executor's config with weak types, keys in any case: `"5"` is 5 for a number. Source: execution-semantics 10.4.2. */
import type { Json } from '../../../machines/vocabulary.ts'

/** A value of the wrong type. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export interface ConfigValues {
  /** Undefined: absent or null, as in all readers. @throws ConfigError, as do all readers */
  text(key: string): string | undefined
  flag(key: string): boolean | undefined
  number(key: string): number | undefined
  /** One text counts as a list of one. */
  texts(key: string): string[] | undefined
  /** A map as pairs; a list in it gives one pair per item. */
  pairs(key: string): [string, string][] | undefined
  /** The value unchanged. */
  any(key: string): Json | undefined
}

export function configValues(config: { [key: string]: Json }): ConfigValues {
  const values = new Map(Object.entries(config).map(([key, value]) => [key.toLowerCase(), value]))
  const read = <T>(key: string, wanted: string, convert: (value: Json) => T | undefined): T | undefined => {
    const value = values.get(key.toLowerCase())
    if (value === undefined || value === null) return undefined
    const converted = convert(value)
    if (converted !== undefined) return converted
    throw new ConfigError(`config.${key}: wanted ${wanted}, found ${kindOf(value)}`)
  }
  return {
    text: (key) => read(key, 'text', textOf),
    flag: (key) => read(key, 'true or false', flagOf),
    number: (key) => read(key, 'a number', numberOf),
    texts: (key) => read(key, 'text or a list of texts', textsOf),
    pairs: (key) => read(key, 'a map of texts', pairsOf),
    any: (key) => read(key, 'anything', (value) => value)
  }
}

const textOf = (value: Json): string | undefined =>
  value === null ? '' : typeof value === 'object' ? undefined : String(value)

export function flagOf(value: Json): boolean | undefined {
  if (typeof value === 'number') return value !== 0
  const text = textOf(value)?.trim().toLowerCase()
  if (text === undefined) return undefined
  if (['true', 't', '1'].includes(text)) return true
  return ['false', 'f', '0', ''].includes(text) ? false : undefined
}

function numberOf(value: Json): number | undefined {
  const text = textOf(value)?.trim()
  const number = text ? Number(text) : Number.NaN
  return Number.isFinite(number) ? number : undefined
}

function textsOf(value: Json): string[] | undefined {
  const texts = Array.isArray(value) ? value.map(textOf) : [textOf(value)]
  return texts.every((text) => text !== undefined) ? texts : undefined
}

function pairsOf(value: Json): [string, string][] | undefined {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return undefined
  const pairs = Object.entries(value).flatMap(([key, inner]) =>
    (textsOf(inner) ?? [undefined]).map((text) => [key, text] as const)
  )
  return pairs.every((pair): pair is [string, string] => pair[1] !== undefined) ? pairs : undefined
}

/** The type of a value, never the value itself: it may be a secret. */
export function kindOf(value: Json): string {
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'a map' : `a ${typeof value}`
}
