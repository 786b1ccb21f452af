/** Hostile requests over all routes: whatever is sent, the answer is the API's. Source: reliability P21, P22, T8. */
import { expect } from 'chai'
import fc from 'fast-check'
import { fakeEngine, planOf, stepOf } from '../support/fake-engine.ts'
import { type Answer, served } from './client.ts'

const HOSTILE = [
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
  '$(reboot)',
  '`id`',
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
const KNOWN_PATHS = [
  '/health',
  '/metrics',
  '/dags',
  '/dags/validate',
  '/dags/search',
  '/dags/:v',
  '/dags/:v/spec',
  '/dags/:v/start',
  '/dags/:v/enqueue',
  '/dags/:v/dag-runs/:v',
  '/dag-runs',
  '/dag-runs/:v',
  '/dag-runs/:v/:v',
  '/dag-runs/:v/:v/stop',
  '/dag-runs/:v/:v/log',
  '/dag-runs/:v/:v/steps/:v/log',
  '/dag-runs/:v/:v/sub-dag-runs/:v',
  '/:v/:v'
]
const PARAMETERS = ['page', 'perPage', 'name', 'tag', 'sort', 'order', 'status', 'fromDate', 'toDate', 'dagRunId']
const LOG_PARAMETERS = ['limit', 'cursor', 'tail', 'head', 'offset', 'stream', 'remoteNode', 'q', '__proto__']
const FIELDS = ['name', 'spec', 'params', 'dagRunId', 'dagName', 'singleton', 'dryRun', '__proto__', 'constructor']

describe('API › fuzz', () => {
  const text = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(...HOSTILE) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) }
  )
  /** Percent-encoded, or raw as far as an HTTP client can send it. */
  const segment = fc
    .tuple(text, fc.boolean())
    .map(([value, raw]) =>
      raw ? value.replace(/[^\x21-\x7e]|[#?]/g, '_') : encodeURIComponent(value.replace(/\p{Surrogate}/gu, '?'))
    )
  const path = fc
    .tuple(fc.constantFrom(...KNOWN_PATHS), fc.infiniteStream(segment))
    .map(([template, values]) => template.replace(/:v/g, () => values.next().value))
  const query = fc
    .array(fc.tuple(fc.constantFrom(...PARAMETERS, ...LOG_PARAMETERS), segment), { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`))
  const body = fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    {
      weight: 3,
      arbitrary: fc
        .dictionary(fc.constantFrom(...FIELDS), fc.oneof(text, fc.jsonValue()))
        .map((value) => JSON.stringify(value))
    },
    { weight: 1, arbitrary: fc.json() },
    { weight: 1, arbitrary: text },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
    {
      weight: 1,
      arbitrary: fc.constantFrom('{'.repeat(5_000), '['.repeat(50_000), '{"spec":'.repeat(100), '"'.repeat(999))
    }
  )
  const header = fc.constantFrom<Record<string, string>>(
    {},
    {},
    {},
    { Origin: 'http://evil.example' },
    { Host: 'evil.example' },
    { Host: '[' },
    { 'Content-Type': 'text/plain' },
    { 'Content-Encoding': 'br' },
    { 'Accept-Encoding': 'gzip;q=x, *' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'X-Http-Method-Override': 'DELETE' }
  )
  const method = fc.constantFrom('GET', 'GET', 'POST', 'POST', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS')
  const requests = fc.record({ method, path, query, body, headers: header })

  it('2,000 requests: never 5xx, an Error object when >= 400, and the server lives', async function () {
    this.timeout(20_000)
    const engine = fakeEngine({}, { hello: planOf('hello', { steps: [stepOf('a', { command: 'x' })] }) })
    engine.addRun({ name: 'hello', dagRunId: 'r-1', status: 'running' })
    const causes: unknown[] = []
    const api = await served(engine, { log: (_message, cause) => causes.push(cause) })
    const seen = new Map<number, number>()
    try {
      await fc.assert(
        fc.asyncProperty(requests, async ({ method, path, query, body, headers }) => {
          const answer: Answer = await api.call(method, path + query, { body, headers })
          seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1)
          expect(answer.status).to.be.lessThan(500)
          if (answer.status >= 400 && method !== 'HEAD') {
            expect(answer.json).to.be.an('object').that.includes.all.keys('code', 'message')
            expect(answer.json.message).to.be.a('string').that.is.not.equal('')
          }
        }),
        { numRuns: 2_000 }
      )
      expect(causes).to.deep.equal([])
      expect([...seen.keys()]).to.include.members([200, 400, 403, 404, 405])
      expect((await api.call('GET', '/health')).status).to.equal(200)
    } finally {
      await api.close()
    }
  })
})
