/** The configuration of a home: settings that mean the same get written, the others are named. */
import { basename, dirname } from 'node:path'
import { isMap, isScalar, LineCounter, parseDocument, stringify, type YAMLMap } from 'yaml'
import { KEYS, type Key, rowOf } from '../../config/table.ts'
import type { Kind, Report } from '../report.ts'
import { MIB, readIn } from '../source.ts'
import type { FileToWrite } from './definitions.ts'
import { type Places, plain } from './places.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface Setting {
  /** As written. */
  name: string
  value: unknown
  what: string
  line?: number
}

const BY_NAME = new Map<string, Key>([
  ...KEYS.flatMap((key) => (rowOf(key).old ?? []).map((old): [string, Key] => [plain(old), key])),
  ...KEYS.map((key): [string, Key] => [plain(key), key])
])

/** Sections of settings: maps are looked into. */
const SECTIONS = new Set(
  KEYS.flatMap((key) => key.split('.').map((_, at, parts) => plain(parts.slice(0, at).join('.'))))
)

const LEFT: [pattern: RegExp, text: string, advice: string][] = [
  [
    /^(paths\.|dagsdir$|dags$|datadir$|logdir$|suspendflagsdir$|adminlogsdir$|baseconfig$|executable$|workdir$)/,
    'is a place of Dagu',
    'what lies there has come over into this home'
  ],
  [
    /^auth\.builtin/,
    'its users and their passwords stay in Dagu',
    'give them access with auth.basic, auth.tokens or auth.oidc, and access.roles'
  ],
  [/^auth\.oidc\.rolemapping/, 'roles by claim are written differently', 'see auth.oidc.roleClaim and access.roles'],
  [
    /^(gitsync|tunnel|bots|license|terminal|audit|session|sse|cache|checkupdates|eventstore|controlplanestore|proc)\b/,
    'there is no such part here',
    'leave it out'
  ],
  [
    /^envpassthrough/,
    'steps get the variables that the format lists, and those of env',
    'write the others in env of the base file'
  ],
  [/^secrets\./, 'there are no common settings of secret providers', 'write provider: command, see docs/secrets.md'],
  [/^defaultexecutionmode/, 'a workerSelector says what workers run', 'write workerSelector in the base file']
]

// D1507: settings are written where they mean the same, and checked as if they had been written by hand
/** @returns the file to be written; undefined: nothing is to be set */
export function settingsOf(
  places: Pick<Places, 'config'>,
  to: string,
  environment: Environment,
  report: Report
): FileToWrite | undefined {
  const written: Record<string, unknown> = {}
  const found = [...inFile(places.config, report), ...inEnvironment(environment, report)]
  const mode = found.find(({ name }) => plain(name) === 'auth.mode')?.value
  for (const setting of found) take(setting, mode, written, report)
  sayMode(mode, report)
  if (Object.keys(written).length === 0) return undefined
  const text = `# Taken over from ${places.config}\n${stringify(nested(written))}`
  return { part: 'configuration', path: to, bytes: Buffer.from(text), what: basename(to) }
}

