/**
 * Configuration: the only reader of `process.env`. The settings are in config/table.ts, the merge of their
 * sources in config/resolve.ts; this file builds the object that the engine receives. Source: api-semantics 10.2.
 */
import { availableParallelism } from 'node:os'
import { type Auth, authOf, type Tls, tlsOf } from './config/access.ts'
import { type Access, accessOf } from './config/access-rules.ts'
import { type Coordination, coordinationOf } from './config/coordination.ts'
import { type Held, heldOf } from './config/limits/held.ts'
import { type NotifySetting, notifyOf } from './config/notify.ts'
import { type RemoteNode, remoteNodesOf } from './config/remote-nodes.ts'
import {
  listFrom,
  type Resolved,
  refuseWrong,
  resolveSettings,
  type ShownSetting,
  shownSetting
} from './config/resolve.ts'
import { byKey, readableSettings, type Settings, unknownSettings } from './config/settings.ts'
import { KEYS, type Key, rowOf } from './config/table.ts'
import { environmentZone } from './config/time-zone.ts'
import type { QueueSetting } from './config/types.ts'

export type { Auth, BasicAuth, BearerToken, OidcAuth, Tls } from './config/access.ts'
export { isAuthenticated } from './config/access.ts'
export {
  type Access,
  type AccessRule,
  type RoleSetting,
  type RuleContent,
  ruleContentOf
} from './config/access-rules.ts'
export { type Coordination, useOf } from './config/coordination.ts'
export { type CallerLimits, type Limits, limitsOf } from './config/limits/caller-limits.ts'
export type { Egress } from './config/limits/egress.ts'
export type { AllowedTypes } from './config/limits/executor-rules.ts'
export type { Rate } from './config/limits/rate.ts'
export type { StepLimits, StepRules } from './config/limits/step-rules.ts'
export type { NotifySetting } from './config/notify.ts'
export type { RemoteNode } from './config/remote-nodes.ts'
export type { ShownSetting } from './config/resolve.ts'
export {
  type Judgement,
  maySee,
  mayWrite,
  type Rights,
  readyRule,
  rightsBy,
  type Subject,
  weakest
} from './config/roles/rights.ts'
export { isEnough, isRole, PERMISSIONS, type Permission, ROLES, type Role } from './config/roles/roles.ts'
export type { Secret } from './config/secret.ts'
export { type CoordinatorSettings, type Settings, settingsNamed } from './config/settings.ts'
export { zoneOfCommands } from './config/time-zone.ts'
export {
  networkIn,
  type QueueSetting,
  type ScryptHash,
  scryptHash,
  urlPath
} from './config/types.ts'

export interface Config extends Held {
  /** The configuration file that was read. */
  file?: string
  /** Application home; contains everything without its own path. */
  home: string
  /** Folder of definitions. */
  dagsDir: string
  /** Folder of run logs. */
  logDir: string
  /** Store and working directories of inline runs. */
  dataDir: string
  /** Defaults of every definition; optional. */
  baseConfig: string
  host: string
  /** 0: any free port. */
  port: number
  /** Prefix of every URL: empty, or such as `/eng`. */
  basePath: string
  /** Prefix of the API below `basePath`, such as `/api/v2`. */
  apiBasePath: string
  /** IANA zone of schedules and of times in responses: the setting, else that of the environment. Known to `Intl`. */
  tz: string
  /** `tz` is the zone of the process, so that `Date` can be used instead of `Intl`, which is slow to load. */
  isLocalTime: boolean
  /** Runs backticks of definitions in a test engine, where no process does. */
  backticks?: (command: string) => Promise<string>
  /** Default shell of steps; absent: `$SHELL`, else `sh`. */
  defaultShell: string
  debug: boolean
  /** No web pages, the API only. */
  headless: boolean
  logFormat: 'text' | 'json'
  /** What effects wait for. `commit`: the commit; `strict`: the flush to disk. */
  durability: 'commit' | 'strict'
  /** Whether a server's runs go on after its end. Source: execution-semantics 7.3.11. */
  shutdown: 'leave' | 'stop'
  /** Greatest number of steps that start at a time. */
  maxProcesses: number
  /** Listen beyond loopback without authentication. */
  allowUnauthenticated: boolean
  auth: Auth
  /** Roles of callers, on the server and with some definitions. */
  access: Access
  /** Permissions of the whole server. Source: api-semantics 9.2. */
  permissions: { writeDAGs: boolean; runDAGs: boolean }
  /** Unknown body fields and query values out of range are refused. */
  strictValidation: boolean
  /** Callers who may read `/metrics`. */
  metrics: 'private' | 'public'
  tls?: Tls
  /** Origins of pages that may call the API, besides its own. */
  allowedOrigins: readonly string[]
  /** Trusted proxies, in the format of `networkIn`. */
  trustedProxies: readonly string[]
  suspendFlagsDir: string
  /** Age of runs in a list without dates, ms; 0: all. */
  defaultRunWindowMs: number
  /** Parameters from clients are evaluated like defaults. */
  evalParams: boolean
  /** Runs of earlier days are not shown as latest. */
  latestStatusToday: boolean
  dagList: { sort: 'name' | 'nextRun'; order: 'asc' | 'desc' }
  // D232: `ui.logEncodingCharset` is about the output of steps
  /** Character set of step and run logs. */
  logCharset: string
  /** Sampling of the resources of the machine; absent: off. Source: api-semantics 10.2. */
  monitoring?: { intervalMs: number; retentionMs: number }
  /** Named queues. `enabled: false` refuses every enqueue. */
  queues: { enabled: boolean; config: readonly QueueSetting[] }
  /** Health port of `troupe scheduler`; 0: none. Source: api-semantics 6.4. */
  schedulerPort: number
  /** ms */
  schedulerRetryMs: number
  /** Other servers that are reachable through this one. Source: api-semantics 8. */
  remoteNodes: readonly RemoteNode[]
  /** Webhooks that are told of runs. */
  notify: readonly NotifySetting[]
  /** Address of this server for people, without a trailing slash; absent: not known. */
  publicUrl?: string
  /** Workers, and the coordinator that they find the engine through. */
  coordination: Coordination
  /** The audit log and its folder. `retentionDays` 0: nothing is dropped. */
  audit: { enabled: boolean; dir: string; retentionDays: number }
  /** The environment of the process, without credentials of the engine: for `${VAR}` when a definition is loaded, never for steps. */
  environment: Readonly<Record<string, string>>
  /** Sentences about ignored settings. */
  warnings: readonly string[]
  /** Keys with values that this release does not support. */
  unsupported: readonly string[]
}

