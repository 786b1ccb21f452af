/** The configuration file: YAML text to its settings, each with its position. Source: api-semantics 10.2. */
import { isUtf8 } from 'node:buffer'
import { createRequire } from 'node:module'
import type * as Yaml from 'yaml'
import { codeOf, TroupeError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { reasonOf } from '../platform/make-folder.ts'
import { NoFile, readNamed } from '../platform/open-regular.ts'
import { KEYS, type Key, rowOf } from './table.ts'

/** A setting as in the file. */
export interface Written {
  key: Key
  value: unknown
  line: number
  column: number
}

export interface ConfigFile {
  path: string
  written: Written[]
  warnings: string[]
  problems: string[]
  /** Names of the variables in secret settings. */
  secretVariables: string[]
}

const MOST_BYTES = 1024 * 1024
const HOW_TO_FIX = 'put a configuration file there, or give another --config'

const byName = new Map<string, Key>(KEYS.map((key) => [key.toLowerCase(), key]))
const byOldName = new Map<string, Key>(
  KEYS.flatMap((key) => (rowOf(key).old ?? []).map((old): [string, Key] => [old.toLowerCase(), key]))
)
const sections = new Set(
  KEYS.flatMap((key) => {
    const parts = key.toLowerCase().split('.')
    return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join('.'))
  })
)
/** The switch of the old `authToken`. */
const OLD_SWITCH = 'isauthtoken'

// D301, D304: a named configuration file must exist
/** The file's text; undefined: there is none. @throws TroupeError bad_request when it cannot be read */
export function textOfFile(path: string): string | undefined {
  let bytes: Buffer
  try {
    bytes = readNamed(path, MOST_BYTES)
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? '')) return undefined
    const refusal = cause instanceof NoFile ? `${cause.message}: ${HOW_TO_FIX}` : `cannot be read: ${reasonOf(cause)}`
    throw new TroupeError('bad_request', `${path}: ${refusal}`, { cause })
  }
  if (bytes.length > MOST_BYTES) throw new TroupeError('bad_request', `${path}: wanted at most ${MOST_BYTES} bytes`)
  const text = bytes.toString()
  if (isUtf8(bytes)) return text
  // Invalid UTF-8 would silently change a password.
  const before = text.slice(0, text.indexOf('\uFFFD')).split('\n')
  const place = `${path}:${before.length}:${(before.at(-1)?.length ?? 0) + 1}`
  throw new TroupeError('bad_request', `${place}: wanted UTF-8, found another byte: save the file as UTF-8`)
}

/**
 * Reads the text of a file. Unknown keys are warnings; invalid YAML, a wrong shape or an unset variable is a problem.
 * @param variables for `${NAME}` in texts
 */
export function readFileText(path: string, text: string, variables: Readonly<Record<string, string>>): ConfigFile {
  // Loaded only when there is a file, and synchronously, because the configuration is read synchronously.
  const yaml: typeof Yaml = createRequire(import.meta.url)('yaml')
  const lines = new yaml.LineCounter()
  const file: ConfigFile = { path, written: [], warnings: [], problems: [], secretVariables: [] }
  const document = yaml.parseDocument(text, {
    version: '1.2',
    schema: 'core',
    resolveKnownTags: false,
    prettyErrors: false,
    lineCounter: lines
  })
  const placeOf = (offset: number) => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }
  const at = ({ line, column }: { line: number; column: number }) => `${path}:${line}:${column}`
  for (const { code, message, pos } of [...document.errors, ...document.warnings].slice(0, 10)) {
    const what = code === 'MULTIPLE_DOCS' ? 'wanted one document, found several' : message
    file.problems.push(`${at(placeOf(pos[0]))}: invalid YAML: ${what}`)
  }
  if (file.problems.length > 0) return file

  const seen = new Set<Key>()
  const old: Written[] = []
  let tokenIsOff = false

  const isNothing = (node: unknown) => node === null || (yaml.isScalar(node) && node.value === null)

  function section(node: Yaml.YAMLMap, above: string): void {
    for (const { key: keyNode, value: valueNode } of node.items) {
      const place = placeOf(yaml.isNode(keyNode) ? (keyNode.range?.[0] ?? 0) : 0)
      const spelling = above + String(yaml.isScalar(keyNode) ? keyNode.value : keyNode)
      const name = spelling.toLowerCase()
      const value = yaml.isAlias(valueNode) ? valueNode.resolve(document) : valueNode
      const key = byName.get(name)
      if (sections.has(name) && !isOld(name, value)) {
        if (yaml.isMap(value)) section(value, `${spelling}.`)
        else if (!isNothing(value)) file.problems.push(`${at(place)}: ${spelling}: wanted a map of settings`)
      } else if (key) {
        if (rowOf(key).outside) file.problems.push(`${at(place)}: ${key}: cannot stand in the file that it leads to`)
        else if (seen.has(key)) file.problems.push(`${at(place)}: ${key}: given twice`)
        else if (!isNothing(value)) file.written.push(writtenOf(key, value, place))
        seen.add(key)
      } else oldSpelling(name, spelling, value, place)
    }
  }

  /** `dags` once was a path; there may be a section of that name later. */
  const isOld = (name: string, value: unknown) => byOldName.has(name) && !yaml.isMap(value)

  function oldSpelling(name: string, spelling: string, value: unknown, place: { line: number; column: number }): void {
    const key = byOldName.get(name)
    if (key) {
      file.warnings.push(`${at(place)}: ${spelling} is an old spelling of ${key}`)
      if (!isNothing(value)) old.push(writtenOf(key, value, place))
    } else if (name === OLD_SWITCH) {
      tokenIsOff = yaml.isScalar(value) && value.value === false
      file.warnings.push(`${at(place)}: ${spelling} is no longer needed: auth.token.value alone switches tokens on`)
    } else {
      const near = nearest(
        spelling,
        KEYS.filter((known) => !rowOf(known).outside)
      )
      const sentence = `${at(place)}: unknown setting ${spelling}${near ? `; did you mean ${near}?` : ''}`
      // D1392: an unknown setting below `access` is refused
      if (GUARDS.test(name)) file.problems.push(sentence)
      else file.warnings.push(sentence)
    }
  }

  function writtenOf(key: Key, node: unknown, place: { line: number; column: number }): Written {
    const plain = yaml.isNode(node) ? node.toJS(document, { maxAliasCount: 100 }) : node
    const value = expanded(plain, (variable) => {
      if (rowOf(key).secret) file.secretVariables.push(variable)
      const found = variables[variable]
      // An empty value could disable authentication.
      if (found === undefined) file.problems.push(`${at(place)}: ${key}: the variable ${variable} is not set`)
      return found ?? ''
    })
    return { key, value, ...place }
  }

  if (yaml.isMap(document.contents)) section(document.contents, '')
  else if (!isNothing(document.contents)) file.problems.push(`${path}:1:1: wanted a map of settings`)
  for (const written of old) {
    const { key } = written
    if (seen.has(key)) file.warnings.push(`${at(written)}: passed over, ${key} is given too`)
    else if (!(key === 'auth.token.value' && tokenIsOff)) file.written.push(written)
    seen.add(key)
  }
  return file
}

/** Sections in which a mistyped name could leave a door open. */
const GUARDS = /^(access|limits|executors|steps)\./

/** The value with `${NAME}` expanded once in all its texts. */
function expanded(value: unknown, variable: (name: string) => string): unknown {
  if (typeof value === 'string') return value.replace(/\$\{(\w+)\}/g, (_, name: string) => variable(name))
  if (Array.isArray(value)) return value.map((item) => expanded(item, variable))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, expanded(item, variable)]))
}
