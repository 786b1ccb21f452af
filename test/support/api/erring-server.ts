/** A server with something in every state that a request can be refused for, and requests that must be refused. */
import { expect } from 'chai'
import { readConfig } from '../../../src/config.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { type Answer, type Sent, served } from '../../api/client.ts'
import { type Json, liveApi } from './live-api.ts'

type Request = readonly [method: string, path: string, body?: unknown]
type Send = (method: string, path: string, sent?: Sent) => Promise<Answer>

/** For the tests of a `describe`. `each` sends requests that all get this status and code. */
export function erringServer() {
  const nodes = [
    { name: 'dead', apiBaseURL: 'http://127.0.0.1:1/api/v2' },
    { name: 'odd', apiBaseURL: 'http://127.0.0.1:2/api/v2' }
  ]
  const api = liveApi({ settings: { 'queues.config': [{ name: 'batch', maxConcurrency: 1 }], remoteNodes: nodes } })

  before(async () => {
    api.write('plain', 'steps: ["true"]')
    api.write('held', 'steps: [sleep 60]')
    api.write('broken', 'steps: [{name: a, depends: b}]')
    await api.started('plain', { dagRunId: 'p1' })
    await api.ended('plain', 'p1')
    await api.started('held', { dagRunId: 'h1' })
    await api.call('POST', '/dags/held/enqueue', { body: { dagRunId: 'q1' } })
  })
  async function each(
    status: number,
    code: string,
    requests: readonly Request[],
    send: Send = api.call
  ): Promise<Json[]> {
    const answers: Json[] = []
    for (const [method, path, body] of requests) {
      const { status: found, json, headers } = await send(method, path, body === undefined ? {} : { body })
      const what = `${method} ${path} ${JSON.stringify(body)}`
      expect([found, json?.code], what).to.deep.equal([status, code])
      expect(json.message, what).to.be.a('string').that.is.not.equal('')
      expect(Object.keys(json).filter((key) => !['code', 'message', 'details'].includes(key))).to.deep.equal([])
      expect(headers['content-type']).to.equal('application/json; charset=utf-8')
      answers.push(json)
    }
    return answers
  }
  /** The same engine under other settings. */
  async function under(
    settings: Record<string, unknown>,
    prove: (send: Send) => Promise<void>,
    spoil: Partial<Engine> = {}
  ) {
    const { auth, permissions, remoteNodes } = readConfig({ home: '/nowhere', settings }, {})
    const config = { ...api.engine.config, auth, permissions, remoteNodes }
    const other = await served({ ...api.engine, ...spoil, config })
    try {
      await prove(other.call)
    } finally {
      await other.close()
    }
  }
  return { api, each, under }
}
