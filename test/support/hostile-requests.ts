/** Requests that mean harm, over all routes of the API. Source: reliability P21, P22, T8. */
import fc from 'fast-check'

/** Texts that have broken somebody's program. */
export const HOSTILE = [
  '',
  'hello',
  'r-1',
  'latest',
  '..',
  '.',
  '-rf',
  '--help',
  '../../etc/passwd',
  '..%2f..%2fetc',
  '%00',
  '%',
  '%ff%fe',
  '%25%32%66',
  'a b',
  "'; DROP TABLE runs; --",
  '$(touch mark)',
  '`touch mark`',
  '${PATH}',
  '<script>',
  '\u202e\ud83d\ude00',
  '__proto__',
  'constructor',
  'toString',
  'x'.repeat(300),
  '-1',
  '0',
  '1e9',
  '99999999999999999999',
  'NaN',
  'null',
  'true'
]
const PATHS = [
  '/health',
  '/metrics',
  '/dags',
  '/dags/validate',
  '/dags/search',
  '/dags/tags',
  '/services/resources/history',
  '/services/scheduler',
  '/dags/:v',
  '/dags/:v/spec',
  '/dags/:v/start',
  '/dags/:v/enqueue',
  '/dags/:v/rename',
  '/dags/:v/suspend',
  '/dags/:v/stop-all',
  '/dags/:v/dag-runs',
  '/dags/:v/dag-runs/:v',
  '/dag-runs',
  '/dag-runs/:v',
  '/dag-runs/:v/:v',
  '/dag-runs/:v/:v/stop',
  '/dag-runs/:v/:v/retry',
  '/dag-runs/:v/:v/reschedule',
  '/dag-runs/:v/:v/spec',
  '/dag-runs/:v/:v/outputs',
  '/dag-runs/:v/:v/steps/:v/status',
  '/dag-runs/:v/:v/sub-dag-runs',
  '/dag-runs/:v/:v/children/:v/steps/:v/status',
  '/dag-runs/:v/:v/log',
  '/dag-runs/:v/:v/steps/:v/log',
  '/dag-runs/:v/:v/sub-dag-runs/:v',
  '/dag-runs/:v/:v/actors',
  '/dag-runs/:v/:v/journal',
  '/dag-runs/:v/:v/explain',
  '/dag-runs/:v/:v/sequence',
  '/dags/:v/explain',
  '/machines/:v',
  '/:v/:v'
]
const PARAMETERS = ['page', 'perPage', 'name', 'tag', 'sort', 'order', 'status', 'fromDate', 'toDate', 'dagRunId']
const LOG_PARAMETERS = [
  'duration',
  'parentSubDAGRunId',
  'limit',
  'cursor',
  'tail',
  'head',
  'offset',
  'stream',
  'remoteNode',
  'q',
  '__proto__'
]
const FIELDS = [
  'name',
  'spec',
  'params',
  'dagRunId',
  'dagName',
  'singleton',
  'dryRun',
  'newFileName',
  'suspend',
  'stepName',
  'status',
  '__proto__',
  'constructor'
]
const HEADERS: Record<string, string>[] = [
  { Origin: 'http://evil.example' },
  { Host: 'evil.example' },
  { Host: '[' },
  { 'Content-Type': 'text/plain' },
  { 'Content-Encoding': 'br' },
  { 'Accept-Encoding': 'gzip;q=x, *' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'X-Http-Method-Override': 'DELETE' }
]
const METHODS = ['GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']

export interface HostileRequest {
  method: string
  /** Below `/api/v2`. */
  path: string
  query: string
  body: unknown
  headers: Record<string, string>
}

/**
 * @param known names, ids and texts that mean something to the server at hand: mixed in, so that requests get far
 * @param plain share of requests with ordinary headers, as a weight against the hostile ones
 */
export function hostileRequests(known: readonly string[] = [], plain = 3): fc.Arbitrary<HostileRequest> {
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: known.length > 0 ? 6 : 0, arbitrary: fc.constantFrom('', ...known) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) }
  )
  /** Percent-encoded, or raw as far as an HTTP client can send it; not so long that no route would ever see it. */
  const segment = fc
    .tuple(
      text.map((value) => value.slice(0, 400)),
      fc.boolean()
    )
    .map(([value, raw]) =>
      raw ? value.replace(/[^\x21-\x7e]|[#?]/g, '_') : encodeURIComponent(value.replace(/\p{Surrogate}/gu, '?'))
    )
  const path = fc
    .tuple(fc.constantFrom(...PATHS), fc.infiniteStream(segment))
    .map(([template, values]) => template.replace(/:v/g, () => values.next().value))
  const query = fc
    .array(fc.tuple(fc.constantFrom(...PARAMETERS, ...LOG_PARAMETERS), segment), { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`))
  const fields = fc
    .dictionary(
      fc.constantFrom(...FIELDS),
      fc.oneof({ weight: 4, arbitrary: text }, { weight: 1, arbitrary: fc.jsonValue() })
    )
    .map((value) => JSON.stringify(value))
  const body = fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 4, arbitrary: fields },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{'.repeat(5_000), '['.repeat(50_000), '{"spec":'.repeat(100), '"'.repeat(999))
    }
  )
  const headers = fc.oneof(
    { weight: plain, arbitrary: fc.constant<Record<string, string>>({}) },
    { weight: 8, arbitrary: fc.constantFrom(...HEADERS) }
  )
  return fc.record({ method: fc.constantFrom(...METHODS), path, query, body, headers })
}
