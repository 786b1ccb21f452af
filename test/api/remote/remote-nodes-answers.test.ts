/** What a remote node answers well, and how it passes through. Source: api-semantics 8 (R3), reliability 5.1. */
import { expect } from 'chai'
import { farNodes, JSON_TYPE } from '../../support/auth/remote-nodes.ts'
import { eventually } from '../../support/waiting.ts'

describe('API › remote nodes', () => {
  const far = farNodes()

  describe('R3 2xx', () => {
    it('status, Content-Type and body pass through, Engine-Run-Id and Idempotent-Replayed too; cookies and the like do not', async () => {
      const body = '{"dagRunId": "x",  "big": 12345678901234567890}'
      const odds = { 'Set-Cookie': 'a=b', Location: '/x', 'Access-Control-Allow-Origin': '*', Server: 'x' }
      far.odd.answers(
        201,
        { 'Content-Type': 'application/json', 'Engine-Run-Id': 'x', 'Idempotent-Replayed': 'true', ...odds },
        body
      )
      const answer = await far.api.call('POST', '/dags?remoteNode=staging', { body: {} })
      expect([answer.status, answer.text]).to.deep.equal([201, body])
      expect(answer.headers).to.include({ 'content-type': 'application/json', 'engine-run-id': 'x' })
      expect(answer.headers['idempotent-replayed']).to.equal('true')
      expect(answer.headers).not.to.have.any.keys('set-cookie', 'location', 'access-control-allow-origin', 'server')
      expect(answer.headers['x-content-type-options']).to.equal('nosniff')
    })

    it('a diagram passes as text where one may be asked for, and only there', async () => {
      const text = { 'Content-Type': 'text/plain; charset=utf-8' }
      const diagrams = ['/machines/run', '/dag-runs/n/r/statechart', '/dag-runs/n/r/sequence']
      for (const path of diagrams) {
        far.odd.answers(200, text, 'stateDiagram-v2\n')
        const answer = await far.api.call('GET', `${path}?format=mermaid&remoteNode=staging`)
        expect([answer.status, answer.text, answer.headers['content-type']], path).to.deep.equal([
          200,
          'stateDiagram-v2\n',
          'text/plain; charset=utf-8'
        ])
        far.odd.answers(200, { 'Content-Type': 'text/html' }, '<html>sign in</html>')
        expect((await far.api.call('GET', `${path}?format=mermaid&remoteNode=staging`)).status, path).to.equal(502)
      }
      far.odd.answers(200, text, 'stateDiagram-v2\n')
      expect((await far.api.call('GET', '/dag-runs/n/r/actors?remoteNode=staging')).status).to.equal(502)
    })

    it('204, and 200 with zero-length body, stay what they are', async () => {
      far.odd.answers(204, {})
      const none = await far.api.call('DELETE', '/dags/hello?remoteNode=staging')
      expect([none.status, none.text]).to.deep.equal([204, ''])
      far.odd.answers(200, { 'Content-Length': '0' })
      const empty = await far.api.call('POST', '/dag-runs/n/r/stop?remoteNode=staging')
      expect([empty.status, empty.text, empty.headers['content-length']]).to.deep.equal([200, '', '0'])
    })

    it('an empty log is text, as it would be here', async () => {
      far.odd.answers(200, { 'Content-Type': 'text/plain; charset=utf-8' })
      const { status, text, headers } = await far.api.call('GET', '/dag-runs/n/r/log/file?remoteNode=staging')
      expect([status, text, headers['content-type']]).to.deep.equal([200, '', 'text/plain; charset=utf-8'])
    })

    it('HEAD has the headers of GET', async () => {
      far.odd.answers(200, { ...JSON_TYPE, 'Content-Length': '123' })
      const { status, headers, text } = await far.api.call('HEAD', '/dags?remoteNode=staging')
      expect([status, text, headers['content-length']]).to.deep.equal([200, '', '123'])
      far.odd.answers(404, {})
      expect((await far.api.call('HEAD', '/dags/x?remoteNode=staging')).status).to.equal(404)
    })

    it('a large body is streamed: its beginning arrives while the rest is still to come', async () => {
      const part = JSON.stringify({ content: 'x'.repeat(200_000) })
      let finish = () => {}
      far.odd.answersWith((_request, response) => {
        response.writeHead(200, { ...JSON_TYPE, 'Content-Length': String(part.length + 8) }).write(part)
        finish = () => void response.end(' '.repeat(8))
      })
      const response = await fetch(`http://127.0.0.1:${far.api.port}/api/v2/dag-runs/n/r/log?remoteNode=staging`)
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
        far.odd.answersWith((_request, response) => {
          response.writeHead(200, { ...JSON_TYPE, 'Content-Length': '1000000' }).write(`{"a":"${'x'.repeat(100_000)}`)
          end(response.socket)
        })
      const failure = () =>
        fetch(`http://127.0.0.1:${far.api.port}/api/v2/dags?remoteNode=token`)
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
        far.odd.answersWith((_request, response) => void response.writeHead(200, { 'Content-Type': type }).write(' '))
        const leaving = new AbortController()
        const url = `http://127.0.0.1:${far.api.port}/api/v2/events?remoteNode=staging`
        const sent = fetch(url, { signal: leaving.signal }).catch(() => 'left')
        await eventually('the question', async () => far.odd.asked.length > 0 || undefined)
        expect(far.odd.sockets.size).to.be.greaterThan(0)
        leaving.abort()
        await sent
        await eventually('the end', async () => far.odd.sockets.size === 0 || undefined)
      }
    })

    it('streams of events that come from a node are streams of their caller: 64, then 429 of this server', async () => {
      far.odd.answersWith((_request, response) => {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' }).write(': the journal\n\n')
      })
      const leaving = new AbortController()
      const url = `http://127.0.0.1:${far.api.port}/api/v2/events?remoteNode=staging`
      const open = () => fetch(url, { signal: leaving.signal })
      try {
        const all = await Promise.all(Array.from({ length: 64 }, open))
        expect(all.every(({ status }) => status === 200)).to.equal(true)
        const beyond = await open()
        const told = (await beyond.json()) as { code: string; details?: object }
        expect([beyond.status, beyond.headers.get('retry-after'), told.code, told.details]).to.deep.equal([
          429,
          '1',
          'service_unavailable',
          undefined
        ])
        await eventually('that question has ended', async () => far.odd.sockets.size <= 64 || undefined)
      } finally {
        leaving.abort()
      }
      await eventually('room again', async () => {
        const again = new AbortController()
        const { status } = await fetch(url, { signal: again.signal })
        again.abort()
        return status === 200 || undefined
      })
    })
  })
})
