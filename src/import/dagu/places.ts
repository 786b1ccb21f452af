/** Where a home of Dagu keeps what: below DAGU_HOME, or in the folders of XDG; its configuration may name others. */
import { existsSync } from 'node:fs'
import { isAbsolute, join, resolve } from 'node:path'
import { isMap, isScalar, parseDocument } from 'yaml'
import { TroupeError } from '../../errors.ts'
import { MIB, readIn } from '../source.ts'

export interface Places {
  /** The folder that was named, or that was found. */
  home: string
  dags: string
  /** Runs by name. */
  runs: string
  data: string
  logs: string
  flags: string
  queue: string
  /** Files. */
  base: string
  config: string
}

type Environment = Readonly<Record<string, string | undefined>>

/** Names of places in its configuration, at the top or below `paths`; without case and underscores. */
const NAMED = {
  dagsdir: 'dags',
  dags: 'dags',
  datadir: 'data',
  logdir: 'logs',
  suspendflagsdir: 'flags',
  baseconfig: 'base',
  dagrunsdir: 'runs',
  queuedir: 'queue'
} as const

const VARIABLES = {
  DAGU_DAGS_DIR: 'dags',
  DAGU_DAGS: 'dags',
  DAGU_DATA_DIR: 'data',
  DAGU_LOG_DIR: 'logs',
  DAGU_SUSPEND_FLAGS_DIR: 'flags',
  DAGU_BASE_CONFIG: 'base',
  DAGU_DAG_RUNS_DIR: 'runs',
  DAGU_QUEUE_DIR: 'queue'
} as const

// D1500: where a home of Dagu is
/**
 * @param named the folder that is imported; absent: that of DAGU_HOME, else ~/.dagu, else the folders of XDG
 * @throws TroupeError not_found: there is none
 */
export function placesOf(named: string | undefined, dags: string | undefined, environment: Environment): Places {
  const home = named ?? environment.DAGU_HOME
  const found = home === undefined ? ownPlaces(environment) : below(home)
  if (!existsSync(found.home))
    throw new TroupeError('not_found', `wanted the home of Dagu, found nothing at ${found.home}`)
  const written: Partial<Places> = { ...pathsIn(found), ...(named === undefined ? pathsOf(environment) : {}) }
  const data = written.data ?? found.data
  return {
    ...found,
    runs: join(data, 'dag-runs'),
    queue: join(data, 'queue'),
    ...written,
    ...(dags === undefined ? {} : { dags })
  }
}

function below(home: string): Places {
  const data = join(home, 'data')
  return {
    home,
    dags: join(home, 'dags'),
    data,
    runs: join(data, 'dag-runs'),
    logs: join(home, 'logs'),
    flags: join(home, 'suspend'),
    queue: join(data, 'queue'),
    base: join(home, 'base.yaml'),
    config: join(home, 'config.yaml')
  }
}

function ownPlaces(environment: Environment): Places {
  const user = environment.HOME ?? ''
  const old = join(user, '.dagu')
  if (existsSync(old)) return below(old)
  const config = join(environment.XDG_CONFIG_HOME || join(user, '.config'), 'dagu')
  const share = join(environment.XDG_DATA_HOME || join(user, '.local', 'share'), 'dagu')
  return {
    ...below(share),
    home: existsSync(share) ? share : config,
    dags: join(config, 'dags'),
    base: join(config, 'base.yaml'),
    config: join(config, 'config.yaml')
  }
}

function pathsOf(environment: Environment): Partial<Places> {
  const found: Partial<Places> = {}
  for (const [name, place] of Object.entries(VARIABLES)) if (environment[name]) found[place] = environment[name]
  return found
}

/** The places that its configuration names. One that cannot be read names none; it is reported with the configuration. */
function pathsIn({ home, config }: Places): Partial<Places> {
  const read = readIn(resolve(config, '..'), 'config.yaml', MIB)
  if ('problem' in read) return {}
  const root = parseDocument(read.text).contents
  const found: Partial<Places> = {}
  const take = (map: unknown) => {
    if (!isMap(map)) return
    for (const { key, value } of map.items) {
      const name = plain(String(isScalar(key) ? key.value : key))
      const place = NAMED[name as keyof typeof NAMED] // checked below
      const path = isScalar(value) ? value.value : undefined
      if (name === 'paths') take(value)
      else if (place && typeof path === 'string' && path !== '' && !path.includes('$'))
        found[place] = isAbsolute(path) ? path : resolve(home, path)
    }
  }
  take(root)
  return found
}

/** A key without case and underscores: 1.x writes `logDir`, 2.x `log_dir`. */
export const plain = (key: string): string => key.replaceAll('_', '').toLowerCase()