function inFile(path: string, report: Report): Setting[] {
  const what = basename(path)
  const read = readIn(dirname(path), what, MIB)
  const left = (text: string, line?: number) =>
    report.add({
      part: 'configuration',
      kind: 'left',
      what,
      text,
      advice: 'correct it, and import again',
      ...(line === undefined ? {} : { line })
    })
  if ('problem' in read) {
    if (read.problem !== 'is missing') left(read.problem, read.line)
    return []
  }
  const lines = new LineCounter()
  const document = parseDocument(read.text, { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error) {
    left(`invalid YAML: ${error.message}`, lines.linePos(error.pos[0]).line)
    return []
  }
  const settings: Setting[] = []
  const visit = (map: YAMLMap, above: string) => {
    for (const { key, value } of map.items) {
      const name = above + String(isScalar(key) ? key.value : key)
      const line = isScalar(key) && key.range ? lines.linePos(key.range[0]).line : undefined
      const isSection = isMap(value) && (SECTIONS.has(plain(name)) || !BY_NAME.has(plain(name)))
      if (isSection && isMap(value)) visit(value, `${name}.`)
      else
        settings.push({
          name,
          value: isScalar(value) ? value.value : toPlain(value, document),
          what,
          ...(line === undefined ? {} : { line })
        })
    }
  }
  if (isMap(document.contents)) visit(document.contents, '')
  return settings
}

const toPlain = (value: unknown, document: ReturnType<typeof parseDocument>): unknown => {
  try {
    return document.createNode(value).toJS(document, { maxAliasCount: 100 })
  } catch {
    return undefined
  }
}

/** Variables such as DAGU_PORT; a credential is not written into a file. */
function inEnvironment(environment: Environment, report: Report): Setting[] {
  return KEYS.flatMap((key) => {
    const row = rowOf(key)
    const name = row.env === undefined ? undefined : `DAGU_${row.env}`
    const value = name === undefined ? undefined : environment[name]
    if (name === undefined || value === undefined || row.outside) return []
    if (row.secret) {
      report.add({
        part: 'configuration',
        kind: 'left',
        what: name,
        text: 'a credential in the environment',
        advice: `set ENGINE_${row.env} where Troupe starts`
      })
      return []
    }
    return [{ name: key, value, what: name }]
  })
}

function take(
  { name, value, what, line }: Setting,
  mode: unknown,
  written: Record<string, unknown>,
  report: Report
): void {
  const spelled = plain(name)
  const say = (kind: Kind, text: string, advice?: string) =>
    report.add({
      part: 'configuration',
      what,
      kind,
      text,
      ...(line === undefined ? {} : { line }),
      ...(advice === undefined ? {} : { advice })
    })
  if (spelled === 'auth.mode' || value === null || value === undefined || value === '') return
  const left = LEFT.find(([pattern]) => pattern.test(spelled))
  const key = BY_NAME.get(spelled)
  const own = camelled(value)
  if (left) say('left', `${name} ${left[1]}`, left[2])
  else if (!key || rowOf(key).outside || rowOf(key).unused)
    say('left', `${name} has no counterpart`, 'see docs/configuration.md for what there is')
  else if (rowOf(key).type.of(own) === undefined)
    say('left', `${name}: wanted ${rowOf(key).type.wanted}`, `set ${key} by hand`)
  else if (rowOf(key).later) {
    const isDefault = JSON.stringify(rowOf(key).type.of(own)) === JSON.stringify(rowOf(key).standard)
    if (!isDefault) say('left', `${name} has no effect here yet`, 'leave it out')
  } else if (spelled.startsWith('auth.basic') && mode === 'none')
    say('left', `${name} has no effect in Dagu, as auth.mode is none`, `set ${key} to require it`)
  else {
    written[key] = own
    const isVariable = what.startsWith('DAGU_')
    if (key === name && !isVariable) say('taken', key)
    else say('translated', `${isVariable ? 'it' : name} is ${key}`)
  }
}

function sayMode(mode: unknown, report: Report): void {
  if (mode === 'builtin')
    report.add({
      part: 'configuration',
      kind: 'left',
      what: 'auth.mode',
      text: 'users of Dagu do not come over',
      advice: 'give them access with auth.basic, auth.tokens or auth.oidc, and access.roles'
    })
  if (mode === 'none')
    report.add({
      part: 'configuration',
      kind: 'note',
      what: 'auth.mode',
      text: 'without authentication this server listens on loopback only',
      advice: 'set auth.basic or auth.tokens to serve others'
    })
}

/** Names of members as they are here: `max_concurrency` is maxConcurrency. */
function camelled(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelled)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [
      name.replace(/_+([a-z0-9])/g, (_, letter: string) => letter.toUpperCase()),
      camelled(one)
    ])
  )
}

/** Dots in names are levels. */
function nested(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const sections = new Map<string, Record<string, unknown>>()
  const root: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(settings)) {
    const [name = key, ...rest] = key.split('.')
    if (rest.length === 0) root[name] = value
    else sections.set(name, { ...sections.get(name), [rest.join('.')]: value })
  }
  for (const [name, below] of sections) root[name] = nested(below)
  return root
}
