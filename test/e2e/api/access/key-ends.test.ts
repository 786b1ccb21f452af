/** The end of API keys: at once, at every door, in races, over restarts and crashes; and what a key costs. Source: docs/authentication.md "API keys". */
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine } from '../../../../src/index.ts'
import { served } from '../../../api/client.ts'
import { bearer, made, OPS, OPS_SETTINGS, streamOf } from '../../../support/api/key-calls.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { runningServer } from '../../../support/cli/program.ts'
import { temporaryFolder } from '../../../support/homes.ts'
import { WHEN_BUSY } from '../../../support/waiting.ts'

/** From the answer to a revocation on, everything of the key must be over within this time. */
const PROMISED_MS = 1_000

describe('API keys › revoked', () => {
  const api = liveApi({ settings: OPS_SETTINGS })
  const revoke = (name: string) => api.call('DELETE', `/access/keys/${name}`, { headers: OPS })
  const key = (name: string, body = {}) => made(api, { name, role: 'viewer', ...body })

  it('open streams end within 1 s, those of other keys go on, and the next request is refused on an open connection', async function () {
    this.retries(WHEN_BUSY)
    const [text, other] = [await key('ends'), await key('stays')]
    const streams = await Promise.all(Array.from({ length: 10 }, () => streamOf(api.port, bearer(text))))
    const going = await streamOf(api.port, bearer(other))
    expect(streams.map(({ status }) => status)).to.deep.equal(Array(10).fill(200))
    let isOver = false
    void going.ended.then(() => {
      isOver = true
    })
    expect((await revoke('ends')).status).to.equal(200)
    const answered = performance.now()
    await Promise.all(streams.map(({ ended }) => ended))
    expect(performance.now() - answered).to.be.below(PROMISED_MS)
    expect((await api.call('GET', '/dags', { headers: bearer(text) })).status).to.equal(401)
    expect(isOver).to.equal(false)
    going.close()
  })

  it('requests and streams in a race with the revocation: none that begins after its answer gets in, no stream stays', async () => {
    for (let round = 0; round < 5; round++) {
      const text = await key(`race${round}`)
      const first = round % 2 === 0 ? await api.call('GET', '/dags', { headers: bearer(text) }) : undefined // else its hash is in the race, too
      expect(first?.status ?? 200).to.equal(200)
      const opening = Array.from({ length: 12 }, () => streamOf(api.port, bearer(text)))
      const asked = Array.from({ length: 12 }, () => api.call('GET', '/dags', { headers: bearer(text) }))
      const gone = revoke(`race${round}`)
      const more = Array.from({ length: 12 }, () => streamOf(api.port, bearer(text)))
      expect((await gone).status).to.equal(200)
      const late = await Promise.all(
        Array.from({ length: 5 }, () => api.call('GET', '/dags', { headers: bearer(text) }))
      )
      expect(new Set(late.map(({ status }) => status))).to.satisfy(
        (all: Set<number>) => !all.has(200) && [...all].every((status) => status === 401 || status === 429)
      )
      for (const { status } of await Promise.all(asked)) expect(status).to.be.oneOf([200, 401, 429])
      // Whatever came first: all of them end.
      for (const stream of await Promise.all([...opening, ...more])) await stream.ended
    }
  })

  it('with a remote node that has it as its token: what was opened through the other server ends, too', async () => {
    const text = await key('node')
    const apiBaseURL = `http://127.0.0.1:${api.port}/api/v2`
    const node = { name: 'far', apiBaseURL, isAuthToken: true, authToken: text }
    const near = await createEngine({ temporary: true, settings: { remoteNodes: [node] } })
    const server = await served(near)
    const there = () => server.call('GET', '/dags?remoteNode=far', { unchecked: true })
    expect((await there()).status).to.equal(200)
    const stream = await streamOf(server.port, {}, '?remoteNode=far')
    expect(stream.status).to.equal(200)
    await revoke('node')
    await stream.ended
    expect((await there()).status).to.not.equal(200)
    await server.close()
    await near.close()
  })

  it('two revocations at once: one of them is it', async () => {
    await key('twice')
    const both = await Promise.all([revoke('twice'), revoke('twice')])
    expect(both.map(({ status }) => status).sort()).to.deep.equal([200, 404])
  })

  it('an answer that is being sent breaks off, so that it does not look complete', async () => {
    const text = await key('copies', { role: 'admin' })
    mkdirSync(api.engine.config.dagsDir, { recursive: true })
    writeFileSync(join(api.engine.config.dagsDir, 'big.yaml'), Buffer.alloc(40_000_000, '#'))
    const whole = await new Promise<boolean>((resolve, reject) => {
      const headers = { ...bearer(text), 'Content-Type': 'application/json' }
      const where = { host: '127.0.0.1', port: api.port, path: '/api/v2/services/backup', method: 'POST', headers }
      const sent = request(where, (response) => {
        expect(response.statusCode).to.equal(200)
        response.on('error', () => {})
        response.once('close', () => resolve(response.complete))
        revoke('copies').then(() => response.resume(), reject) // until then nothing is read
      })
      sent.on('error', reject)
      sent.end('{"logs": false}')
    })
    expect(whole).to.equal(false)
  })

  it('no hash is computed for a known key', async () => {
    const text = await key('cheap')
    const inTurn = () => {
      throw new Error('it is computed in turn')
    }
    expect(() => api.engine.keys.keyOf(text, inTurn)).to.throw('it is computed in turn')
    expect((await api.call('GET', '/dags', { headers: bearer(text) })).status).to.equal(200)
    expect(api.engine.keys.keyOf(text, inTurn)).to.have.property('name')
  })
})

