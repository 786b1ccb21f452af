/** Items of `parallel`, each as one text: what `${ITEM}` stands for. Source: execution-semantics 9.4. */
import { isLosslessNumber, parse, stringify } from 'lossless-json'
import type { Parallel } from '../../../machines/vocabulary.ts'
import { defaultParamsText, parseParamWords } from '../dag/params.ts'
import type { Lookup } from '../text/lookup.ts'
import { expandField } from '../text/variables.ts'

const MAX_ITEMS = 1_000

/**
 * @param seen called with each text of a map before it becomes JSON, and which item of how many it is in, from 1
 * @returns 1 to 1,000 texts; a map is compact JSON with sorted keys
 * @throws Error for another number of items, or a value that cannot be evaluated
 */
export async function itemsOf(
  { items = [] }: Parallel,
  look: Lookup,
  seen: (text: string, number: number, count: number) => unknown = () => {}
): Promise<string[]> {
  const texts = typeof items === 'string' ? splitItems(await expandField(items, look)) : []
  if (typeof items !== 'string')
    for (const [index, item] of items.entries())
      texts.push(
        typeof item === 'string'
          ? await expandField(item, look)
          : await mapText(item, look, (text) => seen(text, index + 1, items.length))
      )
  if (texts.length === 0) throw new Error('parallel execution requires at least one item')
  if (texts.length > MAX_ITEMS)
    throw new Error(`parallel execution exceeds maximum limit: ${texts.length} items (max: ${MAX_ITEMS})`)
  return texts
}

async function mapText(map: Record<string, string>, look: Lookup, seen: (text: string) => unknown): Promise<string> {
  const expanded: [string, string][] = []
  for (const [key, value] of Object.entries(map)) {
    const text = await expandField(value, look)
    seen(text)
    expanded.push([key, text])
  }
  return JSON.stringify(Object.fromEntries(expanded.sort(byKey)))
}

const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)

/** Separators, the stronger one first when two are equally frequent. */
const SEPARATORS = ['\t', '|', ';', ',']

/** In double quotes, or without quotes. With a quote inside a word, the text is not a list of quoted words. */
const WORD = /"(?:[^"\\]|\\.)*"|[^\s"]+/g
const WORDS = new RegExp(`^(?:${WORD.source})(?:\\s+(?:${WORD.source}))*$`)

const unquoted = (word: string) => (word.startsWith('"') ? (parseParamWords(word)[0]?.value ?? '') : word)

/** Splits by the first rule that fits: JSON, lines, quoted words, the most frequent separator, blanks. Source: 9.4.4. */
export function splitItems(text: string): string[] {
  const all = text.trim()
  if (all === '') return []
  const json = /^[[{]/.test(all) ? parsed(all) : undefined
  if (Array.isArray(json)) return json.map(jsonItem)
  if (json !== undefined) return [jsonItem(json)]
  if (all.includes('\n')) return trimmed(all.split('\n'))
  if (all.includes('"') && WORDS.test(all)) return (all.match(WORD) ?? []).map(unquoted)
  const count = (separator: string) => all.split(separator).length - 1
  const best = SEPARATORS.reduce((best, next) => (count(next) > count(best) ? next : best))
  return trimmed(count(best) > 0 ? all.split(best) : all.split(/\s+/))
}

const trimmed = (pieces: string[]) => pieces.map((piece) => piece.trim()).filter((piece) => piece !== '')

function parsed(text: string): unknown {
  try {
    return parse(text)
  } catch {
    return undefined // not JSON: another rule fits
  }
}

/** A text raw, a map with sorted keys, anything else as JSON. */
function jsonItem(value: unknown): string {
  if (typeof value === 'string') return value
  if (isMap(value)) return stringify(Object.fromEntries(Object.entries(value).sort(byKey))) ?? ''
  return stringify(value) ?? 'null'
}

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value)

/** The params text of an item, for a call without params: the keys of a map, otherwise its words. Source: 9.4.5. */
export function itemText(item: string): string {
  const json = item.startsWith('{') ? parsed(item) : undefined
  if (!isMap(json)) return item
  return defaultParamsText(
    Object.entries(json).map(([name, value]) => ({ name, value: jsonItem(value), positional: false }))
  )
}
