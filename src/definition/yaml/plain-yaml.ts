/**
 * A fast path from YAML to plain values: block maps and lists with values on one line, and literal blocks, as most definitions are
 * written. Any other text, above all one with a mistake, is left to the package (`document.ts`): nothing is refused or reported here, and
 * the result is that of the package (`test/definition/yaml/plain-yaml.test.ts` compares them). The package keeps the position of every
 * space, which is most of the time for a definition. Source: performance 5, execution-semantics 1.6.5.
 */
import { isScalar, type LineCounter, type ScalarTag, Schema } from 'yaml'
import { REFUSED_KEYS } from './plain-values.ts'
import type { Entry, List, Mapping, Scalar, Value } from './value.ts'

/** UTF-16 units. A text of this length stays below every limit of `nesting.ts` but that of levels. */
const LONGEST = 256 * 1024
const MAX_LEVELS = 32

/** Tabs, carriage returns, controls and rare scripts. */
const UNUSUAL = /[^\n\x20-\x7e\xa1-\u1fff]/
const LINE = /^( *)(- +)?(?:([A-Za-z_][\w-]{0,99}):(?: +|$))?(.*)$/
/** A text that is neither a comment nor the key of another map; what follows the first sign is checked by `NOT_PLAIN`. */
const PLAIN = /^(?:[\w./$~(]|-[\w.])/
const NOT_PLAIN = /: | #|[: ]$/
const FLOW_WORD = /[\w./$][\w./$-]*(?: [\w./$-]+)*/y
const FLOW_KEY = /([A-Za-z_][\w-]{0,99}): +/y
const DOUBLE = /"((?:[^"\\]|\\["\\nt])*)"/y
const SINGLE = /'((?:[^']|'')*)'/y

interface Line {
  /** Where the line begins in the text, and the columns of its parts. */
  start: number
  indent: number
  /** After `- `; that of the line itself without one. */
  column: number
  isItem: boolean
  key: string | undefined
  rest: string
}

/** Thrown and caught here alone. */
const ANOTHER_WAY = Symbol('another way')
const leave = (): never => {
  throw ANOTHER_WAY
}

// D519: a second, faster YAML reader handles plain texts
/** The one document of a text; undefined: the package has to read it. Fills `lines` when it does. */
export function plainYaml(text: string, lines: LineCounter): Mapping | undefined {
  if (text.length > LONGEST || UNUSUAL.test(text)) return undefined
  try {
    const root = new Reader(text).root()
    lines.addNewLine(0)
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.addNewLine(at + 1)
    return root
  } catch (cause) {
    if (cause === ANOTHER_WAY) return undefined
    throw cause
  }
}

class Reader {
  readonly #raw: string[]
  /** Place of the current line. */
  #index = -1
  #start = 0
  #line: Line | undefined

  constructor(text: string) {
    this.#raw = text.split('\n')
    this.#next()
  }

  root(): Mapping {
    const root = this.#line && !this.#line.isItem && this.#line.indent === 0 ? this.#map(0, 1) : leave()
    return this.#line ? leave() : root
  }

  /** Goes to the next line that is neither empty nor a comment. */
  #next(): void {
    const raw = this.#raw
    while (++this.#index < raw.length) {
      const line = raw[this.#index] ?? ''
      const start = this.#start
      this.#start += line.length + 1
      const [, spaces = '', dash, key, rest = ''] = LINE.exec(line) ?? leave()
      if (!dash && key === undefined && (rest === '' || rest.startsWith('#'))) continue
      const column = spaces.length + (dash?.length ?? 0)
      this.#line = { start, indent: spaces.length, column, isItem: dash !== undefined, key, rest }
      return
    }
    this.#line = undefined
  }

  /** The map with its keys in `column`, from the current line on. */
  #map(column: number, level: number): Mapping {
    if (level > MAX_LEVELS) leave()
    const entries: Entry[] = []
    const keys = new Set<string>()
    const first = this.#line ?? leave()
    let line: Line | undefined = first
    for (; line; line = this.#line) {
      const { start, key } = line
      if (line !== first && (line.isItem || line.indent !== column)) break
      if (key === undefined || keys.has(key) || REFUSED_KEYS.has(key)) return leave()
      keys.add(key)
      entries.push({ key, keyAt: start + column, value: this.#valueOf(line, column, level) })
    }
    if (line && (line.indent > column || (line.isItem && line.indent === column))) leave()
    return { kind: 'map', at: first.start + column, entries }
  }

  #valueOf(line: Line, column: number, level: number): Value {
    const { rest } = line
    if (rest === '|' || rest === '|-') return this.#literal(line, column)
    if (rest !== '') return this.#oneLine(line)
    this.#next()
    const below = this.#line ?? leave()
    if (below.isItem && below.indent >= column) return this.#list(below.indent, level + 1)
    return !below.isItem && below.indent > column ? this.#map(below.indent, level + 1) : leave()
  }

