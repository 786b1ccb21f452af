/**
 * Where a cursor is in a definition, from its lines alone: a text that is being typed is seldom YAML. Block style by indentation, flow
 * style (`{a: 1}`) within a line.
 */

/** A key, or `[]` for an item of a list. */
export type Path = readonly string[]

export interface Place {
  /** Path of the map or list in which the cursor is. */
  path: Path
  /** A key is being typed, or the value of this key. */
  at: 'key' | { valueOf: string }
  /** Column of the lines that are in the same map; undefined: it is within one line. */
  column?: number
  /** Index of the line, and column, of the last key of the path; undefined: it ends with an item, or is within one line. */
  holder?: { line: number; column: number }
}

const ITEM = '[]'
const LINE = /^(\s*)((?:- +|-$)*)(.*)$/
const KEY = /^(?:"([^"]*)"|'([^']*)'|([^\s#"'{}[\],&*!|>%@`][^#{}[\],]*?))\s*:(?:\s+|$)(.*)$/
const BLOCK = /^[|>][-+\d]*\s*(?:#.*)?$/
const DOCUMENT = /^---(?:\s|$)/

interface Line {
  /** Columns of its dashes. */
  dashes: number[]
  /** Column where the content begins. */
  column: number
  key?: string
  /** Behind the key, or the whole content. */
  value: string
}

/** Undefined: it is empty, or a comment. */
export function readLine(text: string): Line | undefined {
  const [, indent = '', dashed = '', content = ''] = LINE.exec(text) ?? []
  if (dashed === '' && (content === '' || content.startsWith('#'))) return undefined
  const dashes = [...dashed].flatMap((sign, at) => (sign === '-' ? [indent.length + at] : []))
  const column = indent.length + dashed.length
  const found = KEY.exec(content)
  if (!found) return { dashes, column, value: content }
  const [, double, single, plain] = found
  return { dashes, column, key: double ?? single ?? plain ?? '', value: (found[4] ?? '').trim() }
}

/** @param lines of the whole text @param line index of that with the cursor @param column of the cursor; undefined: in a text or comment */
export function placeAt(lines: readonly string[], line: number, column: number): Place | undefined {
  const before = (lines[line] ?? '').slice(0, column)
  if (/(?:^|\s)#/.test(before)) return undefined
  const own = readLine(before) ?? { dashes: [], column: before.length, value: '' }
  const above = pathAbove(lines, line, own.dashes[0] ?? own.column, own.dashes.length > 0)
  if (!above) return undefined
  const path = [...above.path, ...own.dashes.map(() => ITEM)]
  const held = above.holder && own.dashes.length === 0 ? { holder: above.holder } : {}
  if (own.key === undefined)
    return /^[{[]/.test(own.value) ? flowPlace(path, own.value) : { path, at: 'key', column: own.column, ...held }
  if (/^[{[]/.test(own.value)) return flowPlace([...path, own.key], own.value)
  return { path, at: { valueOf: own.key }, column: own.column, ...held }
}

interface Above {
  path: string[]
  holder?: NonNullable<Place['holder']>
}

/** The path to what begins at a column below the lines above; undefined: within a longer text. @param isDash it begins with a dash */
function pathAbove(lines: readonly string[], line: number, column: number, isDash: boolean): Above | undefined {
  const path: string[] = []
  let holder: Above['holder']
  let [at, dash] = [column, isDash]
  for (let index = line - 1; index >= 0 && (at > 0 || dash); index--) {
    const text = lines[index] ?? ''
    if (DOCUMENT.test(text)) break
    const found = readLine(text)
    if (!found) continue
    // Only what is further left holds it; a list may stand right below its key.
    if (found.key !== undefined && (found.column < at || (dash && found.column === at && found.value === ''))) {
      if (BLOCK.test(found.value)) return undefined
      if (path.length === 0) holder = { line: index, column: found.column }
      path.unshift(found.key)
      ;[at, dash] = [found.column, false]
    } else if (found.key === undefined && found.column < at && BLOCK.test(found.value)) return undefined
    for (const place of found.dashes.toReversed())
      if (place < at) {
        path.unshift(ITEM)
        ;[at, dash] = [place, true]
      }
  }
  return { path, ...(holder ? { holder } : {}) }
}

/** Within `{a: 1, b: [x,` of one line. */
function flowPlace(outer: Path, text: string): Place | undefined {
  const path = [...outer]
  const open: ('{' | '[')[] = []
  let key: string | undefined
  let word = ''
  let quote = ''
  for (const sign of text) {
    if (quote !== '') {
      if (sign === quote) quote = ''
      else word += sign
    } else if (sign === '"' || sign === "'") quote = sign
    else if (sign === '{' || sign === '[') {
      if (open.at(-1) === '[') path.push(ITEM)
      else if (key !== undefined) path.push(key)
      open.push(sign)
      ;[key, word] = [undefined, '']
    } else if (sign === '}' || sign === ']') {
      open.pop()
      if (open.length === 0) return undefined
      path.pop()
      ;[key, word] = [undefined, '']
    } else if (sign === ',') [key, word] = [undefined, '']
    else if (sign === ':' && open.at(-1) === '{' && key === undefined) [key, word] = [word.trim(), '']
    else word += sign
  }
  if (open.at(-1) === '[') return { path: [...path, ITEM], at: 'key' }
  return { path, at: key === undefined ? 'key' : { valueOf: key } }
}

/** Keys that the map with the cursor has already, and the values of those in one line, without quotes. */
export function siblings(lines: readonly string[], line: number, column: number): Map<string, string> {
  const found = new Map<string, string>()
  const add = (index: number): boolean => {
    const text = lines[index] ?? ''
    if (DOCUMENT.test(text)) return false
    const read = readLine(text)
    if (!read) return true
    const isFirst = read.dashes.length > 0 && (read.dashes.at(-1) ?? 0) < column
    if (read.column < column) return false
    if (read.column === column && read.key !== undefined)
      found.set(read.key, read.value.replace(/^(["'])(.*)\1$/, '$2'))
    return !isFirst
  }
  for (let index = line; index >= 0 && add(index); index--);
  for (let index = line + 1; index < lines.length; index++) {
    const read = readLine(lines[index] ?? '')
    if (read?.dashes.some((dash) => dash < column)) break
    if (!add(index)) break
  }
  return found
}
