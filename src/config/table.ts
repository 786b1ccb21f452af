/**
 * Every setting there is: the single source of names, types, defaults and words for the reader, for `troupe config` and for
 * docs/configuration.md. Data only. Source: api-semantics 10.2, definition-format "Operational configuration".
 */
import { ACCESS } from './access-settings.ts'
import { publicAddress } from './addresses.ts'
import { type Row, row } from './row.ts'
import {
  boolean,
  charset,
  duration,
  integer,
  list,
  map,
  maps,
  networkList,
  originList,
  path,
  port,
  queueList,
  type Type,
  text,
  urlPath,
  window,
  word,
  zone
} from './types.ts'
import { WORKERS } from './worker-settings.ts'

const groupRules = maps('a list of rules such as [{groups: [etl-*], allow: [shell, http]}]')
const stepRules = maps('a list of rules such as [{groups: [etl-*], runAs: etl, limits: {memory: 1GiB}}]')

const REPLACED = 'the store replaces it'

const TABLE = {
  home: row(path, undefined, 'home folder; everything is below it unless set otherwise', {
    flag: 'home',
    outside: true,
    worked: '$XDG_DATA_HOME/troupe, else ~/.local/share/troupe'
  }),
  config: row(path, undefined, 'configuration file', {
    flag: 'config',
    outside: true,
    worked: '{home}/config.yaml; without a given home first ~/.config/troupe/config.yaml'
  }),
  host: row(text, '127.0.0.1', 'address to listen on', { flag: 'host' }),
  port: row(port, 8080, 'port to listen on; 0: any free port', { flag: 'port' }),
  basePath: row(urlPath, '', 'prefix of every URL, for a shared proxy'),
  apiBasePath: row(urlPath, '/api/v2', 'path of the API, below basePath', { old: ['apiBaseURL'] }),
  tz: row(zone, undefined, 'time zone of schedules and of times in answers', { worked: "the system's zone" }),
  debug: row(boolean, false, 'log more'),
  logFormat: row(word('text', 'json'), 'text', 'text or json, one line per event'),
  headless: row(boolean, false, 'no web pages, API only'),
  latestStatusToday: row(boolean, false, 'hide ended runs of earlier days as latest run'),
  skipExamples: row(boolean, true, 'false: fill an empty definitions folder with examples', { later: true }),
  defaultShell: row(text, undefined, 'shell of steps without their own', { worked: '$SHELL, else sh' }),
  workDir: row(path, '', "working folder of steps; empty: the definition's", { later: true }),
  metrics: row(word('private', 'public'), 'private', 'public: GET /metrics needs no credentials', {
    env: 'SERVER_METRICS'
  }),
  strictValidation: row(boolean, false, 'refuse unknown body fields and query values out of range'),
  allowUnauthenticated: row(boolean, false, 'listen beyond loopback without authentication'),
  durability: row(
    word('commit', 'strict'),
    'commit',
    'commit: effects wait for the commit; strict: for the flush to disk'
  ),
  shutdown: row(word('leave', 'stop'), 'leave', 'what a server does with running steps when it ends'),
  maxProcesses: row(integer(1, 10_000), undefined, 'how many steps may start at the same time', {
    worked: '4 x cores, at least 16'
  }),
  // D1760: a file that names it keeps no server from starting
  launcher: row(text, '', 'accepted, unused', { unused: 'troupe-launcher starts all local steps' }),
  'api.defaultRunWindow': row(window, 0, 'age of runs in a list without dates (ms); 0: all'),
  'api.evalParams': row(boolean, false, 'evaluate params that clients send'),
  'paths.dagsDir': row(path, '{home}/dags', 'definitions', {
    env: 'DAGS_DIR',
    envAlias: 'DAGS',
    flag: 'dags',
    old: ['dags', 'dagsDir']
  }),
  'paths.logDir': row(path, '{home}/logs', 'run logs', { env: 'LOG_DIR', old: ['logDir'] }),
  'paths.dataDir': row(path, '{home}/data', 'store, and working folders of inline runs', {
    env: 'DATA_DIR',
    old: ['dataDir']
  }),
  'paths.suspendFlagsDir': row(path, '{home}/suspend', 'flags of suspended definitions', {
    env: 'SUSPEND_FLAGS_DIR',
    old: ['suspendFlagsDir']
  }),
  'paths.adminLogsDir': row(path, '{logDir}/admin', 'server logs', {
    env: 'ADMIN_LOG_DIR',
    old: ['adminLogsDir'],
    later: true
  }),
  'paths.baseConfig': row(path, '{home}/base.yaml', 'defaults of every definition', {
    env: 'BASE_CONFIG',
    old: ['baseConfig']
  }),
  'paths.dagRunsDir': row(path, '{dataDir}/dag-runs', 'accepted, unused', { env: 'DAG_RUNS_DIR', unused: REPLACED }),
  'paths.queueDir': row(path, '{dataDir}/queue', 'accepted, unused', { env: 'QUEUE_DIR', unused: REPLACED }),
  'paths.procDir': row(path, '{dataDir}/proc', 'accepted, unused', { env: 'PROC_DIR', unused: REPLACED }),
  'paths.serviceRegistryDir': row(
    path,
    '{dataDir}/service-registry',
    'where processes of this home find its coordinator',
    { env: 'SERVICE_REGISTRY_DIR' }
  ),
  'paths.executable': row(path, '', 'accepted, unused', {
    env: 'EXECUTABLE',
    unused: 'no separate process is started'
  }),
  ...ACCESS,
  // D1455: no audit log is kept unless the configuration says so
  'audit.enabled': row(boolean, false, 'keep an audit log: who has changed what, and what was refused'),
  'audit.retentionDays': row(
    integer(0, 36_500),
    365,
    'age at which files of the audit log are dropped (days); 0: never'
  ),
  'paths.auditDir': row(path, '{home}/audit', 'audit log', { env: 'AUDIT_DIR' }),
  'tls.certFile': row(path, '', 'certificate chain (PEM): serve HTTPS only', { env: 'CERT_FILE' }),
  'tls.keyFile': row(path, '', 'its key (PEM)', { env: 'KEY_FILE' }),
  'tls.caFile': row(path, '', 'authority of client certificates (PEM): require one', { env: 'CA_FILE' }),
  'cors.allowedOrigins': row(originList, [], 'other origins whose pages may call the API with credentials'),
  'server.trustedProxies': row(
    networkList,
    [],
    'addresses or networks of proxies whose X-Forwarded-For, -Proto and -Host are trusted'
  ),
  'server.publicUrl': row(
    publicAddress,
    '',
    'address of this server for people, including basePath, for links in events; empty: auth.oidc.clientUrl'
  ),
  'ui.navbarColor': row(text, '', 'color of the page header', { old: ['navbarColor'], later: true }),
  'ui.navbarTitle': row(text, 'Troupe', 'title of the page', { old: ['navbarTitle'], later: true }),
  'ui.maxDashboardPageLimit': row(integer(1, 1_000_000), 100, 'runs on the dashboard', {
    old: ['maxDashboardPageLimit'],
    later: true
  }),
  'ui.logEncodingCharset': row(charset, 'utf-8', 'character set of step logs', { old: ['logEncodingCharset'] }),
  'ui.dags.sortField': row(word('name', 'nextRun'), 'name', 'sort field of GET /dags'),
  'ui.dags.sortOrder': row(word('asc', 'desc'), 'asc', 'sort order of GET /dags'),
  'queues.enabled': row(boolean, true, 'queues wait for a slot', { env: 'QUEUE_ENABLED' }),
  'queues.config': row(queueList, [], 'named queues: name, maxConcurrency', { onlyInFile: true }),
  'scheduler.port': row(port, 8090, 'health of `troupe scheduler`; 0: off'),
  'scheduler.lockStaleThreshold': row(duration, 30_000, 'age at which a lock counts as stale (ms)', { later: true }),
  'scheduler.lockRetryInterval': row(duration, 5_000, 'how often `troupe scheduler` checks a home that is in use (ms)'),
  'scheduler.zombieDetectionInterval': row(duration, 45_000, 'interval of checks for lost runs (ms); 0: off', {
    later: true
  }),
  ...WORKERS,
  'limits.callers': row(
    map,
    {},
    'how much callers of the API may ask for: requests, burst, starts, runs, streams, by who',
    { onlyInFile: true }
  ),
  'executors.allow': row(list, [], 'types of executors that definitions may use; empty: all'),
  'executors.rules': row(groupRules, [], 'other ones for some definitions: groups, allow', { onlyInFile: true }),
  'steps.runAs': row(text, '', 'user, or user:group, as whom steps run; the engine must be root. Empty: as the engine'),
  'steps.limits': row(map, {}, 'how much each step may use: memory, cpu, pids (cgroup v2)', { onlyInFile: true }),
  'steps.rules': row(stepRules, [], 'other ones for some definitions: groups, runAs, limits', { onlyInFile: true }),
  'steps.cgroup': row(path, '', 'folder of the cgroup v2 in which steps have theirs; empty: that of the engine'),
  'steps.mayGiveKeys': row(
    boolean,
    false,
    'true: commands in steps may make and revoke keys: troupe key, worker enroll, worker revoke'
  ),
  'executors.http.egress': row(map, {}, 'where http steps may connect to: private (true or false), allow, deny', {
    onlyInFile: true
  }),
  'monitoring.retention': row(duration, 86_400_000, 'how long resource figures are kept (ms); 0: not at all'),
  'monitoring.interval': row(duration, 5_000, 'interval of resource figures (ms); 0: none are taken'),
  notify: row(
    maps('a list of targets such as [{url: https://example.com/hook, events: [run.failed], secret: ...}]'),
    [],
    'webhooks that are told of runs: docs/notifications.md',
    { secret: true, onlyInFile: true }
  ),
  remoteNodes: row(
    maps('a list of nodes, each with a name and an apiBaseURL'),
    [],
    'other servers reachable through this one: docs/remote-nodes.md',
    { secret: true, onlyInFile: true }
  )
} satisfies Record<string, Row<unknown>>

export type Key = keyof typeof TABLE
type ValueOf<R> = R extends { type: Type<infer T> } ? T : never
/** Value of every row; undefined: it is worked out elsewhere. */
export type Values = { [K in Key]: ValueOf<(typeof TABLE)[K]> | undefined }

// Object.keys and entries forget the names.
export const KEYS = Object.keys(TABLE) as Key[]
export function rowOf(key: Key): Row<unknown> {
  const found: Row<unknown> = TABLE[key]
  if (found.onlyInFile) return found
  return {
    env: key
      .replace(/([a-z])([A-Z])/g, '$1_$2')
      .replaceAll('.', '_')
      .toUpperCase(),
    ...found
  }
}
