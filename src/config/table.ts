/**
 * Every setting there is: the single source of names, types, defaults and words for the reader, for `troupe config` and for
 * docs/configuration.md. Data only. Source: api-semantics 10.2, definition-format "Operational configuration".
 */
import { ACCESS } from './access-settings.ts'
import { publicAddress } from './addresses.ts'
import { AUDIT } from './audit-settings.ts'
import { LIMITS } from './limits/settings.ts'
import { type Row, row } from './row.ts'
import {
  boolean,
  charset,
  duration,
  integer,
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

const REPLACED = 'the store replaces it'

const TABLE = {
  home: row(path, undefined, {
    env: 'HOME',
    flag: 'home',
    outside: true,
    worked: '$XDG_DATA_HOME/troupe, else ~/.local/share/troupe',
    help: 'home folder; everything is below it unless set otherwise'
  }),
  config: row(path, undefined, {
    env: 'CONFIG',
    flag: 'config',
    outside: true,
    worked: '{home}/config.yaml; without a given home first ~/.config/troupe/config.yaml',
    help: 'configuration file'
  }),
  host: row(text, '127.0.0.1', { env: 'HOST', flag: 'host', help: 'address to listen on' }),
  port: row(port, 8080, { env: 'PORT', flag: 'port', help: 'port to listen on; 0: any free port' }),
  basePath: row(urlPath, '', { env: 'BASE_PATH', help: 'prefix of every URL, for a shared proxy' }),
  apiBasePath: row(urlPath, '/api/v2', {
    env: 'API_BASE_PATH',
    old: ['apiBaseURL'],
    help: 'path of the API, below basePath'
  }),
  tz: row(zone, undefined, {
    env: 'TZ',
    worked: "the system's zone",
    help: 'time zone of schedules and of times in answers'
  }),
  debug: row(boolean, false, { env: 'DEBUG', help: 'log more' }),
  logFormat: row(word('text', 'json'), 'text', { env: 'LOG_FORMAT', help: 'text or json, one line per event' }),
  headless: row(boolean, false, { env: 'HEADLESS', help: 'no web pages, API only' }),
  latestStatusToday: row(boolean, false, {
    env: 'LATEST_STATUS_TODAY',
    help: 'hide ended runs of earlier days as latest run'
  }),
  skipExamples: row(boolean, true, {
    env: 'SKIP_EXAMPLES',
    later: true,
    help: 'false: fill an empty definitions folder with examples'
  }),
  defaultShell: row(text, undefined, {
    env: 'DEFAULT_SHELL',
    worked: '$SHELL, else sh',
    help: 'shell of steps without their own'
  }),
  workDir: row(path, '', { env: 'WORK_DIR', later: true, help: "working folder of steps; empty: the definition's" }),
  metrics: row(word('private', 'public'), 'private', {
    env: 'SERVER_METRICS',
    help: 'public: GET /metrics needs no credentials'
  }),
  strictValidation: row(boolean, false, {
    env: 'STRICT_VALIDATION',
    help: 'refuse unknown body fields and query values out of range'
  }),
  allowUnauthenticated: row(boolean, false, {
    env: 'ALLOW_UNAUTHENTICATED',
    help: 'listen beyond loopback without authentication'
  }),
  durability: row(word('commit', 'strict'), 'commit', {
    env: 'DURABILITY',
    help: 'commit: effects wait for the commit; strict: for the flush to disk'
  }),
  shutdown: row(word('leave', 'stop'), 'leave', {
    env: 'SHUTDOWN',
    help: 'what a server does with running steps when it ends'
  }),
  maxProcesses: row(integer(1, 10_000), undefined, {
    env: 'MAX_PROCESSES',
    worked: '4 x cores, at least 16',
    help: 'how many steps may start at the same time'
  }),
  // D1760: a file that names it keeps no server from starting
  launcher: row(text, '', {
    env: 'LAUNCHER',
    unused: 'troupe-launcher starts all local steps',
    help: 'accepted, unused'
  }),
  'api.defaultRunWindow': row(window, 0, {
    env: 'API_DEFAULT_RUN_WINDOW',
    help: 'age of runs in a list without dates (ms); 0: all'
  }),
  'api.evalParams': row(boolean, false, {
    env: 'API_EVAL_PARAMS',
    help: 'evaluate params that clients send'
  }),
  'paths.dagsDir': row(path, '{home}/dags', {
    env: 'DAGS_DIR',
    envAlias: 'DAGS',
    flag: 'dags',
    old: ['dags', 'dagsDir'],
    help: 'definitions'
  }),
  'paths.logDir': row(path, '{home}/logs', { env: 'LOG_DIR', old: ['logDir'], help: 'run logs' }),
  'paths.dataDir': row(path, '{home}/data', {
    env: 'DATA_DIR',
    old: ['dataDir'],
    help: 'store, and working folders of inline runs'
  }),
  'paths.suspendFlagsDir': row(path, '{home}/suspend', {
    env: 'SUSPEND_FLAGS_DIR',
    old: ['suspendFlagsDir'],
    help: 'flags of suspended definitions'
  }),
  'paths.adminLogsDir': row(path, '{logDir}/admin', {
    env: 'ADMIN_LOG_DIR',
    old: ['adminLogsDir'],
    later: true,
    help: 'server logs'
  }),
  'paths.baseConfig': row(path, '{home}/base.yaml', {
    env: 'BASE_CONFIG',
    old: ['baseConfig'],
    help: 'defaults of every definition'
  }),
  'paths.dagRunsDir': row(path, '{dataDir}/dag-runs', {
    env: 'DAG_RUNS_DIR',
    unused: REPLACED,
    help: 'accepted, unused'
  }),
  'paths.queueDir': row(path, '{dataDir}/queue', { env: 'QUEUE_DIR', unused: REPLACED, help: 'accepted, unused' }),
  'paths.procDir': row(path, '{dataDir}/proc', { env: 'PROC_DIR', unused: REPLACED, help: 'accepted, unused' }),
  'paths.serviceRegistryDir': row(path, '{dataDir}/service-registry', {
    env: 'SERVICE_REGISTRY_DIR',
    help: 'where processes of this home find its coordinator'
  }),
  'paths.executable': row(path, '', {
    env: 'EXECUTABLE',
    unused: 'no separate process is started',
    help: 'accepted, unused'
  }),
  ...ACCESS,
  ...AUDIT,
  'tls.certFile': row(path, '', { env: 'CERT_FILE', help: 'certificate chain (PEM): serve HTTPS only' }),
  'tls.keyFile': row(path, '', { env: 'KEY_FILE', help: 'its key (PEM)' }),
  'tls.caFile': row(path, '', { env: 'CA_FILE', help: 'authority of client certificates (PEM): require one' }),
  'cors.allowedOrigins': row(originList, [], {
    env: 'CORS_ALLOWED_ORIGINS',
    help: 'other origins whose pages may call the API with credentials'
  }),
  'server.trustedProxies': row(networkList, [], {
    env: 'SERVER_TRUSTED_PROXIES',
    help: 'addresses or networks of proxies whose X-Forwarded-For, -Proto and -Host are trusted'
  }),
  'server.publicUrl': row(publicAddress, '', {
    env: 'SERVER_PUBLIC_URL',
    help: 'address of this server for people, including basePath, for links in events; empty: auth.oidc.clientUrl'
  }),
  'ui.navbarColor': row(text, '', {
    env: 'UI_NAVBAR_COLOR',
    old: ['navbarColor'],
    later: true,
    help: 'color of the page header'
  }),
  'ui.navbarTitle': row(text, 'Troupe', {
    env: 'UI_NAVBAR_TITLE',
    old: ['navbarTitle'],
    later: true,
    help: 'title of the page'
  }),
  'ui.maxDashboardPageLimit': row(integer(1, 1_000_000), 100, {
    env: 'UI_MAX_DASHBOARD_PAGE_LIMIT',
    old: ['maxDashboardPageLimit'],
    later: true,
    help: 'runs on the dashboard'
  }),
  'ui.logEncodingCharset': row(charset, 'utf-8', {
    env: 'UI_LOG_ENCODING_CHARSET',
    old: ['logEncodingCharset'],
    help: 'character set of step logs'
  }),
  'ui.dags.sortField': row(word('name', 'nextRun'), 'name', {
    env: 'UI_DAGS_SORT_FIELD',
    help: 'sort field of GET /dags'
  }),
  'ui.dags.sortOrder': row(word('asc', 'desc'), 'asc', {
    env: 'UI_DAGS_SORT_ORDER',
    help: 'sort order of GET /dags'
  }),
  'queues.enabled': row(boolean, true, { env: 'QUEUE_ENABLED', help: 'queues wait for a slot' }),
  'queues.config': row(queueList, [], { help: 'named queues: name, maxConcurrency' }),
  'scheduler.port': row(port, 8090, {
    env: 'SCHEDULER_PORT',
    help: 'health of `troupe scheduler`; 0: off'
  }),
  'scheduler.lockStaleThreshold': row(duration, 30_000, {
    env: 'SCHEDULER_LOCK_STALE_THRESHOLD',
    later: true,
    help: 'age at which a lock counts as stale (ms)'
  }),
  'scheduler.lockRetryInterval': row(duration, 5_000, {
    env: 'SCHEDULER_LOCK_RETRY_INTERVAL',
    help: 'how often `troupe scheduler` checks a home that is in use (ms)'
  }),
  'scheduler.zombieDetectionInterval': row(duration, 45_000, {
    env: 'SCHEDULER_ZOMBIE_DETECTION_INTERVAL',
    later: true,
    help: 'interval of checks for lost runs (ms); 0: off'
  }),
  ...WORKERS,
  ...LIMITS,
  'monitoring.retention': row(duration, 86_400_000, {
    env: 'MONITORING_RETENTION',
    help: 'how long resource figures are kept (ms); 0: not at all'
  }),
  'monitoring.interval': row(duration, 5_000, {
    env: 'MONITORING_INTERVAL',
    help: 'interval of resource figures (ms); 0: none are taken'
  }),
  notify: row(
    maps('a list of targets such as [{url: https://example.com/hook, events: [run.failed], secret: ...}]'),
    [],
    {
      secret: true,
      help: 'webhooks that are told of runs: docs/notifications.md'
    }
  ),
  remoteNodes: row(maps('a list of nodes, each with a name and an apiBaseURL'), [], {
    secret: true,
    help: 'other servers reachable through this one: docs/remote-nodes.md'
  })
} satisfies Record<string, Row<unknown>>

export type Key = keyof typeof TABLE
type ValueOf<R> = R extends { type: Type<infer T> } ? T : never
/** Value of every row; undefined: it is worked out elsewhere. */
export type Values = { [K in Key]: ValueOf<(typeof TABLE)[K]> | undefined }

// Object.keys and entries forget the names.
export const KEYS = Object.keys(TABLE) as Key[]
export const rowOf = (key: Key): Row<unknown> => TABLE[key]
