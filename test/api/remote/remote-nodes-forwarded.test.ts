/** What a remote node receives of a request. Source: api-semantics 8 (R1, R2), reliability 5.1. */
import { expect } from 'chai'
import { farNodes, JSON_TYPE } from '../../support/auth/remote-nodes.ts'

describe('API › remote nodes', () => {
  const far = farNodes()

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
        far.odd.answers(200, JSON_TYPE, '{"of":"the node"}')
        const { status, text } = await far.api.call(method, `${path}?remoteNode=staging`)
        expect([status, text, far.asked().method, far.asked().url]).to.deep.equal([
          200,
          '{"of":"the node"}',
          method,
          `/far/api/v2${path}`
        ])
      })
  })

  describe('R2 what is forwarded', () => {
    it('method, path after our base, query minus remoteNode, body bytes', async () => {
      far.odd.answers(200, JSON_TYPE, '{}')
      const body = '{ "a" : 1.50, "ü": "\\u00fc" }'
      await far.api.call('PUT', '/dags/hel-lo/spec?a=1&remoteNode=staging&b=x%20y%26&a=2', { body })
      expect([far.asked().method, far.asked().url]).to.deep.equal([
        'PUT',
        '/far/api/v2/dags/hel-lo/spec?a=1&b=x+y%26&a=2'
      ])
      expect(far.asked().body.toString()).to.equal(body)
      await far.api.call('PATCH', '/dag-runs/n/r/steps/a%2Fb%20%C3%BC/status?remoteNode=plain', { body: '' })
      expect(far.asked().url).to.equal('/dag-runs/n/r/steps/a%2Fb%20%C3%BC/status')
      await far.api.call('GET', '/dags/dotted.name?remoteNode=plain')
      expect(far.asked().url).to.equal('/dags/dotted.name')
      await far.api.call('GET', '/dags?rem%6fteNode=plain&remoteNode=')
      expect(far.asked().url).to.equal('/dags')
    })

    it('headers except Authorization, Cookie, Host, hop-by-hop, and whatever else says who the caller is', async () => {
      far.odd.answers(200, JSON_TYPE, '{}')
      const kept = {
        'idempotency-key': 'order 1',
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
        Origin: `http://127.0.0.1:${far.api.port}`,
        Referer: `http://127.0.0.1:${far.api.port}/`,
        'Sec-Fetch-Site': 'same-origin'
      }
      const headers = { ...kept, ...dropped, Connection: 'keep-alive, X-Hop' }
      await far.api.call('POST', '/dags/hello/start?remoteNode=staging', { body: '{}', headers })
      const { host, connection, 'content-length': length, ...rest } = far.asked().headers
      expect([host, connection, length]).to.deep.equal([`127.0.0.1:${far.odd.port}`, 'close', '2'])
      expect(rest).to.deep.equal({
        ...kept,
        'accept-encoding': 'identity',
        'engine-forwarded': '1',
        authorization: `Basic ${Buffer.from('ops:geheim').toString('base64')}`
      })
      await far.api.call('GET', '/dags?remoteNode=token')
      expect(far.asked().headers.authorization).to.equal('Bearer tok-en')
      await far.api.call('GET', '/dags?remoteNode=plain', { headers: { Authorization: 'Bearer caller' } })
      expect(far.asked().headers.authorization).to.equal(undefined)
    })

    it('Malformed JSON body -> 400 here, without a call; a body over 2 MiB -> 413', async () => {
      far.odd.answers(200, JSON_TYPE, '{}')
      for (const body of ['{', '[]', '{"a":1,"a":2}', Buffer.from([0xff])])
        expect((await far.api.call('POST', '/dags/hello/start?remoteNode=staging', { body })).status).to.equal(400)
      const large = `{"a":"${'x'.repeat(2 * 1024 * 1024)}"}`
      expect((await far.api.call('POST', '/dag-runs?remoteNode=staging', { body: large })).status).to.equal(413)
      expect(far.odd.asked).to.deep.equal([])
    })

    it('names in the path are checked here, so that no path leads out of the API of the node', async () => {
      far.odd.answers(200, JSON_TYPE, '{}')
      for (const path of [
        '/dags/%2e%2e/spec',
        '/dags/../spec',
        '/dags/a%2Fb/spec',
        '/dag-runs/../r',
        '/dag-runs/n/%2e%2e/log',
        '/dag-runs/n/r/steps/%2e%2e/log',
        '/dag-runs/n/r/steps/../log'
      ]) {
        const { status, json } = await far.api.call('GET', `${path}?remoteNode=staging`)
        expect([status, json.code, json.details.remoteNode], path).to.deep.equal([400, 'bad_request', 'staging'])
      }
      expect(far.odd.asked).to.deep.equal([])
    })
  })
})
