/** Configuration: the only reader of `process.env` (`ENGINE_*`). Flag beats environment beats default. Source: api-semantics 10.2. */
import { availableParallelism, homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { TroupeError } from './errors.ts'

/** Settings that a flag or a host application may give; everything else has its default. */
export interface Settings {
  home?: string
  dagsDir?: string
  logDir?: string
  dataDir?: string
  baseConfig?: string
  host?: string
  port?: number
  tz?: string
  defaultShell?: string
  debug?: boolean
  logFormat?: 'text' | 'json'
  durability?: 'commit' | 'strict'
  shutdown?: 'leave' | 'stop'
  maxProcesses?: number
  allowUnauthenticated?: boolean
  /** Named queues; `enabled: false` refuses every enqueue. Source: definition-format "queues". */
  queues?: { enabled?: boolean; config?: { name: string; maxConcurrency: number }[] }
}

export interface Config {
  /** Application home; everything below it unless set apart. */
  home: string
  /** Definitions. */
  dagsDir: string
  /** Run logs. */
  logDir: string
  /** Store and working directories of inline runs. */
  dataDir: string
  /** File of fields that lie under every definition. */
  baseConfig: string
  host: string
  /** 0: any free port. */
  port: number
  /** IANA zone for times in answers. Looked up when it is first asked for: `Intl` is slow to load. */
  readonly tz: string
  /** Shell of steps that name none; absent: `$SHELL`, else `sh`. */
  defaultShell: string
  debug: boolean
  logFormat: 'text' | 'json'
  /** `commit`: effects wait for the commit; `strict`: they wait for the flush to disk. */
  durability: 'commit' | 'strict'
  /** What the end of a server does with its runs. Source: execution-semantics 7.3.11. */
  shutdown: 'leave' | 'stop'
  /** Steps that are starting at a time. */
  maxProcesses: number
  /** Listen beyond loopback without authentication. */
  allowUnauthenticated: boolean
  queues: { enabled: boolean; config: readonly { name: string; maxConcurrency: number }[] }
  /** The environment the process was given: for `${VAR}` when a definition is loaded, never for steps. */
  environment: Readonly<Record<string, string>>
}

/** Reads the configuration. @throws TroupeError bad_request naming the setting, what was wanted and what was found. */
export function readConfig(settings: Settings = {}, environment: NodeJS.ProcessEnv = process.env): Config {
  const env = Object.fromEntries(
    Object.entries(environment).filter((entry): entry is [string, string] => entry[1] !== undefined)
  )
  const { ENGINE_HOME, ENGINE_DAGS_DIR, ENGINE_DAGS, ENGINE_LOG_DIR, ENGINE_DATA_DIR } = env
  const home = path(
    settings.home ?? ENGINE_HOME ?? join(env.XDG_DATA_HOME ?? join(homedir(), '.local', 'share'), 'troupe')
  )
  const given = zone(settings.tz ?? env.ENGINE_TZ)
  let tz: string | undefined
  const below = (given: string | undefined, folder: string) => (given ? path(given) : join(home, folder))
  return {
    home,
    dagsDir: below(settings.dagsDir ?? ENGINE_DAGS_DIR ?? ENGINE_DAGS, 'dags'),
    logDir: below(settings.logDir ?? ENGINE_LOG_DIR, 'logs'),
    dataDir: below(settings.dataDir ?? ENGINE_DATA_DIR, 'data'),
    baseConfig: below(settings.baseConfig ?? env.ENGINE_BASE_CONFIG, 'base.yaml'),
    host: settings.host ?? env.ENGINE_HOST ?? '127.0.0.1',
    port: integer('ENGINE_PORT', settings.port ?? env.ENGINE_PORT, 8080, 0, 65_535),
    get tz() {
      tz ??= given ?? Intl.DateTimeFormat().resolvedOptions().timeZone
      return tz
    },
    defaultShell: settings.defaultShell ?? env.ENGINE_DEFAULT_SHELL ?? env.SHELL ?? 'sh',
    debug: settings.debug ?? flag('ENGINE_DEBUG', env.ENGINE_DEBUG),
    logFormat: oneOf('ENGINE_LOG_FORMAT', settings.logFormat ?? env.ENGINE_LOG_FORMAT, ['text', 'json']),
    durability: oneOf('ENGINE_DURABILITY', settings.durability ?? env.ENGINE_DURABILITY, ['commit', 'strict']),
    shutdown: oneOf('ENGINE_SHUTDOWN', settings.shutdown ?? env.ENGINE_SHUTDOWN, ['leave', 'stop']),
    maxProcesses: integer(
      'ENGINE_MAX_PROCESSES',
      settings.maxProcesses ?? env.ENGINE_MAX_PROCESSES,
      Math.max(16, 4 * availableParallelism()),
      1,
      10_000
    ),
    allowUnauthenticated:
      settings.allowUnauthenticated ?? flag('ENGINE_ALLOW_UNAUTHENTICATED', env.ENGINE_ALLOW_UNAUTHENTICATED),
    queues: { enabled: settings.queues?.enabled ?? true, config: settings.queues?.config ?? [] },
    environment: env
  }
}

const path = (given: string) => resolve(given.replace(/^~(?=\/|$)/, homedir()))

const wrong = (name: string, wanted: string, found: unknown) =>
  new TroupeError('bad_request', `${name}: wanted ${wanted}, found ${JSON.stringify(found)}`)

function integer(
  name: string,
  given: string | number | undefined,
  otherwise: number,
  min: number,
  max: number
): number {
  if (given === undefined || given === '') return otherwise
  const value = Number(given)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw wrong(name, `an integer from ${min} to ${max}`, given)
}

function flag(name: string, given: string | undefined): boolean {
  if (given === undefined || given === '') return false
  if (/^(true|1)$/i.test(given)) return true
  if (/^(false|0)$/i.test(given)) return false
  throw wrong(name, 'true or false', given)
}

function oneOf<const T extends string>(name: string, given: string | undefined, words: [T, ...T[]]): T {
  const word = words.find((word) => word === (given || words[0]))
  if (word) return word
  throw wrong(name, words.join(' or '), given)
}

function zone(given: string | undefined): string | undefined {
  if (!given) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
  } catch {
    throw wrong('ENGINE_TZ', 'an IANA time zone such as Europe/Berlin', given)
  }
}
