/** Changes a YAML document in place, so that comments and order stay, and notes each change with its line. */
import { type Document, isMap, isScalar, type LineCounter, type Node, type Pair, Scalar, type YAMLMap } from 'yaml'

/** What was changed, or is to be looked at. */
export interface Change {
  kind: 'translated' | 'note' | 'left'
  text: string
  advice?: string
  line?: number
  /** Paths of the format: what a reader says of them is this change, too. */
  paths?: readonly string[]
}

/** new: 2.7 and later; old: before it. */
export type Release = 'new' | 'old'

export type YamlMap = YAMLMap<unknown, unknown>
export type Entry = Pair<unknown, unknown>

export interface Pen {
  readonly document: Document
  readonly changes: Change[]
  /** Names of the other documents of the file. */
  readonly locals: ReadonlySet<string>
  /** What the file tells, or --from. */
  readonly release: Release | undefined
  /** Whether the base file says the type. */
  readonly baseHasType: boolean
  /** Whether a name is a definition beside this one. */
  isDefinition(name: string): boolean
  /** Variables that have what a person has filled in, by the id of the step. */
  readonly forms: Map<string, string>
  /** Keeps a JSON Schema, and returns how a definition names its file; undefined: there is no place for one. */
  keepSchema(schema: Record<string, unknown>): string | undefined
  /** @param paths of fields of which a reader says the same */
  say(kind: Change['kind'], at: unknown, text: string, advice?: string, ...paths: string[]): void
  /** Whether something was said of a field. */
  isTold(path: string): boolean
  /** Gives an entry another name. */
  rename(entry: Entry, name: string): void
}

export type Known = Pick<Pen, 'locals' | 'release' | 'baseHasType' | 'isDefinition' | 'keepSchema'>

/** @param index of the document in its file */
export function penFor(document: Document, lines: LineCounter, known: Known, index: number): Pen {
  const changes: Change[] = []
  const at = (path: string): string => [index > 0 ? [`documents[${index}]`] : [], path || []].flat().join('.')
  const say: Pen['say'] = (kind, node, text, advice, ...paths) => {
    const offset = (node as Node | undefined)?.range?.[0] // of whatever it is
    const line = offset === undefined ? undefined : lines.linePos(offset).line
    changes.push({
      kind,
      text,
      ...(advice ? { advice } : {}),
      ...(line === undefined ? {} : { line }),
      ...(paths.length > 0 ? { paths: paths.map(at) } : {})
    })
  }
  return {
    ...known,
    document,
    changes,
    forms: new Map(),
    say,
    isTold: (path) => changes.some(({ paths }) => paths?.includes(at(path))),
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

export const textIn = (entry: Entry | undefined): string | undefined => scalarText(entry?.value)

export function scalarText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (!isScalar(value) || value.value === null || value.value === undefined) return undefined
  return String(value.source ?? value.value)
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

/** Takes a setting out of a map. */
export function taken(settings: YamlMap | undefined, name: string): unknown {
  const entry = settings && entryOf(settings, name)
  if (!entry || !settings) return undefined
  drop(settings, entry)
  return entry.value
}

/** Makes an action what it is here. @param entry `action` @returns false: it is none, and nothing was changed */
export type Translate = (pen: Pen, step: YamlMap, settings: YamlMap | undefined, entry: Entry) => boolean