/** Settings come from a host application: messages name its options, not flags. */
export interface Host {
  /** Problems of its other options. */
  problems: readonly string[]
}

/**
 * Reads the configuration. @param wrong told of each wrong setting, its source, what was wanted and what was found, and it has its default
 * @throws TroupeError bad_request with these sentences when `wrong` is absent
 */
export const readConfig = (
  settings: Settings = {},
  environment: NodeJS.ProcessEnv = process.env,
  host?: Host,
  wrong?: (problems: readonly string[]) => void
): Config => explainConfig(settings, environment, host, wrong).config

/** The token that a command shows to a server elsewhere: only from the environment, as that of a home is for the home's own server. */
export const tokenForServers = (environment: NodeJS.ProcessEnv = process.env): string | undefined =>
  environment.ENGINE_AUTH_TOKEN || undefined

/** The configuration with the source of each value. @throws as `readConfig` */
export function explainConfig(
  settings: Settings = {},
  environment: NodeJS.ProcessEnv = process.env,
  host?: Host,
  wrong = refuseWrong
): { config: Config; shown(): ShownSetting[] } {
  const env = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
  const given = readableSettings(settings)
  const { configured, options } = byKey(given)
  const nameOf = (key: Key) => {
    const { flag } = rowOf(key)
    return host ? (options.get(key) ?? key) : flag ? `--${flag}` : key
  }
  const resolved = resolveSettings(configured, env, nameOf)
  resolved.problems.unshift(...(host?.problems ?? []), ...unknownSettings(given))
  const config = configOf(resolved, env, wrong)
  const sources = new Map(resolved.sources)
  if (env.TZ !== undefined && !resolved.sources.has('tz')) sources.set('tz', 'TZ')
  const { tz, defaultShell, maxProcesses } = config
  const worked = { config: config.file ?? '', tz, defaultShell, maxProcesses }
  const shown = () => KEYS.map((key) => shownSetting(key, { ...resolved, sources }, worked))
  explained.set(config, shown)
  return { config, shown }
}

/** A configuration is handed around without the sources of its values. */
const explained = new WeakMap<Config, () => ShownSetting[]>()

/** Every setting of a configuration that `readConfig` has made, in a form for people. */
export function shownSettings(config: Config): ShownSetting[] {
  const shown = explained.get(config)
  if (!shown) throw new Error('wanted a configuration as it was read')
  return shown()
}

