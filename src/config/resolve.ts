/** Merges settings: flags override the environment, that overrides the file, and that the default. Source: api-semantics 10.2. */
import { existsSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { guarded, TroupeError } from '../errors.ts'
import { nearest } from '../nearest.ts'
import { type ConfigFile, readFileText, textOfFile } from './file.ts'
import { KEYS, type Key, rowOf, type Values } from './table.ts'
import { userHome } from './user-home.ts'

/** A configured value of a setting and its source. */
interface Configured {
  value: unknown
  /** Where the value is from, such as `--port`, `ENGINE_PORT` or `config.yaml:3:7`. */
  source: string
  /** Prefix of messages. */
  label: string
  /** Base of relative paths. */
  folder: string
}

export interface Resolved {
  values: Values
  /** The source of each configured setting. */
  sources: ReadonlyMap<Key, string>
  /** The file that was read. */
  file?: string
  warnings: string[]
  /** Sentences, one for each wrong setting. */
  problems: string[]
  /** Names of the variables that contain secrets. */
  secretVariables: string[]
}

type Environment = Readonly<Record<string, string>>

const PREFIX = 'ENGINE_'
/** Prefixes of settings with credentials, including future ones. */
const SECRET_PREFIXES = ['ENGINE_AUTH_', 'ENGINE_PEER_']

// D303: unknown keys of the file are warnings
/**
 * @param flags values by key, from the command line or a host
 * @param nameOf name of a setting there
 */
export function resolveSettings(
  flags: Readonly<Partial<Record<Key, unknown>>>,
  environment: Environment,
  nameOf: (key: Key) => string
): Resolved {
  const warnings: string[] = []
  const problems: string[] = []
  const configured = new Map<Key, Configured>()
  const cwd = process.cwd()
  for (const key of KEYS) {
    const variable = variableOf(key, environment)
    if (flags[key] !== undefined && flags[key] !== '') {
      const source = nameOf(key)
      configured.set(key, { value: flags[key], source, label: source, folder: cwd })
    } else if (variable)
      configured.set(key, { value: environment[variable], source: variable, label: variable, folder: cwd })
  }
  const read = (key: 'home' | 'config') => checked(key, configured.get(key), []) as string | undefined // both are paths; problems are reported with the others
  const configuredHome = read('home')
  const home = configuredHome ?? join(environment.XDG_DATA_HOME || join(userHome(), '.local', 'share'), 'troupe')
  const names = fileNames(home, configuredHome === undefined, environment)
  const file = readFile(read('config'), names, environment, problems)
  const folder = file ? dirname(file.path) : cwd
  for (const { key, value, line, column } of file?.written ?? []) {
    const source = `${file?.path}:${line}:${column}`
    if (!configured.has(key)) configured.set(key, { value, source, label: `${source}: ${key}`, folder })
  }
  for (const problem of file?.problems ?? []) problems.push(problem)
  for (const warning of [...(file?.warnings ?? []), ...unknownVariables(environment)]) warnings.push(warning)

  const values = valuesOf(configured, home, problems)
  for (const [key, { source }] of configured) {
    const { unused } = rowOf(key)
    if (unused) warnings.push(`${source}: ${key} has no effect: ${unused}`)
  }
  if (file && isOpenToOthers(file.path) && file.written.some(({ key, value }) => rowOf(key).secret && value !== ''))
    warnings.push(`${file.path} holds credentials and can be read by others: chmod 600`)
  const secretVariables = Object.keys(environment).filter((name) => SECRET_PREFIXES.some((it) => name.startsWith(it)))
  return {
    values,
    sources: new Map([...configured].map(([key, { source }]) => [key, source])),
    ...(file ? { file: file.path } : {}),
    warnings,
    problems,
    secretVariables: [...secretVariables, ...(file?.secretVariables ?? [])]
  }
}

/** @throws TroupeError bad_request with every problem, if there is one */
export function refuseWrong(problems: readonly string[]): void {
  if (problems.length > 0)
    throw new TroupeError('bad_request', problems.join('; '), { details: { errors: [...problems] } })
}

/** Where a list of maps is written: what its sentences begin with, and the base of its relative paths. */
export function listFrom({ sources, file, problems, warnings }: Resolved, key: 'remoteNodes' | 'notify') {
  const source = sources.get(key)
  const isInFile = file !== undefined && source?.startsWith(file)
  return {
    ...(isInFile ? { where: `${source}: ${key}`, folder: dirname(file) } : { where: key, folder: process.cwd() }),
    problems,
    warnings
  }
}

/** The variable of a setting. An empty one is ignored. */
function variableOf(key: Key, environment: Environment): string | undefined {
  const { env, envAlias } = rowOf(key)
  const names = [env, envAlias].filter((name) => name !== undefined).map((name) => PREFIX + name)
  return names.find((name) => environment[name])
}

/** Where a file is searched. */
function fileNames(home: string, isDefault: boolean, { XDG_CONFIG_HOME }: Environment): string[] {
  const own = join(home, 'config.yaml')
  return isDefault ? [join(XDG_CONFIG_HOME || join(userHome(), '.config'), 'troupe', 'config.yaml'), own] : [own]
}

/** @param named must exist; the others are optional @throws TroupeError bad_request: it does not; what cannot be read is a problem */
function readFile(
  named: string | undefined,
  others: string[],
  environment: Environment,
  problems: string[]
): ConfigFile | undefined {
  const path = named ?? others.find((other) => existsSync(other))
  if (path === undefined) return undefined
  let text: string | undefined
  try {
    text = textOfFile(path)
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error
    problems.push(error.message)
    return undefined
  }
  if (text !== undefined) return readFileText(path, text, environment)
  if (named === undefined) return undefined
  throw new TroupeError('bad_request', `configuration file: wanted ${named}, found no such file`)
}

/** Every value, checked, with defaults. */
function valuesOf(configured: ReadonlyMap<Key, Configured>, home: string, problems: string[]): Values {
  const values: Partial<Record<Key, unknown>> = {}
  const standing: Record<string, string> = { home }
  for (const key of KEYS) {
    const { type, standard } = rowOf(key)
    const value = checked(key, configured.get(key), problems)
    // An empty path counts as absent.
    const isSet = value !== undefined && !(type.isPath && value === '')
    values[key] = isSet ? value : key === 'home' ? home : filledIn(standard, standing)
    const folder = /^paths\.(logDir|dataDir)$/.exec(key)?.[1]
    if (folder) standing[folder] = String(values[key])
  }
  // Each value was parsed by the type of its row, or is its default.
  return values as Values
}

function filledIn(standard: unknown, standing: Record<string, string>): unknown {
  if (typeof standard !== 'string') return standard
  return standard.replace(/^\{(\w+)\}(.*)$/, (_, name: string, rest: string) => join(standing[name] ?? '', rest))
}

/** The value of a setting in its type; undefined, with a problem, for a wrong one. */
function checked(key: Key, configured: Configured | undefined, problems: string[]): unknown {
  if (!configured) return undefined
  const { type, secret } = rowOf(key)
  // D1600: that of a host application may throw when it is looked at, so all of it is looked at here
  const value = guarded(() => {
    JSON.stringify(configured.value)
    return type.of(configured.value)
  }, undefined)
  if (value === undefined) {
    const found = secret ? 'something else' : foundText(configured.value)
    problems.push(`${configured.label}: wanted ${type.wanted}, found ${found}`)
  }
  if (!type.isPath || typeof value !== 'string' || value === '') return value
  return resolve(configured.folder, value.replace(/^~(?=\/|$)/, userHome))
}

/** A host may pass values that JSON does not have. */
function foundText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? `a ${typeof value}`
  } catch {
    return typeof value === 'object' ? 'an object' : `a ${typeof value}`
  }
}

