/**
 * YAML nodes to plain values: aliases, merge keys, repeated and refused keys. An aliased value is shared, never copied, and
 * counts with its full size wherever it is named, so a few hundred bytes cannot stand for gigabytes.
 * Source: execution-semantics 1.6.5, architecture 7, reliability 5.3 R2, R4.
 */
import { type Alias, type Document, isAlias, isMap, isNode, isScalar, isSeq, type Node, type YAMLMap } from 'yaml'
import { type Problems, shortened } from '../problems.ts'
import { MAX_NESTING, MAX_TEXT_BYTES } from './nesting.ts'
import { type Entry, type Field, item, type Mapping, member, nullAt, type Scalar, type Value } from './value.ts'

const MAX_ALIASES = 100

export const REFUSED_KEYS = new Set(['__proto__', 'constructor', 'prototype'])

interface Reading {
  problems: Problems
  anchors: Map<string, { value: Value; size: number; height: number } | 'open'>
  aliases: number
  /** Characters that the aliases of the text so far expand to. */
  expanded: number
  /** Deepest level since it was last set. */
  deepest: number
}

// D504: merge keys are enabled
/** The roots of the documents as fields, in order. */
export function plainValues(documents: Document.Parsed[], problems: Problems): Field[] {
  const reading: Reading = { problems, anchors: new Map(), aliases: 0, expanded: 0, deepest: 0 }
  return documents.map((document, index) => {
    reading.anchors.clear()
    const root: Field = { name: '', path: index === 0 ? '' : `documents[${index}]`, value: nullAt(document.range[0]) }
    return { ...root, value: convert(reading, document.contents, root, 0) }
  })
}

/** @param place where the node stands; its value is only a position */
function convert(reading: Reading, node: unknown, place: Field, depth: number): Value {
  if (isAlias(node)) return aliased(reading, node, place, depth)
  if (!isNode(node)) return place.value
  const { anchor, range } = node
  if (!anchor || !range) return content(reading, node, place, depth)
  const { deepest, expanded } = reading
  reading.anchors.set(anchor, 'open')
  reading.deepest = depth
  const value = content(reading, node, place, depth)
  const size = range[1] - range[0] + (reading.expanded - expanded)
  reading.anchors.set(anchor, { value, size, height: reading.deepest - depth })
  reading.deepest = Math.max(deepest, reading.deepest)
  return value
}

function aliased(reading: Reading, node: Alias, place: Field, depth: number): Value {
  const at = node.range?.[0] ?? place.value.at
  const refuse = (reason: string) => {
    reading.problems.add(reason, place.path, at)
    return nullAt(at)
  }
  const name = shortened(node.source)
  const found = reading.anchors.get(node.source)
  if (++reading.aliases === MAX_ALIASES + 1) return refuse(`a definition has at most ${MAX_ALIASES} aliases`)
  if (reading.aliases > MAX_ALIASES) return nullAt(at)
  if (!found) return refuse(`alias *${name} has no anchor before it`)
  if (found === 'open') return refuse(`alias *${name} is inside the value it names`)
  if (depth + found.height > MAX_NESTING) return refuse(`alias *${name} goes beyond ${MAX_NESTING} levels of nesting`)
  if (reading.expanded > MAX_TEXT_BYTES) return nullAt(at)
  reading.expanded += Math.max(1, found.size)
  if (reading.expanded > MAX_TEXT_BYTES) return refuse(`aliases stand for more than ${MAX_TEXT_BYTES} characters`)
  reading.deepest = Math.max(reading.deepest, depth + found.height)
  return found.value
}

function content(reading: Reading, node: Node, place: Field, depth: number): Value {
  const at = node.range?.[0] ?? place.value.at
  if (isScalar(node)) {
    const { value, source } = node
    const data = typeof value === 'number' || typeof value === 'boolean' || value === null ? value : String(value)
    const text = source ?? String(value)
    if (text.includes('\0')) reading.problems.add('a text must not hold a NUL character', place.path, at)
    return { kind: 'scalar', at, text, data }
  }
  reading.deepest = Math.max(reading.deepest, depth + 1)
  if (isMap(node)) return mapping(reading, node, { ...place, value: nullAt(at) }, depth + 1)
  if (!isSeq(node)) return nullAt(at)
  const items = node.items.map((child, index) => convert(reading, child, item(place, index, nullAt(at)), depth + 1))
  return { kind: 'list', at, items }
}

function mapping(reading: Reading, node: YAMLMap, place: Field, depth: number): Mapping {
  const { at } = place.value
  const present = new Set<string>()
  const entries: Entry[] = []
  /** Entries of a merge key, and their position among the others. */
  let brought: { entries: Entry[]; index: number } | undefined
  for (const { key, value } of node.items) {
    const named = keyOf(reading, key, place, depth)
    if (!named) continue
    const field = member(place, named.text, nullAt(isNode(key) ? (key.range?.[1] ?? at) : at))
    const entry: Entry = { key: named.text, keyAt: named.at, value: convert(reading, value, field, depth) }
    const mistake = REFUSED_KEYS.has(entry.key) ? 'key is not allowed' : present.has(entry.key) && 'duplicate key'
    if (mistake) reading.problems.add(`${mistake}: ${shortened(entry.key)}`, field.path, entry.keyAt)
    else if (isMergeKey(key)) brought = { entries: merged(reading, field, entry.value), index: entries.length }
    else entries.push(entry)
    if (!mistake) present.add(entry.key)
  }
  if (!brought) return { kind: 'map', at, entries }
  const more = brought.entries.filter(({ key }) => !present.has(key) && present.add(key)) // own keys win
  return { kind: 'map', at, entries: [...entries.slice(0, brought.index), ...more, ...entries.slice(brought.index)] }
}

function keyOf(reading: Reading, key: unknown, place: Field, depth: number): Scalar | undefined {
  const found = convert(reading, key, place, depth)
  if (found.kind === 'scalar' && (found.data !== null || found.text !== '')) return found
  reading.problems.add('a key must be a text', place.path, found.at)
  return undefined
}

/** `<<`, unless it is quoted. */
const isMergeKey = (key: unknown) => isScalar(key) && key.type === 'PLAIN' && key.source === '<<'

/** The entries of a merge key; of several maps the first one with a key wins. */
function merged(reading: Reading, place: Field, value: Value): Entry[] {
  const sources = value.kind === 'list' ? value.items : [value]
  return sources.flatMap((source) => {
    if (source.kind === 'map') return source.entries
    reading.problems.add('a merge key wants a map or a list of maps', place.path, source.at)
    return []
  })
}