function configOf(resolved: Resolved, env: Record<string, string>, wrong: typeof refuseWrong): Config {
  const { values: v, problems, warnings, file, secretVariables } = resolved
  const auth = authOf(v, problems)
  const access = accessOf(v, auth, problems)
  const held = heldOf(v, auth, problems)
  const tls = tlsOf(v, problems)
  const coordination = coordinationOf(v, resolved.sources.has('peer.insecure'), problems)
  const remoteNodes = remoteNodesOf(v.remoteNodes ?? [], listFrom(resolved, 'remoteNodes'))
  const notify = notifyOf(v.notify ?? [], listFrom(resolved, 'notify'))
  const publicUrl = v['server.publicUrl'] || auth.oidc?.clientUrl
  if (v.apiBasePath === '' || v.apiBasePath === '/api/v1') problems.push('apiBasePath: wanted a path such as /api/v2')
  const zone = zoneOf(resolved, env)
  wrong(problems)
  const monitoring = { intervalMs: needed(v['monitoring.interval']), retentionMs: needed(v['monitoring.retention']) }
  const secret = new Set(secretVariables)
  return {
    ...(file ? { file } : {}),
    home: needed(v.home),
    dagsDir: needed(v['paths.dagsDir']),
    logDir: needed(v['paths.logDir']),
    dataDir: needed(v['paths.dataDir']),
    baseConfig: needed(v['paths.baseConfig']),
    host: v.host ?? '',
    port: needed(v.port),
    basePath: v.basePath ?? '',
    apiBasePath: needed(v.apiBasePath),
    ...zone,
    defaultShell: v.defaultShell || env.SHELL || 'sh',
    debug: needed(v.debug),
    headless: needed(v.headless),
    logFormat: needed(v.logFormat),
    durability: needed(v.durability),
    shutdown: needed(v.shutdown),
    maxProcesses: v.maxProcesses ?? Math.max(16, 4 * availableParallelism()),
    allowUnauthenticated: needed(v.allowUnauthenticated),
    auth,
    access,
    ...held,
    permissions: { writeDAGs: needed(v['permissions.writeDAGs']), runDAGs: needed(v['permissions.runDAGs']) },
    strictValidation: needed(v.strictValidation),
    metrics: needed(v.metrics),
    ...(tls ? { tls } : {}),
    allowedOrigins: needed(v['cors.allowedOrigins']),
    trustedProxies: needed(v['server.trustedProxies']),
    suspendFlagsDir: needed(v['paths.suspendFlagsDir']),
    defaultRunWindowMs: needed(v['api.defaultRunWindow']),
    evalParams: needed(v['api.evalParams']),
    latestStatusToday: needed(v.latestStatusToday),
    dagList: { sort: needed(v['ui.dags.sortField']), order: needed(v['ui.dags.sortOrder']) },
    logCharset: needed(v['ui.logEncodingCharset']),
    ...(monitoring.intervalMs > 0 && monitoring.retentionMs > 0 ? { monitoring } : {}),
    queues: { enabled: needed(v['queues.enabled']), config: needed(v['queues.config']) },
    schedulerPort: needed(v['scheduler.port']),
    schedulerRetryMs: needed(v['scheduler.lockRetryInterval']),
    remoteNodes,
    notify,
    ...(publicUrl ? { publicUrl: publicUrl.replace(/\/+$/, '') } : {}),
    coordination,
    audit: {
      enabled: needed(v['audit.enabled']),
      dir: needed(v['paths.auditDir']),
      retentionDays: needed(v['audit.retentionDays'])
    },
    environment: Object.fromEntries(Object.entries(env).filter(([name]) => !secret.has(name))),
    warnings,
    unsupported: KEYS.filter((key) => isUnsupported(key, resolved))
  }
}

/** The configured zone, else that of the environment, whose faults become problems or warnings. */
function zoneOf({ values, sources, problems, warnings }: Resolved, { TZ }: Record<string, string>) {
  if (sources.has('tz')) return { tz: values.tz ?? '', isLocalTime: false } // a wrong one is among the problems
  const found = environmentZone(TZ)
  if ('problem' in found) {
    problems.push(found.problem)
    return { tz: '', isLocalTime: false }
  }
  if (found.warning !== undefined) warnings.push(found.warning)
  return { tz: found.tz, isLocalTime: found.isOfDate && TZ === process.env.TZ }
}

/** A value with a default in the table. */
function needed<T>(value: T | undefined): T {
  if (value !== undefined) return value
  throw new Error('a setting has no default')
}

function isUnsupported(key: Key, { values, sources }: Resolved): boolean {
  const { later, standard, type } = rowOf(key)
  if (!later || !sources.has(key)) return false
  const found = JSON.stringify(values[key])
  // The default of a path depends on other settings, so any configured path counts as a change.
  return Boolean(type.isPath && values[key]) || found !== JSON.stringify(standard)
}