/** Variables that look like mistyped settings. Others with the prefix are for steps. */
function unknownVariables(environment: Environment): string[] {
  const known = KEYS.flatMap((key) => [rowOf(key).env, rowOf(key).envAlias]).filter((name) => name !== undefined)
  return Object.keys(environment).flatMap((name) => {
    const rest = name.slice(PREFIX.length)
    if (!name.startsWith(PREFIX) || known.includes(rest)) return []
    const near = nearest(rest, known)
    return near ? [`unknown variable ${name}; did you mean ${PREFIX}${near}?`] : []
  })
}

const isOpenToOthers = (path: string) => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o077) !== 0

/** A setting for people: its value and source. */
export interface ShownSetting {
  key: Key
  /** `***` for a secret that is not empty. */
  value: unknown
  /** `default`, or such as `ENGINE_PORT`, `--port`, `/home/me/config.yaml:3:1`. */
  source: string
}

/** @param worked what became of settings whose value is found elsewhere, such as in the environment */
export function shownSetting(
  key: Key,
  { values, sources }: Resolved,
  worked: Partial<Record<Key, unknown>>
): ShownSetting {
  const value = values[key] ?? worked[key] ?? ''
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0)
  return {
    key,
    value: rowOf(key).secret && !isEmpty ? '***' : value,
    source: sources.get(key) ?? 'default'
  }
}
