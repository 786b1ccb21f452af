/**
 * Content of a YAML document, as plain values with positions. A scalar keeps its source text, so that `1.10`,
 * `007` and large integers survive. Source: components 14, reliability 5.3 R4.
 */
export type Value = Scalar | List | Mapping

export interface Scalar {
  kind: 'scalar'
  /** Offset in the text, in UTF-16 units; so in every value. */
  at: number
  /** A plain scalar as written, a quoted or block one as its value. */
  text: string
  /** By the YAML 1.2 core schema. */
  data: string | number | boolean | null
}

export interface List {
  kind: 'list'
  at: number
  items: Value[]
}

/** Keys are unique; merge keys are resolved. */
export interface Mapping {
  kind: 'map'
  at: number
  entries: Entry[]
}

export interface Entry {
  key: string
  keyAt: number
  value: Value
}

/** A value and its place: the last part of the path, and the path from the document's root. The root has an empty name. */
export interface Field {
  name: string
  path: string
  value: Value
}

export const nullAt = (at: number): Scalar => ({ kind: 'scalar', at, text: '', data: null })

export const isNull = (value: Value): boolean => value.kind === 'scalar' && value.data === null

const PLAIN_KEY = /^[\w-]+$/

export function member(parent: Field, key: string, value: Value): Field {
  if (!PLAIN_KEY.test(key)) return { name: key, path: `${parent.path}[${JSON.stringify(key)}]`, value }
  return { name: key, path: parent.path ? `${parent.path}.${key}` : key, value }
}

export function item(parent: Field, index: number, value: Value): Field {
  return { name: `${parent.name}[${index}]`, path: `${parent.path}[${index}]`, value }
}

const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/** Compact JSON; numbers keep their digits. */
export function toJson(value: Value): string {
  switch (value.kind) {
    case 'list':
      return `[${value.items.map(toJson).join(',')}]`
    case 'map':
      return `{${value.entries.map(({ key, value }) => `${JSON.stringify(key)}:${toJson(value)}`).join(',')}}`
    case 'scalar': {
      const { data, text } = value
      return typeof data === 'number' && JSON_NUMBER.test(text) ? text : JSON.stringify(data)
    }
  }
}
