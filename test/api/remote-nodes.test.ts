/** Requests for a remote node: what it is told, and what becomes of its answer. Source: api-semantics 8, reliability 5.1. */
import { createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { readConfig } from '../../src/config.ts'
import { fakeEngine, planOf } from '../support/fake-engine.ts'
import { oddServer } from '../support/odd-server.ts'
import { eventually } from '../support/waiting.ts'
import { served } from './client.ts'

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' }

describe('API › remote nodes', () => {
  let odd: Awaited<ReturnType<typeof oddServer>>
  let api: Awaited<ReturnType<typeof served>>
  let speaker: Server
  let engine: ReturnType<typeof fakeEngine>
  const logged: unknown[] = []

  before(async () => {
    odd = await oddServer()
    speaker = createServer((socket) => void socket.on('error', () => {}).end('SSH-2.0-nothing\r\n'))
    await new Promise<void>((resolve) => speaker.listen(0, '127.0.0.1', resolve))
    const address = speaker.address()
    const far = `http://127.0.0.1:${odd.port}/far/api/v2`
    const { remoteNodes } = readConfig(
      {
        home: '/nowhere',
        settings: {
          remoteNodes: [
            { name: 'staging', apiBaseURL: far, basicAuthUsername: 'ops', basicAuthPassword: 'geheim' },
            { name: 'token', apiBaseURL: far, authToken: 'tok-en', timeout: '300ms' },
            { name: 'plain', apiBaseURL: `http://127.0.0.1:${odd.port}`, timeout: '300ms' },
            { name: 'dead', apiBaseURL: 'http://127.0.0.1:9/api/v2' },
            { name: 'nowhere', apiBaseURL: 'http://no-such-host.invalid/api/v2' },
            { name: 'secure', apiBaseURL: `https://127.0.0.1:${odd.port}` },
            { name: 'ssh', apiBaseURL: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}` }
          ]
        }
      },
      {}
    )
    engine = fakeEngine({ remoteNodes }, { hello: planOf('hello') })
    api = await served(engine, { log: (_message, cause) => logged.push(cause) })
  })
  after(async () => {
    await api.close()
    await odd.close()
    speaker.close()
  })

  /** The last that the node was asked. */
  const asked = () => odd.asked.at(-1) ?? expect.fail('the node was not asked')

  describe('R1 which server', () => {
    it('absent, "", local -> here', async () => {
      odd.answers(500, {})
      for (const query of ['', '?remoteNode=', '?remoteNode=local'])
        expect((await api.call('GET', `/dags${query}`)).status).to.equal(200)
      expect(odd.asked).to.deep.equal([])
    })

    it('unknown -> 400 bad_request, given twice -> 400', async () => {
      for (const name of ['production', 'Staging', 'http://127.0.0.1:9', '__proto__']) {
        const { status, json } = await api.call('GET', `/dags?remoteNode=${encodeURIComponent(name)}`)
        expect([status, json.code, json.details.remoteNode]).to.deep.equal([400, 'bad_request', name])
      }
      expect((await api.call('GET', '/dags?remoteNode=local&remoteNode=staging')).status).to.equal(400)
      expect(odd.asked).to.deep.equal([])
    })

    it('not accepted on /health and /metrics: they are of this server', async () => {
      for (const path of ['/health', '/metrics'])
        expect((await api.call('GET', `${path}?remoteNode=dead`)).status).to.equal(200)
    })

    it('a path that this API has not is 404 here, a wrong method 405', async () => {
      expect((await api.call('GET', '/nowhere?remoteNode=staging')).status).to.equal(404)
      expect((await api.call('PATCH', '/dags?remoteNode=staging')).status).to.equal(405)
      expect(odd.asked).to.deep.equal([])
    })
  })

  describe('R1 accepted on every endpoint', () => {
    const endpoints = `
GET /dags
POST /dags
GET /dags/f
DELETE /dags/f
GET /dags/f/spec
PUT /dags/f/spec
POST /dags/validate
POST /dags/f/rename
POST /dags/f/suspend
GET /dags/search
GET /dags/tags
POST /dags/f/start
POST /dags/f/enqueue
POST /dags/f/stop-all
GET /dags/f/dag-runs
GET /dags/f/dag-runs/r
GET /dag-runs
GET /dag-runs/n
POST /dag-runs
POST /dag-runs/enqueue
GET /dag-runs/n/r
GET /dag-runs/n/latest
POST /dag-runs/n/r/stop
POST /dag-runs/n/r/retry
POST /dag-runs/n/r/reschedule
GET /dag-runs/n/r/dequeue
POST /dag-runs/n/r/dequeue
DELETE /dag-runs/n/r/dequeue
GET /dag-runs/n/r/spec
GET /dag-runs/n/r/outputs
GET /dag-runs/n/r/events
GET /events
GET /dag-runs/n/r/log
GET /dag-runs/n/r/steps/s/log
GET /dag-runs/n/r/sub-dag-runs/x/log
GET /dag-runs/n/r/sub-dag-runs/x/steps/s/log
PATCH /dag-runs/n/r/steps/s/status
PATCH /dag-runs/n/r/sub-dag-runs/x/steps/s/status
GET /dag-runs/n/r/sub-dag-runs
GET /dag-runs/n/r/sub-dag-runs/x
GET /dag-runs/n/r/children/x
GET /queues
GET /workers
GET /services/scheduler
GET /services/coordinator
GET /services/resources/history
GET /remote-nodes`
    for (const endpoint of endpoints.trim().split('\n'))
      it(endpoint, async () => {
        const [method = '', path = ''] = endpoint.split(' ')
        odd.answers(200, JSON_TYPE, '{"of":"the node"}')
        const { status, text } = await api.call(method, `${path}?remoteNode=staging`)
        expect([status, text, asked().method, asked().url]).to.deep.equal([
          200,
          '{"of":"the node"}',
          method,
          `/far/api/v2${path}`
        ])
      })
  })

  describe('R2 what is forwarded', () => {
    it('method, path after our base, query minus remoteNode, body bytes', async () => {
      odd.answers(200, JSON_TYPE, '{}')
      const body = '{ "a" : 1.50, "ü": "\\u00fc" }'
      await api.call('PUT', '/dags/hel-lo/spec?a=1&remoteNode=staging&b=x%20y%26&a=2', { body })
      expect([asked().method, asked().url]).to.deep.equal(['PUT', '/far/api/v2/dags/hel-lo/spec?a=1&b=x+y%26&a=2'])
      expect(asked().body.toString()).to.equal(body)
      await api.call('PATCH', '/dag-runs/n/r/steps/a%2Fb%20%C3%BC/status?remoteNode=plain', { body: '' })
      expect(asked().url).to.equal('/dag-runs/n/r/steps/a%2Fb%20%C3%BC/status')
      await api.call('GET', '/dags/dotted.name?remoteNode=plain')
      expect(asked().url).to.equal('/dags/dotted.name')
      await api.call('GET', '/dags?rem%6fteNode=plain&remoteNode=')
      expect(asked().url).to.equal('/dags')
    })

    it('headers except Authorization, Cookie, Host, hop-by-hop, and whatever else says who the caller is', async () => {
      odd.answers(200, JSON_TYPE, '{}')
      const kept = {
        accept: 'application/json',
        'user-agent': 'curl/8',
        'last-event-id': '7',
        'x-request-id': 'r1',
        traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
        'content-type': 'application/json'
      }
      const dropped = {
        Authorization: 'Bearer caller',
        'Proxy-Authorization': 'Basic caller',
        Cookie: 'oidcToken=caller',
        'X-Api-Key': 'caller',
        'X-Forwarded-User': 'caller',
        'X-Remote-User': 'caller',
        'X-Amzn-Oidc-Data-Jwt': 'caller',
        'X-Hop': 'caller',
        TE: 'trailers',
        Upgrade: 'caller',
        'X-Forwarded-For': 'caller',
        Origin: `http://127.0.0.1:${api.port}`,
        Referer: `http://127.0.0.1:${api.port}/`,
        'Sec-Fetch-Site': 'same-origin'
      }
      const headers = { ...kept, ...dropped, Connection: 'keep-alive, X-Hop' }
      await api.call('POST', '/dags/hello/start?remoteNode=staging', { body: '{}', headers })
      const { host, connection, 'content-length': length, ...rest } = asked().headers
      expect([host, connection, length]).to.deep.equal([`127.0.0.1:${odd.port}`, 'close', '2'])
      expect(rest).to.deep.equal({
        ...kept,
        'accept-encoding': 'identity',
        'engine-forwarded': '1',
        authorization: `Basic ${Buffer.from('ops:geheim').toString('base64')}`
      })
      await api.call('GET', '/dags?remoteNode=token')
      expect(asked().headers.authorization).to.equal('Bearer tok-en')
      await api.call('GET', '/dags?remoteNode=plain', { headers: { Authorization: 'Bearer caller' } })
      expect(asked().headers.authorization).to.equal(undefined)
    })

    it('Malformed JSON body -> 400 here, without a call; a body over 2 MiB -> 413', async () => {
      odd.answers(200, JSON_TYPE, '{}')
      for (const body of ['{', '[]', '{"a":1,"a":2}', Buffer.from([0xff])])
        expect((await api.call('POST', '/dags/hello/start?remoteNode=staging', { body })).status).to.equal(400)
      const large = `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`
      expect((await api.call('POST', '/dag-runs?remoteNode=staging', { body: large })).status).to.equal(413)
      expect(odd.asked).to.deep.equal([])
    })

    it('names in the path are checked here, so that no path leads out of the API of the node', async () => {
      odd.answers(200, JSON_TYPE, '{}')
      for (const path of [
        '/dags/%2e%2e/spec',
        '/dags/../spec',
        '/dags/a%2Fb/spec',
        '/dag-runs/../r',
        '/dag-runs/n/%2e%2e/log',
        '/dag-runs/n/r/steps/%2e%2e/log',
        '/dag-runs/n/r/steps/../log'
      ]) {
        const { status, json } = await api.call('GET', `${path}?remoteNode=staging`)
        expect([status, json.code, json.details.remoteNode], path).to.deep.equal([400, 'bad_request', 'staging'])
      }
      expect(odd.asked).to.deep.equal([])
    })
  })

  describe('R3 2xx', () => {
    it('status, Content-Type and body pass through, Engine-Run-Id too; cookies and the like do not', async () => {
      const body = '{"dagRunId": "x",  "big": 12345678901234567890}'
      const odds = { 'Set-Cookie': 'a=b', Location: '/x', 'Access-Control-Allow-Origin': '*', Server: 'x' }
      odd.answers(201, { 'Content-Type': 'application/json', 'Engine-Run-Id': 'x', ...odds }, body)
      const answer = await api.call('POST', '/dags?remoteNode=staging', { body: {} })
      expect([answer.status, answer.text]).to.deep.equal([201, body])
      expect(answer.headers).to.include({ 'content-type': 'application/json', 'engine-run-id': 'x' })
      expect(answer.headers).not.to.have.any.keys('set-cookie', 'location', 'access-control-allow-origin', 'server')
      expect(answer.headers['x-content-type-options']).to.equal('nosniff')
    })

    it('a diagram passes as text where one may be asked for, and only there', async () => {
      const text = { 'Content-Type': 'text/plain; charset=utf-8' }
      const diagrams = ['/machines/run', '/dag-runs/n/r/statechart', '/dag-runs/n/r/sequence']
      for (const path of diagrams) {
        odd.answers(200, text, 'stateDiagram-v2\n')
        const answer = await api.call('GET', `${path}?format=mermaid&remoteNode=staging`)
        expect([answer.status, answer.text, answer.headers['content-type']], path).to.deep.equal([
          200,
          'stateDiagram-v2\n',
          'text/plain; charset=utf-8'
        ])
        odd.answers(200, { 'Content-Type': 'text/html' }, '<html>sign in</html>')
        expect((await api.call('GET', `${path}?format=mermaid&remoteNode=staging`)).status, path).to.equal(502)
      }
      odd.answers(200, text, 'stateDiagram-v2\n')
      expect((await api.call('GET', '/dag-runs/n/r/actors?remoteNode=staging')).status).to.equal(502)
    })

    it('204, and 200 with zero-length body, stay what they are', async () => {
      odd.answers(204, {})
      const none = await api.call('DELETE', '/dags/hello?remoteNode=staging')
      expect([none.status, none.text]).to.deep.equal([204, ''])
      odd.answers(200, { 'Content-Length': '0' })
      const empty = await api.call('POST', '/dag-runs/n/r/stop?remoteNode=staging')
      expect([empty.status, empty.text, empty.headers['content-length']]).to.deep.equal([200, '', '0'])
    })

    it('HEAD has the headers of GET', async () => {
      odd.answers(200, { ...JSON_TYPE, 'Content-Length': '123' })
      const { status, headers, text } = await api.call('HEAD', '/dags?remoteNode=staging')
      expect([status, text, headers['content-length']]).to.deep.equal([200, '', '123'])
      odd.answers(404, {})
      expect((await api.call('HEAD', '/dags/x?remoteNode=staging')).status).to.equal(404)
    })

    it('a large body is streamed: its beginning arrives while the rest is still to come', async () => {
      const part = JSON.stringify({ content: 'x'.repeat(200_000) })
      let finish = () => {}
      odd.answersWith((_request, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'Content-Length': String(part.length + 8) }).write(part)
        finish = () => void response.end(' '.repeat(8))
      })
      const response = await fetch(`http://127.0.0.1:${api.port}/api/v2/dag-runs/n/r/log?remoteNode=staging`)
      expect(response.headers.get('content-length')).to.equal(String(part.length + 8))
      const reader = response.body?.getReader() ?? expect.fail('no body')
      expect((await reader.read()).value?.length).to.be.greaterThan(0)
      finish()
      let size = 0
      for (let read = await reader.read(); !read.done; read = await reader.read()) size += read.value.length
      expect(size).to.be.greaterThan(0)
    })

    it('a body that breaks off, or falls silent, breaks off here too', async () => {
      const begun = (end: (socket: { destroy(): void } | null) => void) =>
        odd.answersWith((_request, response) => {
          response.writeHead(200, { ...JSON_TYPE, 'Content-Length': '1000000' }).write(`{"a":"${'x'.repeat(100_000)}`)
          end(response.socket)
        })
      const failure = () =>
        fetch(`http://127.0.0.1:${api.port}/api/v2/dags?remoteNode=token`)
          .then((response) => response.text())
          .then(
            () => 'whole',
            () => 'broken'
          )
      begun((socket) => void setImmediate(() => socket?.destroy()))
      expect(await failure()).to.equal('broken')
      begun(() => {})
      expect(await failure()).to.equal('broken')
    })

    it('a caller who leaves ends the request to the node', async () => {
      for (const type of ['application/json', 'text/event-stream']) {
        odd.answersWith((_request, response) => void response.writeHead(200, { 'Content-Type': type }).write(' '))
        const leaving = new AbortController()
        const url = `http://127.0.0.1:${api.port}/api/v2/events?remoteNode=staging`
        const sent = fetch(url, { signal: leaving.signal }).catch(() => 'left')
        await eventually('the question', async () => odd.asked.length > 0 || undefined)
        expect(odd.sockets.size).to.be.greaterThan(0)
        leaving.abort()
        await sent
        await eventually('the end', async () => odd.sockets.size === 0 || undefined)
      }
    })
  })

  describe('R4 4xx with an Error body', () => {
    it('status, code, message pass through, plus details.remoteNode', async () => {
      for (const [status, code] of [
        [400, 'already_running'],
        [404, 'not_found'],
        [409, 'max_run_reached'],
        [429, 'some.code.of.another.release']
      ] as const) {
        odd.answers(status, JSON_TYPE, JSON.stringify({ code, message: 'because', details: { limit: 1 } }))
        const answer = await api.call('GET', '/dags/hello?remoteNode=staging')
        const details = { limit: 1, remoteNode: 'staging' }
        expect([answer.status, answer.json]).to.deep.equal([status, { code, message: 'because', details }])
      }
    })

    it('without one: 502 bad_gateway', async () => {
      for (const body of ['', 'not found', '{"error":"x"}', '<html>', '[]', 'null']) {
        odd.answers(404, JSON_TYPE, body)
        const { status, json } = await api.call('GET', '/dags/hello?remoteNode=staging')
        expect([status, json.code, json.message]).to.deep.equal([
          502,
          'bad_gateway',
          'staging: answered 404 without an Error object'
        ])
      }
    })
  })

  it('R5 401/403 from the remote -> 502 bad_gateway, without its challenge', async () => {
    for (const refused of [401, 403]) {
      odd.answers(refused, { ...JSON_TYPE, 'WWW-Authenticate': 'Basic' }, '{"code":"unauthorized","message":"no"}')
      const { status, json, headers } = await api.call('GET', '/dags?remoteNode=staging')
      expect([status, json]).to.deep.equal([
        502,
        {
          code: 'bad_gateway',
          message: `staging: the credentials that this server has for it were refused with ${refused}: no`,
          details: { remoteNode: 'staging' }
        }
      ])
      expect(headers).not.to.have.property('www-authenticate')
    }
  })

  describe('R6 502 bad_gateway', () => {
    it("5xx: with the remote's message", async () => {
      odd.answers(503, JSON_TYPE, '{"code":"service_unavailable","message":"no coordinator is running"}')
      const { status, json } = await api.call('GET', '/workers?remoteNode=staging')
      expect([status, json]).to.deep.equal([
        502,
        {
          code: 'bad_gateway',
          message: 'staging: answered 503: no coordinator is running',
          details: { remoteNode: 'staging' }
        }
      ])
      odd.answers(500, { 'Content-Type': 'text/html' }, '<h1>stack trace</h1>')
      expect((await api.call('GET', '/dags?remoteNode=staging')).json.message).to.equal('staging: answered 500')
    })

    it('a body that is not JSON, short or long, and one in an encoding not asked for', async () => {
      const answers: [Record<string, string>, string][] = [
        [{ 'Content-Type': 'text/html' }, '<html>sign in</html>'],
        [{ 'Content-Type': 'text/plain' }, '{}'],
        [JSON_TYPE, '{"a":'],
        [{}, 'hello'],
        [JSON_TYPE, `<${'x'.repeat(100_000)}`],
        [{ ...JSON_TYPE, 'Content-Encoding': 'br' }, '{}']
      ]
      for (const [headers, body] of answers) {
        odd.answers(200, headers, body)
        const { status, json } = await api.call('GET', '/dags?remoteNode=staging')
        expect([status, json.code, json.details], body.slice(0, 20)).to.deep.equal([
          502,
          'bad_gateway',
          { remoteNode: 'staging' }
        ])
      }
    })

    it('what is no HTTP at all', async () => {
      const { status, json } = await api.call('GET', '/dags?remoteNode=ssh')
      expect([status, json.code]).to.deep.equal([502, 'bad_gateway'])
      expect(json.message).to.match(/^ssh: answered with something else than HTTP \(HPE_\w+\)$/)
    })

    it('no message shows the credentials that this server has for the node', async () => {
      const basic = Buffer.from('ops:geheim').toString('base64')
      odd.answers(
        400,
        JSON_TYPE,
        JSON.stringify({ code: 'bad_request', message: `Basic ${basic}`, details: { a: ['geheim'] } })
      )
      const { json } = await api.call('GET', '/dags?remoteNode=staging')
      expect(json).to.deep.include({ message: 'Basic ***', details: { a: ['***'], remoteNode: 'staging' } })
    })
  })

  describe('R7 502 remote_node_error', () => {
    const answers = (name: string, message: string) => async () => {
      const { status, json } = await api.call('GET', `/dags?remoteNode=${name}`)
      expect([status, json]).to.deep.equal([502, { code: 'remote_node_error', message, details: { remoteNode: name } }])
    }
    it('connect', answers('dead', 'dead: connect ECONNREFUSED'))

    it('DNS', async () => {
      const { status, json } = await api.call('GET', '/dags?remoteNode=nowhere')
      expect([status, json.code]).to.deep.equal([502, 'remote_node_error'])
      expect(json.message).to.match(/^nowhere: getaddrinfo E\w+$/)
    })

    it('TLS', async () => {
      const { status, json } = await api.call('GET', '/dags?remoteNode=secure')
      expect([status, json.code]).to.deep.equal([502, 'remote_node_error'])
      expect(json.message).to.match(/^secure: /)
    })

    it('timeout: no answer, and one that comes drop by drop', async () => {
      odd.answersWith(() => {})
      await answers('token', 'token: no answer within 300 ms')()
      let end = () => {}
      odd.answersWith((_request, response) => {
        const timer = setInterval(() => void response.write(' '), 50)
        end = () => clearInterval(timer)
      })
      await answers('plain', 'plain: no answer within 300 ms')()
      end()
    })

    it('a connection that ends without an answer; the request is sent once', async () => {
      odd.answersWith((request) => void request.socket.destroy())
      const { status, json } = await api.call('POST', '/dags/hello/start?remoteNode=staging')
      expect([status, json.code, odd.asked.length]).to.deep.equal([502, 'remote_node_error', 1])
    })
  })

  describe('R8 our permission flags are checked before forwarding writes and runs', () => {
    for (const [flag, method, path] of [
      ['writeDAGs', 'PUT', '/dags/hello/spec'],
      ['runDAGs', 'POST', '/dags/hello/start'],
      ['runDAGs', 'GET', '/dag-runs/n/r/dequeue']
    ] as const)
      it(`${flag} off: ${method} ${path} -> 403, without a call`, async () => {
        odd.answers(200, JSON_TYPE, '{}')
        const { permissions } = engine.config
        permissions[flag] = false
        try {
          const { status, json } = await api.call(method, `${path}?remoteNode=staging`)
          expect([status, json.code, odd.asked.length]).to.deep.equal([403, 'forbidden', 0])
          expect((await api.call('GET', '/dags?remoteNode=staging')).status).to.equal(200)
        } finally {
          permissions[flag] = true
        }
      })
  })

  describe('R9 no chains, no redirects', () => {
    it('a forwarded request is not forwarded again', async () => {
      odd.answers(200, JSON_TYPE, '{}')
      const headers = { 'Engine-Forwarded': '1' }
      const { status, json } = await api.call('GET', '/dags?remoteNode=staging', { headers })
      expect([status, json.code, odd.asked.length]).to.deep.equal([400, 'bad_request', 0])
      expect((await api.call('GET', '/dags', { headers })).status).to.equal(200)
    })

    it('redirects are not followed: 502 bad_gateway, and the caller does not learn where to', async () => {
      for (const moved of [301, 302, 303, 307, 308]) {
        odd.answers(moved, { Location: `http://127.0.0.1:${odd.port}/elsewhere` })
        const { status, json, headers } = await api.call('GET', '/dags?remoteNode=staging')
        expect([status, json.code, odd.asked.length]).to.deep.equal([502, 'bad_gateway', 1])
        expect(headers).not.to.have.property('location')
      }
    })
  })

  it('R11 GET /remote-nodes -> names only', async () => {
    const { status, json } = await api.call('GET', '/remote-nodes')
    const remoteNodes = ['local', 'staging', 'token', 'plain', 'dead', 'nowhere', 'secure', 'ssh']
    expect([status, json]).to.deep.equal([200, { remoteNodes }])
    expect((await api.call('PUT', '/remote-nodes')).status).to.equal(405)
  })
})
