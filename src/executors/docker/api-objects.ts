/** Objects of the Docker API as definitions write them: keys in any case, numbers as texts. Source: execution-semantics 10.2.10-11. */
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import type { Json } from '../../../machines/vocabulary.ts'
import { ConfigError, flagOf, kindOf } from '../frame/config-values.ts'

export type ApiObject = { [key: string]: Json }

/** Keys that are read here, as the API spells them; the Docker engine accepts any case of the others. */
const NAMES = new Map(
  [
    'Image',
    'Cmd',
    'Entrypoint',
    'Env',
    'Labels',
    'ExposedPorts',
    'HostConfig',
    'NetworkingConfig',
    'Tty',
    'User',
    'WorkingDir',
    'Binds',
    'PortBindings',
    'NetworkMode',
    'AutoRemove',
    'EndpointsConfig',
    'HostIp',
    'HostPort'
  ].map((name) => [name.toLowerCase(), name])
)
const FLAGS = /^(tty|openstdin|stdinonce|privileged|readonlyrootfs|init|publishallports|autoremove|oomkilldisable)$/i
const NUMBERS = /^(memory\w*|kernelmemory|nanocpus|cpu(shares|period|quota|count)|pidslimit|shmsize|oomscoreadj)$/i
const TEXTS = /^(user|workingdir|hostname|domainname|stopsignal|cpuset(cpus|mems))$/i
const LISTS_OF_TEXTS = /^(cmd|entrypoint)$/i
/** Maps whose keys are not those of the API. */
const MAPS_OF_TEXTS = /^(labels|sysctls|tmpfs|storageopt)$/i

/** The object under a key of the config; empty when absent. */
export function apiObject(value: Json | undefined, where: string): ApiObject {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigError(`config.${where}: wanted a map`)
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [nameOf(key), converted(key, inner, `${where}.${key}`)])
  )
}

const nameOf = (key: string) => NAMES.get(key.toLowerCase()) ?? key

/** Variables expand to text, and what YAML reads as a number may be meant as text. */
function converted(key: string, value: Json, where: string): Json {
  if (value === null) return null
  if (FLAGS.test(key)) {
    const flag = flagOf(value)
    if (flag === undefined) throw new ConfigError(`config.${where}: wanted true or false, found ${kindOf(value)}`)
    return flag
  }
  if (typeof value === 'string' && NUMBERS.test(key)) {
    if (!/^-?\d+$/.test(value.trim())) throw new ConfigError(`config.${where}: wanted a whole number, found a string`)
    return Number(value)
  }
  if (TEXTS.test(key)) return textOf(value, where)
  if (LISTS_OF_TEXTS.test(key) && Array.isArray(value)) return value.map((entry) => textOf(entry, where))
  return MAPS_OF_TEXTS.test(key) ? textMap(value, where) : value
}

/** Empty when absent. */
export function textMap(value: Json | undefined, where: string): Record<string, string> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw new ConfigError(`config.${where}: wanted a map`)
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, textOf(inner, where)]))
}

/** `K=V` of a list or a map. */
export function envList(value: Json | undefined, where: string): string[] | undefined {
  if (value === undefined || value === null) return undefined
  if (Array.isArray(value)) return value.map((entry) => textOf(entry, where))
  if (typeof value === 'object') return Object.entries(value).map(([key, inner]) => `${key}=${textOf(inner, where)}`)
  throw new ConfigError(`config.${where}: wanted a list of K=V, or a map`)
}

function textOf(value: Json, where: string): string {
  if (value !== null && typeof value === 'object') throw new ConfigError(`config.${where}: wanted texts`)
  return value === null ? '' : String(value)
}

const withProtocol = (port: string) => (port.includes('/') ? port : `${port}/tcp`)

/** `ExposedPorts`: a map by port; a list of ports is accepted. */
export function exposedPorts(value: Json | undefined): ApiObject {
  const ports = Array.isArray(value) ? value.map(String) : Object.keys(value && typeof value === 'object' ? value : {})
  return Object.fromEntries(ports.map((port) => [withProtocol(port), {}]))
}

/** `PortBindings`: for each port a list of addresses; one address, or a port alone, is accepted. */
export function portBindings(value: Json | undefined): ApiObject {
  const ports = value && typeof value === 'object' && !Array.isArray(value) ? value : {}
  return Object.fromEntries(
    Object.entries(ports).map(([port, bindings]) => [withProtocol(port), [bindings].flat().map(binding)])
  )
}

function binding(value: Json): Json {
  if (value === null || typeof value !== 'object' || Array.isArray(value))
    return { HostPort: value === null ? '' : String(value) }
  const entries = Object.entries(value).map(([key, inner]): [string, Json] => [nameOf(key), String(inner ?? '')])
  return Object.fromEntries(entries)
}

/** `EndpointsConfig` by network; a network without settings may be empty. */
export function endpoints(network: ApiObject): [string, ApiObject][] {
  const { EndpointsConfig: networks } = network
  if (networks === undefined || networks === null) return []
  if (typeof networks !== 'object' || Array.isArray(networks))
    throw new ConfigError('config.network.EndpointsConfig: wanted a map by network')
  return Object.entries(networks).map(([name, settings]) => [
    name,
    apiObject(settings, `network.EndpointsConfig.${name}`)
  ])
}

/** `src:dst[:mode]` with a relative source, or one below `~`, as an absolute path. Another source is absolute, or names a volume. */
export function bind(text: string, base: string): string {
  const [source = '', ...rest] = text.split(':')
  const path = /^~(?=\/|$)/.test(source)
    ? source.replace(/^~/, homedir())
    : /^\.{1,2}(\/|$)/.test(source) || (/\//.test(source) && !source.startsWith('/'))
      ? resolve(base, source)
      : source
  return [path, ...rest].join(':')
}