describe('API keys › over restarts', () => {
  it('a key goes on, one that was revoked stays out, and the last use is known', async () => {
    const home = temporaryFolder()
    const open = async () => {
      const engine = await createEngine({ home, settings: OPS_SETTINGS })
      const server = await served(engine)
      const close = async () => {
        await server.close()
        await engine.close()
      }
      return { engine, call: server.call, close }
    }
    const first = await open()
    const [good, gone] = [
      await made(first, { name: 'good', role: 'viewer', expires: '30d' }),
      await made(first, { name: 'gone', role: 'viewer' })
    ]
    await first.call('GET', '/dags', { headers: bearer(good) })
    await first.call('GET', '/dags', { headers: bearer(gone) })
    await first.call('DELETE', '/access/keys/gone', { headers: OPS })
    const before = first.engine.keys.all()
    await first.close()
    const second = await open()
    expect(second.engine.keys.all()).to.deep.equal(before)
    expect(before.every(({ lastUsedAt }) => lastUsedAt !== undefined)).to.equal(true)
    const statuses = [good, gone].map(
      async (text) => (await second.call('GET', '/dags', { headers: bearer(text) })).status
    )
    expect(await Promise.all(statuses)).to.deep.equal([200, 401])
    await second.close()
  })

  it('what was answered counts after kill -9: a key that was made, and one that was revoked', async () => {
    const folder = temporaryFolder()
    const environment = { ENGINE_AUTH_TOKEN: 'secret-ops' }
    const first = await runningServer(environment, { folder })
    const call = async (address: string, method: string, path: string, headers: object, body?: object) =>
      fetch(`${address}/api/v2${path}`, {
        method,
        headers: { ...headers },
        ...(body ? { body: JSON.stringify(body) } : {})
      })
    const make = async (name: string): Promise<string> => {
      const answer = await call(first.address, 'POST', '/access/keys', OPS, { name, role: 'viewer' })
      const { key }: { key: string } = JSON.parse(await answer.text())
      return key
    }
    const [gone, good] = [await make('gone'), await make('good')]
    expect((await call(first.address, 'GET', '/dags', bearer(gone))).status).to.equal(200)
    expect((await call(first.address, 'DELETE', '/access/keys/gone', OPS)).status).to.equal(200)
    first.child.kill('SIGKILL')
    await first.code
    const second = await runningServer(environment, { folder })
    expect((await call(second.address, 'GET', '/dags', bearer(gone))).status).to.equal(401)
    expect((await call(second.address, 'GET', '/dags', bearer(good))).status).to.equal(200)
    expect([first.written.err, second.written.err].join('')).to.not.contain(good.slice(18))
    await second.end()
  })
})
