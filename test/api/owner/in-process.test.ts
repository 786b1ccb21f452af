/** Without a server, a command gets the answers that it would get over the owner's socket. Source: docs/cli.md; D1670. */
import { createServer } from 'node:http'
import { expect } from 'chai'
import type { Operation } from '../../../src/api/contract/operation.ts'
import { operationList } from '../../../src/api/contract/operations.ts'
import { trustedApi, trustedCalls } from '../../../src/api/owner/trusted-api.ts'
import { createClient } from '../../../src/client/index.ts'
import { fakeEngine, planOf, stepOf } from '../../support/engine/fake-engine.ts'

const SENT: Readonly<Record<string, object>> = {
  createDag: { name: 'new', spec: 'steps: ["true"]\n' },
  validateSpec: { spec: 'steps: [' },
  startDag: { params: 'A=1', dagName: 'other' },
  renameDag: { newFileName: 'renamed' },
  createKey: { name: 'ops', role: 'admin' }
}
/** Of the moment, or made at random. */
const PASSING = /"(uptime|timestamp|key|publicKey|fingerprint)":[^,}]+/g
const NAMES: Readonly<Record<string, string>> = { fileName: 'etl', name: 'etl', dagRunId: 'r1', stepName: 'load' }

function engineWithARun() {
  const engine = fakeEngine({}, { etl: planOf('etl', { steps: [stepOf('load')] }) })
  engine.addRun({ name: 'etl', dagRunId: 'r1', createdAt: 1_000 })
  return engine
}

describe('the API in the process of a command', () => {
  const near = trustedCalls(engineWithARun())
  const server = createServer(trustedApi(engineWithARun()))
  let base = ''
  before(async () => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${Object(server.address()).port}/api/v2`
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const urlOf = ({ path }: Pick<Operation, 'path'>, names: Readonly<Record<string, string>>) =>
    path.replace(/\{(\w+)\}/g, (_found, name: string) => encodeURIComponent(names[name] ?? 'x'))

  async function bothOf(url: string, method: string, body?: object) {
    const request = { method, headers: {}, ...(body ? { body: JSON.stringify(body) } : {}) }
    const far = (url: string, request: RequestInit) => fetch(base + url, request)
    return Promise.all(
      [near, far].map(async (ask) => {
        const { status, headers, text } = await ask(url, request).then(async (answer) => ({
          status: answer.status,
          headers: answer.headers,
          text: await answer.text()
        }))
        const type = headers.get('content-type')?.split(';')[0]
        return { status, ...(text === '' ? {} : { type }), text: text.replaceAll(PASSING, '"$1"') }
      })
    )
  }

  // Of this process, and of a home that is on a disk.
  const others = new Set(['getMetrics', 'backUpHome', 'examineHome'])
  for (const [id, operation] of operationList.filter(([id]) => !others.has(id)))
    it(`${id} is answered as over a connection`, async () => {
      const { method } = operation
      const query = operation.path.endsWith('/events') ? '?follow=false' : ''
      const body = method === 'GET' ? undefined : (SENT[id] ?? {})
      const [near, far] = await bothOf(urlOf(operation, NAMES) + query, method, body)
      expect(near).to.deep.equal(far)
      expect(near?.text).not.to.contain('no such path')
    })

  for (const [what, method, url, body] of [
    ['a name that cannot be one', 'GET', '/dags/a%20b', undefined],
    ['a name in other letters', 'GET', '/dags/caf%C3%A9', undefined],
    ['latest, which can only be read', 'POST', '/dag-runs/etl/latest/stop', {}],
    ['a parameter that does not fit', 'GET', '/dag-runs?status=many&limit=-1', undefined],
    ['a field that does not fit', 'POST', '/dags/etl/start', { params: 7 }],
    ['an unknown field, which is ignored', 'POST', '/dags/etl/start', { nothing: 7 }],
    ['a path that nothing has', 'GET', '/nothing', undefined],
    ['a definition before what is beside it', 'GET', '/dags/search?q=etl', undefined]
  ] as const)
    it(`the same refusals and readings: ${what}`, async () => {
      const [near, far] = await bothOf(url, method, body)
      expect(near).to.deep.equal(far)
    })

  it('events come as they happen, until they are no longer wanted', async () => {
    const engine = engineWithARun()
    const fetch = trustedCalls(engine)
    const client = createClient({ baseUrl: '', fetch })
    const enough = new AbortController()
    let ends = 0
    engine.subscribe = (listen) => {
      listen({} as never)
      return () => void ends++
    }
    engine.latestSeq = () => 1
    const path = { name: 'etl', dagRunId: 'r1' }
    const told = client.runEvents({ path, query: { after: 'now' }, signal: enough.signal }).next()
    await new Promise(setImmediate)
    enough.abort()
    expect(await told).to.deep.include({ done: true })
    await new Promise(setImmediate)
    expect(ends).to.equal(1)
  })
})
