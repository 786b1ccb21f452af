/** Changes a YAML document in place, so that comments and order stay, and notes each change with its line. */
import { type Document, isMap, isScalar, type LineCounter, type Node, type Pair, Scalar, type YAMLMap } from 'yaml'

/** What was changed, or is to be looked at. */
export interface Change {
  kind: 'translated' | 'note' | 'left'
  text: string
  advice?: string
  line?: number
}

export type YamlMap = YAMLMap<unknown, unknown>
export type Entry = Pair<unknown, unknown>

export interface Pen {
  readonly document: Document
  readonly changes: Change[]
  /** Names of the other documents of the file. */
  readonly locals: ReadonlySet<string>
  /** Whether a name is a definition beside this one. */
  isDefinition(name: string): boolean
  say(kind: Change['kind'], at: unknown, text: string, advice?: string): void
  /** Gives an entry another name. */
  rename(entry: Entry, name: string): void
}

export function penFor(document: Document, lines: LineCounter, known: Pick<Pen, 'locals' | 'isDefinition'>): Pen {
  const changes: Change[] = []
  const say: Pen['say'] = (kind, at, text, advice) => {
    const offset = (at as Node | undefined)?.range?.[0] // of whatever it is
    const line = offset === undefined ? undefined : lines.linePos(offset).line
    changes.push({ kind, text, ...(advice ? { advice } : {}), ...(line === undefined ? {} : { line }) })
  }
  return {
    ...known,
    document,
    changes,
    say,
    rename(entry, name) {
      const before = nameOf(entry)
      if (before === name) return
      say('translated', entry.key, `${before} is ${name}`)
      if (isScalar(entry.key)) entry.key.value = name
      else entry.key = new Scalar(name)
    }
  }
}

export const nameOf = ({ key }: Entry): string => String(isScalar(key) ? key.value : key)

/** A name without case and underscores. */
const plain = (name: string): string => name.replaceAll('_', '').toLowerCase()

/** The entry of a map by name, in any case, with or without underscores. */
export const entryOf = (map: YamlMap, name: string): Entry | undefined =>
  map.items.find((entry) => plain(nameOf(entry)) === plain(name))

export const mapIn = (entry: Entry | undefined): YamlMap | undefined =>
  isMap(entry?.value) ? (entry.value as YamlMap) : undefined

export function textIn(entry: Entry | undefined): string | undefined {
  const value = entry?.value
  if (isScalar(value))
    return value.value === null || value.value === undefined ? undefined : String(value.source ?? value.value)
  return undefined
}

export function drop(map: YamlMap, entry: Entry | undefined): void {
  const at = entry ? map.items.indexOf(entry) : -1
  if (at >= 0) map.items.splice(at, 1)
}

/** Sets a value in the place of an entry, with the comment in front of it; or at the end. */
export function put({ document }: Pen, map: YamlMap, name: string, value: unknown, instead?: Entry): void {
  const made = document.createPair(name, value) as Entry
  if (instead && isScalar(instead.key) && isScalar(made.key)) {
    made.key.commentBefore = instead.key.commentBefore ?? null
    if (instead.key.spaceBefore) made.key.spaceBefore = true
  }
  const at = instead ? map.items.indexOf(instead) : -1
  if (at >= 0) map.items[at] = made
  else map.items.push(made)
}
