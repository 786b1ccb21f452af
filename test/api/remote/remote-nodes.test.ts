/** Which server a request is for, and who may send it on. Source: api-semantics 8 (R1, R8, R9, R11), reliability 5.1. */
import { expect } from 'chai'
import { farNodes, JSON_TYPE } from '../../support/auth/remote-nodes.ts'

describe('API › remote nodes', () => {
  const far = farNodes()

  describe('R1 which server', () => {
    it('absent, "", local -> here', async () => {
      far.odd.answers(500, {})
      for (const query of ['', '?remoteNode=', '?remoteNode=local'])
        expect((await far.api.call('GET', `/dags${query}`)).status).to.equal(200)
      expect(far.odd.asked).to.deep.equal([])
    })

    it('unknown -> 400 bad_request, given twice -> 400', async () => {
      for (const name of ['production', 'Staging', 'http://127.0.0.1:9', '__proto__']) {
        const { status, json } = await far.api.call('GET', `/dags?remoteNode=${encodeURIComponent(name)}`)
        expect([status, json.code, json.details.remoteNode]).to.deep.equal([400, 'bad_request', name])
      }
      expect((await far.api.call('GET', '/dags?remoteNode=local&remoteNode=staging')).status).to.equal(400)
      expect(far.odd.asked).to.deep.equal([])
    })

    it('not accepted on /health and /metrics: they are of this server', async () => {
      for (const path of ['/health', '/metrics'])
        expect((await far.api.call('GET', `${path}?remoteNode=dead`)).status).to.equal(200)
    })

    it('a path that this API has not is 404 here, a wrong method 405', async () => {
      expect((await far.api.call('GET', '/nowhere?remoteNode=staging')).status).to.equal(404)
      expect((await far.api.call('PATCH', '/dags?remoteNode=staging')).status).to.equal(405)
      expect(far.odd.asked).to.deep.equal([])
    })
  })

  describe('R8 our permission flags are checked before forwarding writes and runs', () => {
    for (const [flag, method, path] of [
      ['writeDAGs', 'PUT', '/dags/hello/spec'],
      ['runDAGs', 'POST', '/dags/hello/start'],
      ['runDAGs', 'GET', '/dag-runs/n/r/dequeue']
    ] as const)
      it(`${flag} off: ${method} ${path} -> 403, without a call`, async () => {
        far.odd.answers(200, JSON_TYPE, '{}')
        const { permissions } = far.engine.config
        permissions[flag] = false
        try {
          const { status, json } = await far.api.call(method, `${path}?remoteNode=staging`)
          expect([status, json.code, far.odd.asked.length]).to.deep.equal([403, 'forbidden', 0])
          expect((await far.api.call('GET', '/dags?remoteNode=staging')).status).to.equal(200)
        } finally {
          permissions[flag] = true
        }
      })
  })

  describe('R9 no chains, no redirects', () => {
    it('a forwarded request is not forwarded again', async () => {
      far.odd.answers(200, JSON_TYPE, '{}')
      const headers = { 'Engine-Forwarded': '1' }
      const { status, json } = await far.api.call('GET', '/dags?remoteNode=staging', { headers })
      expect([status, json.code, far.odd.asked.length]).to.deep.equal([400, 'bad_request', 0])
      expect((await far.api.call('GET', '/dags', { headers })).status).to.equal(200)
    })

    it('redirects are not followed: 502 bad_gateway, and the caller does not learn where to', async () => {
      for (const moved of [301, 302, 303, 307, 308]) {
        far.odd.answers(moved, { Location: `http://127.0.0.1:${far.odd.port}/elsewhere` })
        const { status, json, headers } = await far.api.call('GET', '/dags?remoteNode=staging')
        expect([status, json.code, far.odd.asked.length]).to.deep.equal([502, 'bad_gateway', 1])
        expect(headers).not.to.have.property('location')
      }
    })
  })

  it('R11 GET /remote-nodes -> names only', async () => {
    const { status, json } = await far.api.call('GET', '/remote-nodes')
    const remoteNodes = ['local', 'staging', 'token', 'plain', 'dead', 'nowhere', 'secure', 'ssh']
    expect([status, json]).to.deep.equal([200, { remoteNodes }])
    expect((await far.api.call('PUT', '/remote-nodes')).status).to.equal(405)
  })
})
