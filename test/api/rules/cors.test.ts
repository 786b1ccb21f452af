/** Pages of listed origins may call, no others. Source: api-semantics 9.3; reliability 5.1. */
import { expect } from 'chai'
import type { Operation } from '../../../src/api/contract/operation.ts'
import { OPERATIONS } from '../../../src/api/contract/operations.ts'
import { readConfig } from '../../../src/config.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › cors.allowedOrigins', () => {
  const listed = 'https://app.example.org'
  const { allowedOrigins, auth } = readConfig(
    { home: '/nowhere', settings: { 'cors.allowedOrigins': [listed], 'auth.token.value': 'sesame' } },
    {}
  )
  const engine = fakeEngine({ allowedOrigins, auth }, { hello: planOf('hello') })
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine)
  })
  after(() => api.close())
  const Authorization = 'Bearer sesame'

  it('a listed origin gets answers it may read, with credentials, refusals too', async () => {
    const headers = { Origin: listed, 'Sec-Fetch-Site': 'cross-site' }
    for (const [sent, status] of [
      [{ ...headers, Authorization }, 200],
      [headers, 401]
    ] as const) {
      const answer = await api.call('GET', '/dags', { headers: sent })
      expect(answer.status).to.equal(status)
      expect(answer.headers).to.include({
        'access-control-allow-origin': listed,
        'access-control-allow-credentials': 'true'
      })
      expect(answer.headers.vary).to.match(/\bOrigin\b/)
    }
  })

  it('a preflight is answered without credentials: methods, headers, max-age 300', async () => {
    const headers = { Origin: listed, 'Access-Control-Request-Method': 'PUT', 'Sec-Fetch-Site': 'cross-site' }
    const answer = await api.call('OPTIONS', '/dags/hello/spec', { headers })
    expect(answer.status).to.equal(204)
    expect(answer.headers).to.include({
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE, OPTIONS',
      'access-control-max-age': '300'
    })
    const allowed = answer.headers['access-control-allow-headers']?.split(', ')
    expect(allowed).to.include.members(['Content-Type', 'Authorization', 'Content-Encoding', 'Accept'])
  })

  it('a page may send and read every header that an operation has: it can go on with events, and learn the id of a retry', async () => {
    const preflight = { Origin: listed, 'Access-Control-Request-Method': 'GET' }
    const { headers: may } = await api.call('OPTIONS', '/events', { headers: preflight })
    const { headers: shows } = await api.call('GET', '/dags', { headers: { Origin: listed, Authorization } })
    const operations: Operation[] = Object.values(OPERATIONS)
    const sent = operations.flatMap(({ headers = {} }) => Object.keys(headers))
    const read = operations.flatMap(({ answers }) =>
      Object.values(answers).flatMap(({ headers = {} }) => Object.keys(headers))
    )
    expect(sent).to.include('Last-Event-ID')
    expect(may['access-control-allow-headers']?.split(', ')).to.include.members(sent)
    expect(read).to.include('Engine-Run-Id')
    expect(shows['access-control-expose-headers']?.split(', ')).to.include.members(read)
  })

  it('its host is a name that the server may be called by, so that a proxy can pass it on', async () => {
    const status = async (Host: string) => (await api.call('GET', '/dags', { headers: { Host, Authorization } })).status
    expect(await status('app.example.org')).to.equal(200)
    expect(await status('other.example.org')).to.equal(403)
  })

  it('other origins are 403 as before, and read nothing', async () => {
    for (const Origin of [
      'https://app.example.org.evil.example',
      'http://app.example.org',
      'null',
      'https://app.example.org:444'
    ]) {
      const answer = await api.call('GET', '/dags', { headers: { Origin, Authorization } })
      expect([answer.status, answer.headers['access-control-allow-origin']], Origin).to.deep.equal([403, undefined])
      const preflight = { Origin, 'Access-Control-Request-Method': 'POST' }
      expect((await api.call('OPTIONS', '/dags', { headers: preflight })).status).to.equal(403)
    }
    const own = await api.call('GET', '/dags', { headers: { Authorization } })
    expect([own.status, own.headers['access-control-allow-origin']]).to.deep.equal([200, undefined])
  })
})
