/** The JSON Schema of a definition, asked what may stand at a place. Which of several forms is meant is not decided: all are offered. */
import type { Path } from './yaml-place.ts'

export interface SchemaNode {
  description?: string
  type?: string | readonly string[]
  default?: unknown
  enum?: readonly unknown[]
  const?: unknown
  deprecated?: boolean
  $ref?: string
  anyOf?: readonly SchemaNode[]
  allOf?: readonly SchemaNode[]
  items?: SchemaNode
  properties?: Readonly<Record<string, SchemaNode>>
  additionalProperties?: SchemaNode | boolean
  if?: SchemaNode
  then?: SchemaNode
  $defs?: Readonly<Record<string, SchemaNode>>
}

export interface KeyOption {
  name: string
  description: string
  /** Kind of the value, such as `text` or `map`. */
  kind: string
  isDeprecated: boolean
}

export interface Asking {
  path: Path
  /** Values of the keys beside the last one of the path: a `type` decides what a `config` is. */
  outer?: ReadonlyMap<string, string>
}

// D1276: the editor asks the schema of definitions itself what may stand where
/** Nodes that a place may have, references followed. */
function nodesAt(root: SchemaNode, { path, outer = new Map() }: Asking): SchemaNode[] {
  let nodes = flat(root, root)
  for (const [at, key] of path.entries()) {
    const isLast = at === path.length - 1
    nodes = nodes.flatMap((node) => within(root, node, key, isLast ? outer : new Map()))
  }
  return nodes
}

function within(root: SchemaNode, node: SchemaNode, key: string, beside: ReadonlyMap<string, string>): SchemaNode[] {
  if (key === '[]') return node.items ? flat(root, node.items) : []
  const chosen = (node.allOf ?? []).filter(({ if: asked, then }) => asked && then && holds(root, asked, beside))
  const forms = [node, ...chosen.flatMap(({ then }) => (then ? [then] : []))]
  const found = forms.flatMap((form) => {
    const own = propertyOf(form, key)
    if (own) return flat(root, own)
    return typeof form.additionalProperties === 'object' ? flat(root, form.additionalProperties) : []
  })
  return found
}

/** Whatever its case, as definitions are read. */
function propertyOf({ properties = {} }: SchemaNode, key: string): SchemaNode | undefined {
  const wanted = key.toLowerCase()
  return Object.entries(properties).find(([name]) => name.toLowerCase() === wanted)?.[1]
}

const holds = (root: SchemaNode, { properties = {} }: SchemaNode, beside: ReadonlyMap<string, string>): boolean =>
  Object.entries(properties).every(([name, node]) => {
    const value = beside.get(name)
    return value !== undefined && flat(root, node).some(({ enum: words = [] }) => words.includes(value))
  })

function flat(root: SchemaNode, node: SchemaNode): SchemaNode[] {
  if (node.$ref !== undefined) {
    const found = root.$defs?.[node.$ref.replace('#/$defs/', '')]
    return found ? flat(root, found) : []
  }
  return [node, ...(node.anyOf ?? []).flatMap((one) => flat(root, one))]
}

/** Keys that a map at a place may have. */
export function keysAt(root: SchemaNode, asking: Asking): KeyOption[] {
  const options = new Map<string, KeyOption>()
  for (const { properties = {} } of nodesAt(root, asking))
    for (const [name, node] of Object.entries(properties))
      if (!options.has(name))
        options.set(name, {
          name,
          description: node.description ?? '',
          kind: kindOf(root, node),
          isDeprecated: node.deprecated ?? false
        })
  return [...options.values()]
}

/** Words that a value may be. */
export function valuesOf(root: SchemaNode, asking: Asking, key: string): string[] {
  const nodes = nodesAt(root, asking).flatMap((node) => within(root, node, key, new Map()))
  const words = nodes.flatMap(({ enum: found = [], type = [] }) => [
    ...found,
    ...([type].flat().includes('boolean') && ![type].flat().includes('string') ? [true, false] : [])
  ])
  return [...new Set(words.filter((word) => word !== null && word !== '').map(String))]
}

export interface Told {
  description: string
  kind: string
  default?: string
  values: string[]
}

/** What a key is. */
export function tellOf(root: SchemaNode, asking: Asking, key: string): Told | undefined {
  const node = nodesAt(root, asking)
    .map((one) => propertyOf(one, key))
    .find((found) => found?.description !== undefined)
  if (!node) return undefined
  const { description = '', default: start } = node
  const told = { description, kind: kindOf(root, node), values: valuesOf(root, asking, key) }
  return start === undefined ? told : { ...told, default: JSON.stringify(start) }
}

const KINDS: Record<string, string> = { object: 'map', array: 'list', string: 'text' }

/** `text or list`. A number or boolean beside a text is only another way to write one. */
function kindOf(root: SchemaNode, node: SchemaNode): string {
  const types = new Set(flat(root, node).flatMap(({ type = [] }) => [type].flat()))
  types.delete('null')
  if (types.has('string')) for (const other of ['number', 'boolean']) types.delete(other)
  if (types.size === 0 && flat(root, node).some((one) => one.enum)) return 'word'
  return [...types].map((type) => KINDS[type] ?? type).join(' or ')
}
