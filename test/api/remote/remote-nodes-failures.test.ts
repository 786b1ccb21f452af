/** What becomes of errors of a remote node, and of answers that are none. Source: api-semantics 8 (R4-R7). */
import { expect } from 'chai'
import { farNodes, JSON_TYPE } from '../../support/auth/remote-nodes.ts'

describe('API › remote nodes', () => {
  const far = farNodes()

  describe('R4 4xx with an Error body', () => {
    it('status, code, message pass through, plus details.remoteNode', async () => {
      for (const [status, code] of [
        [400, 'already_running'],
        [404, 'not_found'],
        [409, 'max_run_reached'],
        [429, 'some.code.of.another.release']
      ] as const) {
        far.odd.answers(status, JSON_TYPE, JSON.stringify({ code, message: 'because', details: { limit: 1 } }))
        const answer = await far.api.call('GET', '/dags/hello?remoteNode=staging')
        const details = { limit: 1, remoteNode: 'staging' }
        expect([answer.status, answer.json]).to.deep.equal([status, { code, message: 'because', details }])
      }
    })

    it('without one: 502 bad_gateway', async () => {
      for (const body of ['', 'not found', '{"error":"x"}', '<html>', '[]', 'null']) {
        far.odd.answers(404, JSON_TYPE, body)
        const { status, json } = await far.api.call('GET', '/dags/hello?remoteNode=staging')
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
      far.odd.answers(refused, { ...JSON_TYPE, 'WWW-Authenticate': 'Basic' }, '{"code":"unauthorized","message":"no"}')
      const { status, json, headers } = await far.api.call('GET', '/dags?remoteNode=staging')
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
      far.odd.answers(503, JSON_TYPE, '{"code":"service_unavailable","message":"no coordinator is running"}')
      const { status, json } = await far.api.call('GET', '/workers?remoteNode=staging')
      expect([status, json]).to.deep.equal([
        502,
        {
          code: 'bad_gateway',
          message: 'staging: answered 503: no coordinator is running',
          details: { remoteNode: 'staging' }
        }
      ])
      far.odd.answers(500, { 'Content-Type': 'text/html' }, '<h1>stack trace</h1>')
      expect((await far.api.call('GET', '/dags?remoteNode=staging')).json.message).to.equal('staging: answered 500')
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
        far.odd.answers(200, headers, body)
        const { status, json } = await far.api.call('GET', '/dags?remoteNode=staging')
        expect([status, json.code, json.details], body.slice(0, 20)).to.deep.equal([
          502,
          'bad_gateway',
          { remoteNode: 'staging' }
        ])
      }
    })

    it('what is no HTTP at all', async () => {
      const { status, json } = await far.api.call('GET', '/dags?remoteNode=ssh')
      expect([status, json.code]).to.deep.equal([502, 'bad_gateway'])
      expect(json.message).to.match(/^ssh: answered with something else than HTTP \(HPE_\w+\)$/)
    })

    it('no message shows the credentials that this server has for the node', async () => {
      const basic = Buffer.from('ops:geheim').toString('base64')
      far.odd.answers(
        400,
        JSON_TYPE,
        JSON.stringify({ code: 'bad_request', message: `Basic ${basic}`, details: { a: ['geheim'] } })
      )
      const { json } = await far.api.call('GET', '/dags?remoteNode=staging')
      expect(json).to.deep.include({ message: 'Basic ***', details: { a: ['***'], remoteNode: 'staging' } })
    })
  })

  describe('R7 502 remote_node_error', () => {
    const answers = (name: string, message: string) => async () => {
      const { status, json } = await far.api.call('GET', `/dags?remoteNode=${name}`)
      expect([status, json]).to.deep.equal([502, { code: 'remote_node_error', message, details: { remoteNode: name } }])
    }
    it('connect', answers('dead', 'dead: connect ECONNREFUSED'))

    it('DNS', async () => {
      const { status, json } = await far.api.call('GET', '/dags?remoteNode=nowhere')
      expect([status, json.code]).to.deep.equal([502, 'remote_node_error'])
      expect(json.message).to.match(/^nowhere: getaddrinfo E\w+$/)
    })

    it('TLS', async () => {
      const { status, json } = await far.api.call('GET', '/dags?remoteNode=secure')
      expect([status, json.code]).to.deep.equal([502, 'remote_node_error'])
      expect(json.message).to.match(/^secure: /)
    })

    it('timeout: no answer, and one that comes drop by drop', async () => {
      far.odd.answersWith(() => {})
      await answers('token', 'token: no answer within 300 ms')()
      let end = () => {}
      far.odd.answersWith((_request, response) => {
        const timer = setInterval(() => void response.write(' '), 50)
        end = () => clearInterval(timer)
      })
      await answers('plain', 'plain: no answer within 300 ms')()
      end()
    })

    it('a connection that ends without an answer; the request is sent once', async () => {
      far.odd.answersWith((request) => void request.socket.destroy())
      const { status, json } = await far.api.call('POST', '/dags/hello/start?remoteNode=staging')
      expect([status, json.code, far.odd.asked.length]).to.deep.equal([502, 'remote_node_error', 1])
    })
  })
})