  /** The list with its dashes in column `indent`. */
  #list(indent: number, level: number): List {
    if (level > MAX_LEVELS) leave()
    const first = this.#line ?? leave()
    const items: Value[] = []
    let line: Line | undefined = first
    for (; line?.isItem && line.indent === indent; line = this.#line)
      items.push(line.key === undefined ? this.#oneLine(line) : this.#map(line.column, level + 1))
    if (line && line.indent > indent) leave()
    return { kind: 'list', at: first.start + indent, items }
  }

  /** A value that ends with its line; nothing deeper may follow. */
  #oneLine({ start, indent, isItem, key, column, rest }: Line): Value {
    const at = start + (this.#raw[this.#index]?.length ?? 0) - rest.length
    const value = valueIn(rest, at)
    this.#next()
    const level = key === undefined ? indent : isItem ? column : indent
    if (this.#line && this.#line.indent > level) leave()
    return value
  }

  /** `|` or `|-`, for the key in `column`. */
  #literal({ start, rest }: Line, column: number): Scalar {
    const at = start + (this.#raw[this.#index]?.length ?? 0) - rest.length
    const raw = this.#raw
    const indent = indentOf(raw[this.#index + 1] ?? '')
    if (indent <= column || (raw[this.#index + 1] ?? '').length === indent) leave()
    const found: string[] = []
    for (let line = raw[this.#index + 1]; line !== undefined; line = raw[this.#index + 1]) {
      const own = indentOf(line)
      if (own < line.length && own < indent) break
      if (own === line.length && own > 0) leave() // spaces alone count here and there
      found.push(line.slice(indent))
      this.#index++
      this.#start += line.length + 1
    }
    if (this.#index + 1 === raw.length && found.at(-1) !== '') leave() // the last line of the text is not ended
    while (found.at(-1) === '') found.pop()
    this.#next()
    if (this.#line && this.#line.indent > column) leave()
    const text = `${found.join('\n')}${rest === '|' ? '\n' : ''}`
    return { kind: 'scalar', at, text, data: text }
  }
}

const indentOf = (line: string): number => {
  let indent = 0
  while (line.charCodeAt(indent) === 32) indent++
  return indent
}

function valueIn(rest: string, at: number): Value {
  const sign = rest[0]
  if (sign === '"' || sign === "'" || sign === '[' || sign === '{') {
    const flow = new Flow(rest, at)
    const value = flow.value(1)
    return flow.place === rest.length ? value : leave()
  }
  if (!PLAIN.test(rest) || NOT_PLAIN.test(rest)) leave()
  return plain(rest, at)
}

/** First signs of null, booleans and numbers. */
const SPECIAL = /^[-+.\d~nNtTfF]/
let schema: Schema | undefined

function plain(text: string, at: number): Scalar {
  if (!SPECIAL.test(text)) return { kind: 'scalar', at, text, data: text }
  schema ??= new Schema({ schema: 'core' })
  // The cast: without collections only scalars are left, which the package's types do not know.
  const tag = schema.tags.find((tag) => tag.default === true && !tag.collection && tag.test?.test(text)) as
    | ScalarTag
    | undefined
  const resolved = tag ? tag.resolve(text, leave, {}) : text
  const data = isScalar(resolved) ? resolved.value : resolved
  if (data === text) return { kind: 'scalar', at, text, data: text }
  return typeof data === 'number' || typeof data === 'boolean' || data === null
    ? { kind: 'scalar', at, text, data }
    : leave()
}

const ESCAPES: Record<string, string> = { n: '\n', t: '\t' }

/** Brackets, braces or quotes on one line. */
class Flow {
  place = 0
  readonly #rest: string
  readonly #at: number

  /** @param at where `rest` begins in the text */
  constructor(rest: string, at: number) {
    this.#rest = rest
    this.#at = at
  }

  value(level: number): Value {
    const at = this.#at + this.place
    switch (this.#rest[this.place]) {
      case '[':
        return this.#list(at, level)
      case '{':
        return this.#map(at, level)
      case '"': {
        const text = this.#take(DOUBLE)[1] ?? ''
        return quoted(text.includes('\\') ? text.replace(/\\(.)/g, (_, sign) => ESCAPES[sign] ?? sign) : text, at)
      }
      case "'":
        return quoted((this.#take(SINGLE)[1] ?? '').replaceAll("''", "'"), at)
      default:
        return plain(this.#take(FLOW_WORD)[0], at)
    }
  }

  #list(at: number, level: number): List {
    const items: Value[] = []
    this.#between(']', level, () => items.push(this.value(level + 1)))
    return { kind: 'list', at, items }
  }

  #map(at: number, level: number): Mapping {
    const entries: Entry[] = []
    this.#between('}', level, () => {
      const keyAt = this.#at + this.place
      const key = this.#take(FLOW_KEY)[1] ?? ''
      if (REFUSED_KEYS.has(key) || entries.some((entry) => entry.key === key)) leave()
      entries.push({ key, keyAt, value: this.value(level + 1) })
    })
    return { kind: 'map', at, entries }
  }

  /** From the opening sign to after the closing one. */
  #between(end: string, level: number, one: () => void): void {
    if (level > MAX_LEVELS) leave()
    this.place++
    this.#skip()
    while (this.#rest[this.place] !== end) {
      one()
      this.#skip()
      if (this.#rest[this.place] === ',') {
        this.place++
        this.#skip()
        if (this.#rest[this.place] === end) leave()
      } else if (this.#rest[this.place] !== end) leave()
    }
    this.place++
  }

  #skip(): void {
    while (this.#rest[this.place] === ' ') this.place++
  }

  #take(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.place
    const found = pattern.exec(this.#rest) ?? leave()
    this.place += found[0].length
    return found
  }
}

const quoted = (text: string, at: number): Scalar => ({ kind: 'scalar', at, text, data: text })
