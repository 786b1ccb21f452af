/** JSON paths of references: jq's paths for selection, without computation. Source: execution-semantics 3.2.1, 3.2.2. */
import { isLosslessNumber, parse, stringify } from 'lossless-json'

/** A key, an index (negative: from the end), or a slice. */
type Part = string | number | { from: number; to: number | undefined }

const PART = /\.([A-Za-z_]\w*)|\.?\[\s*(?:("(?:[^"\\]|\\.)*")|(-?\d+)|(-?\d+)?:(-?\d+)?)\s*\]|\.("(?:[^"\\]|\\.)*")/gy

/** Parts of a path that begins with a dot; a lone dot is the whole document. Undefined: it does not parse. */
function partsOf(path: string): Part[] | undefined {
  if (path === '.') return []
  const parts: Part[] = []
  let end = 0
  for (const [whole, key, bracketed, index, from, to, quoted = bracketed] of path.matchAll(PART)) {
    end += whole.length
    if (key !== undefined) parts.push(key)
    else if (index !== undefined) parts.push(Number(index))
    else if (quoted === undefined)
      parts.push({ from: Number(from ?? 0), to: to === undefined ? undefined : Number(to) })
    else {
      const name = document(quoted)?.json
      if (typeof name !== 'string') return undefined
      parts.push(name)
    }
  }
  return end === path.length ? parts : undefined
}

/** Parses a document once per text, however many paths are asked of it. */
export function documents(): (text: string) => { json: unknown } | undefined {
  const known = new Map<string, { json: unknown } | undefined>()
  return (text) => {
    if (!known.has(text)) known.set(text, document(text))
    return known.get(text)
  }
}

/** The last of repeated keys wins, as in jq. */
function document(text: string): { json: unknown } | undefined {
  try {
    return { json: parse(text, null, { onDuplicateKey: ({ newValue }) => newValue }) }
  } catch {
    return undefined // also a nesting that is deeper than the stack
  }
}

/**
 * The value at a path, as text: a string raw, anything else as compact JSON with all digits, null and missing as the empty
 * string. A path that does not parse or does not fit the document has a reason, as jq has an error.
 */
export function select(json: unknown, path: string): string | { reason: string } {
  const parts = partsOf(path)
  if (!parts) return { reason: 'the path is not made of .key, [index] and [from:to]' }
  let value = json
  for (const part of parts) {
    if (value === null) return ''
    const next = pick(value, part)
    if (next === undefined) return { reason: 'the path does not fit the value' }
    value = next
  }
  if (value === null) return ''
  if (typeof value === 'string') return value
  try {
    return stringify(value) ?? ''
  } catch {
    return { reason: 'the value is nested too deeply' }
  }
}

/** One step down: null for what is missing, undefined where jq would refuse. */
function pick(value: unknown, part: Part): unknown {
  if (typeof part === 'object') {
    if (Array.isArray(value)) return value.slice(part.from, part.to)
    return typeof value === 'string' ? [...value].slice(part.from, part.to).join('') : undefined
  }
  if (typeof part === 'number') return Array.isArray(value) ? (value.at(part) ?? null) : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value)) return undefined
  return Object.hasOwn(value, part) ? (Reflect.get(value, part) ?? null) : null
}
