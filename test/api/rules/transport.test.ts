/** Rules that hold for every request. Source: api-semantics 1.1, 1.4; reliability F18-F20; architecture 7. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { TroupeError } from '../../../src/errors.ts'
import { fakeEngine, planOf } from '../../support/engine/fake-engine.ts'
import { served } from '../client.ts'

describe('API › transport', () => {
  const engine = fakeEngine({}, { hello: planOf('hello') })
  const logged: string[] = []
  let api: Awaited<ReturnType<typeof served>>
  before(async () => {
    api = await served(engine, { log: (message, cause) => logged.push(`${message}: ${cause}`) })
  })
  after(() => api.close())
  const start = (body: unknown, headers?: Record<string, string>) =>
    api.call('POST', '/dags/hello/start', { body, ...(headers ? { headers } : {}) })

  it('T1 JSON bodies are accepted with any or no Content-Type, all JSON answers are application/json; charset=utf-8', async () => {
    for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain', 'x/y', undefined]) {
      const { status, headers } = await start({}, type ? { 'Content-Type': type } : undefined)
      expect([status, headers['content-type']], type).to.deep.equal([200, 'application/json; charset=utf-8'])
    }
    expect((await api.call('GET', '/nowhere')).headers['content-type']).to.equal('application/json; charset=utf-8')
  })

  it('T2 malformed JSON, a non-object body -> 400 bad_request', async () => {
    for (const body of ['{', '[]', 'null', '"x"', '5', '{"params": }', '{"a":1}{', Buffer.from([0xff, 0xfe, 0x7b])]) {
      const { status, json } = await start(body)
      expect([status, json.code], String(body)).to.deep.equal([400, 'bad_request'])
    }
  })

  it('T2 a field of the wrong JSON type -> 400 with every problem named in details.errors', async () => {
    const { status, json } = await start({ params: 5, dagRunId: ['x'], dagName: {}, singleton: 'yes' })
    expect([status, json.code]).to.deep.equal([400, 'bad_request'])
    expect(json.details.errors).to.deep.equal([
      "field 'params': wanted a string, found a number",
      "field 'dagRunId': wanted a string, found an array",
      "field 'singleton': wanted a boolean, found a string",
      "field 'dagName': wanted a string, found an object"
    ])
    expect(json.message).to.equal(json.details.errors.join('; '))
  })

  it('null bytes in a text -> 400', async () => {
    const { status, json } = await start({ params: 'a\0b' })
    expect([status, json.message]).to.deep.equal([400, "field 'params': holds a null byte"])
  })

  it('duplicate keys, and nesting above 64 -> 400', async () => {
    expect((await start('{"params":"a","params":"b"}')).status).to.equal(400)
    expect((await start(`{"x":${'['.repeat(100_000)}`)).status).to.equal(400)
  })

  it('T3 a missing body on an endpoint whose fields are all optional equals {}', async () => {
    expect((await start(undefined)).status).to.equal(200)
    expect((await start('')).status).to.equal(200)
    expect(engine.started.at(-1)).to.deep.equal({ fileName: 'hello', via: 'api' })
  })

  it('T4 unknown body fields are ignored, unknown query parameters are ignored', async () => {
    expect((await start({ colour: 'blue', weight: 5 })).status).to.equal(200)
    expect((await api.call('GET', '/dags?colour=blue&x')).status).to.equal(200)
  })

  it('T5 query integers: not an integer -> 400 bad_request JSON', async () => {
    for (const value of ['abc', '1.5', '1e3', '0x10', '99999999999999999999', '%00']) {
      const { status, json } = await api.call('GET', `/dags?page=${value}`)
      expect([status, json.code], value).to.deep.equal([400, 'bad_request'])
      expect(json.details.errors[0]).to.match(/^query parameter 'page': wanted an integer, found /)
    }
    expect((await api.call('GET', '/dags?page=&perPage=-3')).status).to.equal(200)
    expect((await api.call('GET', '/dags?page=1&page=2')).status).to.equal(400)
  })

  it('T6 unknown path below the API base -> 404 not_found JSON', async () => {
    for (const path of [
      '/api/v2/nowhere',
      '/api/v2',
      '/api/v3/dags',
      '/api/v2//dags',
      '/API/V2/dags',
      '/api/v2/DAGS'
    ]) {
      const { status, json } = await api.callAt('GET', path)
      expect([status, json], path).to.deep.equal([404, { code: 'not_found', message: 'no such path' }])
    }
  })

  it('T6 known path, wrong method -> 405 with Allow and code bad_request', async () => {
    const { status, headers, json } = await api.call('PATCH', '/dags')
    expect([status, headers.allow, json.code]).to.deep.equal([405, 'GET, HEAD, POST', 'bad_request'])
    expect((await api.call('PROPFIND', '/health')).status).to.equal(405)
    expect((await api.call('GET', '/dags/hello/start')).headers.allow).to.equal('POST')
  })

  it('T6, 3.7 HEAD must not dequeue: Allow does not list it', async () => {
    for (const method of ['HEAD', 'PUT']) {
      const { status, headers } = await api.call(method, '/dag-runs/hello/r-1/dequeue')
      expect([status, headers.allow], method).to.deep.equal([405, 'DELETE, GET, POST'])
      expect(headers['content-type'], method).to.equal('application/json; charset=utf-8')
    }
  })

  it('T7 a trailing slash redirects 301 to the path without it, for non-GET 308', async () => {
    const get = await api.call('GET', '/dags//?page=2')
    expect([get.status, get.headers.location, get.text]).to.deep.equal([301, '/api/v2/dags?page=2', ''])
    const post = await api.call('POST', '/dags/hello/start/', { body: {} })
    expect([post.status, post.headers.location]).to.deep.equal([308, '/api/v2/dags/hello/start'])
    const old = await api.callAt('GET', '/api/v1/dags/?page=2')
    expect([old.status, old.headers.location]).to.deep.equal([301, '/api/v1/dags?page=2'])
    expect((await api.callAt('GET', '//example.org/')).status).to.equal(404)
  })

  it('T9 body limit 2 MiB -> 413 bad_request, and the connection is closed', async () => {
    const filler = 'x'.repeat(2 * 1024 * 1024 - 20)
    expect((await start(`{"params": "${filler}"}`)).status).to.equal(200)
    const { status, json, headers } = await start(`{"params": "${filler}${filler}"}`)
    expect([status, json.code, headers.connection]).to.deep.equal([413, 'bad_request', 'close'])
  })

  it('a compressed body is refused', async () => {
    expect((await start('{}', { 'Content-Encoding': 'gzip' })).status).to.equal(400)
  })

  it('T9 gzip on responses > 1 KiB when accepted', async () => {
    engine.texts.set('long', `# ${'x'.repeat(2_000)}\n`)
    const packed = await api.call('GET', '/dags/long/spec', { headers: { 'Accept-Encoding': 'gzip' } })
    expect([packed.headers['content-encoding'], packed.headers.vary]).to.deep.equal(['gzip', 'Accept-Encoding'])
    expect(JSON.parse(gunzipSync(packed.bytes).toString()).spec).to.have.length(2_003)
    for (const accepted of ['', 'identity', 'gzip;q=0', 'br']) {
      const { headers } = await api.call('GET', '/dags/long/spec', { headers: { 'Accept-Encoding': accepted } })
      expect(headers, accepted).not.to.have.property('content-encoding')
    }
    const short = await api.call('GET', '/health', { headers: { 'Accept-Encoding': 'gzip' } })
    expect(short.headers).not.to.have.property('content-encoding')
  })

  it('T9 gzip on responses > 1 KiB when accepted: on texts and errors, too', async () => {
    const packed = async (path: string) => {
      const { headers, bytes } = await api.call('GET', path, { headers: { 'Accept-Encoding': 'gzip' } })
      expect([headers['content-encoding'], headers.vary], path).to.deep.equal(['gzip', 'Accept-Encoding'])
      expect(gunzipSync(bytes).length, path).to.be.greaterThan(1_024)
      return headers['content-type']
    }
    expect(await packed('/docs')).to.equal('text/html; charset=utf-8')
    expect(await packed('/metrics')).to.equal('text/plain; version=0.0.4; charset=utf-8')
    engine.failure = new TroupeError('not_found', 'x'.repeat(2_000))
    try {
      expect(await packed('/dags/hello')).to.equal('application/json; charset=utf-8')
    } finally {
      delete engine.failure
    }
  })

  it('security headers on every answer: nosniff, CSP default-src self, no CORS', async () => {
    for (const path of ['/health', '/nowhere', '/dags/..%2f', '/dags/', '/queues']) {
      const { headers } = await api.call('GET', path)
      expect(headers['x-content-type-options'], path).to.equal('nosniff')
      expect(headers['content-security-policy'], path).to.equal("default-src 'self'")
      expect(headers, path).not.to.have.property('access-control-allow-origin')
    }
  })

  it('HEAD answers as GET without a body', async () => {
    const { status, bytes, headers } = await api.call('HEAD', '/health')
    expect([status, bytes.length]).to.deep.equal([200, 0])
    expect(Number(headers['content-length'])).to.be.greaterThan(0)
  })

  it('a path that is not percent-encoded UTF-8, or no path at all -> 400', async () => {
    for (const path of ['/api/v2/dags/%ff', '/api/v2/dags/%zz', '*', 'http://127.0.0.1/api/v2/health']) {
      const { status, json } = await api.callAt('GET', path)
      expect([status, json.code], path).to.deep.equal([400, 'bad_request'])
    }
  })

  describe('remoteNode', () => {
    it('absent, empty, local -> here', async () => {
      for (const query of ['', '?remoteNode=', '?remoteNode=local']) {
        expect((await api.call('GET', `/dags${query}`)).status).to.equal(200)
      }
    })

    it('unknown -> 400 bad_request, also with writes; /health does not look at it', async () => {
      const { status, json } = await api.call('POST', '/dags/hello/start?remoteNode=staging', { body: {} })
      expect([status, json.code, json.details.remoteNode]).to.deep.equal([400, 'bad_request', 'staging'])
      expect((await api.call('GET', '/health?remoteNode=staging')).status).to.equal(200)
    })
  })

  describe('errors', () => {
    const failWith = async (failure: Error) => {
      engine.failure = failure
      try {
        return await api.call('GET', '/dags/hello', { unchecked: true })
      } finally {
        delete engine.failure
      }
    }

    const table = [
      ['bad_request', 400],
      ['unauthorized', 401],
      ['forbidden', 403],
      ['not_found', 404],
      ['not_running', 400],
      ['already_exists', 409],
      ['already_running', 409],
      ['max_run_reached', 409],
      ['internal_error', 500],
      ['bad_gateway', 502],
      ['remote_node_error', 502],
      ['service_unavailable', 503]
    ] as const
    for (const [code, status] of table) {
      it(`code ${code} is status ${status}`, async () => {
        const answer = await failWith(new TroupeError(code, 'because'))
        expect([answer.status, answer.json]).to.deep.equal([status, { code, message: 'because' }])
      })
    }

    it('details are there only when there is something', async () => {
      const details = { limit: 1, running: 1, queued: 0 }
      expect((await failWith(new TroupeError('max_run_reached', 'full', { details }))).json.details).to.deep.equal(
        details
      )
    })

    it('message is never empty', async () => {
      expect((await failWith(new TroupeError('already_exists', ''))).json.message).to.equal('already_exists')
    })

    it('anything unforeseen -> 500 internal_error, generic message, cause only in the server log', async () => {
      logged.length = 0
      const { status, json } = await failWith(new Error('secret path /etc/x'))
      expect([status, json]).to.deep.equal([500, { code: 'internal_error', message: 'internal error' }])
      expect(logged).to.deep.equal(['GET /api/v2/dags/hello failed: Error: secret path /etc/x'])
    })

    it('a client that goes away in the middle of its body is not logged, and the server lives', async () => {
      logged.length = 0
      const socket = connect(api.port, '127.0.0.1')
      socket.write('POST /api/v2/dags/hello/start HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"par')
      await once(socket, 'connect')
      await api.call('GET', '/health')
      socket.resetAndDestroy()
      await once(socket, 'close')
      expect((await api.call('GET', '/health')).status).to.equal(200)
      expect(logged).to.deep.equal([])
    })

    it("a caller's mistake is not logged", async () => {
      logged.length = 0
      await api.call('GET', '/dags/nobody')
      expect(logged).to.deep.equal([])
    })
  })
})
