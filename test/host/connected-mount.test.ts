/** The API and the page in a process whose engine is in another. Source: docs/embedding/several-processes.md; D1767. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { fetchHandler, type HttpOptions, nodeHandler } from '../../src/http/index.ts'
import { connectEngine, createEngine, defineDag, TroupeError } from '../../src/index.ts'
import { temporaryFolder } from '../support/homes.ts'

const hello = defineDag({ name: 'hello' }, (d) => d.approval('ask'))
const dags = [hello]
const authorize: HttpOptions['authorize'] = ({ headers }) => {
  if (headers.get('cookie') === 'user=broken') throw new Error('the sessions are gone')
  return headers.get('cookie') === 'user=anna' ? { name: 'anna', permissions: ['read', 'run'] } : null
}
const options: HttpOptions = { prefix: '/flows', page: true, authorize }
const codeIn = async (response: Response) => ((await response.json()) as { code: string }).code
const anna = { cookie: 'user=anna' }

describe('troupe/http › mounted on what connectEngine returns', function () {
  this.timeout(30_000)
  const home = temporaryFolder()
  const client = connectEngine({ home, waitForOwner: '10s' })
  const flows = fetchHandler(client, options)
  const ask = (path: string, init: RequestInit = {}) =>
    flows(new Request(`http://shop.example/flows${path}`, { headers: anna, ...init }))
  const open = () => createEngine({ home, dags, clients: true })
  let engine: Awaited<ReturnType<typeof open>>
  before(async () => {
    engine = await open()
  })
  after(async () => {
    client.close()
    await engine.close()
  })

  it('has the page and the API of the owner, for whom authorize lets in', async () => {
    expect(await (await ask('/')).text()).to.contain('content="/flows/api/v2"')
    const started = await ask('/api/v2/dags/hello/start', {
      method: 'POST',
      body: '{"dagRunId": "one"}',
      headers: { ...anna, 'content-type': 'application/json', origin: 'http://shop.example' }
    })
    expect([started.status, await started.json()]).to.deep.equal([200, { dagRunId: 'one' }])
    expect(engine.record({ name: 'hello', dagRunId: 'one' })?.trigger).to.include({ type: 'api', by: 'anna' })
    const removed = await ask('/api/v2/dags/hello', { method: 'DELETE' })
    expect([removed.status, await codeIn(removed)]).to.deep.equal([403, 'forbidden'])
  })
  it('a stranger is answered 401, also one who says over HTTP what only the process may say', async () => {
    const told = encodeURIComponent(
      JSON.stringify({ mount: { prefix: '/flows', origins: [] }, caller: { name: 'eve', role: 'admin' } })
    )
    for (const headers of [{}, { 'troupe-mount': told }, { 'troupe-host': 'eve' }, { 'troupe-command': '' }])
      expect((await ask('/api/v2/dags', { headers })).status).to.equal(401)
  })
  it('what authorize throws is a 500, and the next request is served', async () => {
    const failed = await ask('/api/v2/dags', { headers: { cookie: 'user=broken' } })
    expect([failed.status, await failed.json()]).to.deep.equal([
      500,
      { code: 'internal_error', message: 'internal error' }
    ])
    expect((await ask('/api/v2/dags')).status).to.equal(200)
  })
  it('events come as they happen', async () => {
    const run = await client.start(hello, {})
    const enough = new AbortController()
    const { body } = await ask(`/api/v2/dag-runs/hello/${run.dagRunId}/events`, { signal: enough.signal })
    let text = ''
    const read = (async () => {
      for await (const bytes of body ?? []) text += new TextDecoder().decode(bytes)
    })().catch(() => {})
    await client.signal({ name: 'hello', dagRunId: run.dagRunId, step: 'ask' }, { approved: true })
    await run.result()
    while (!text.includes('"to":"succeeded"')) await new Promise((resolve) => setImmediate(resolve))
    enough.abort()
    await read
  })
  it('a body that was read already is taken from req.body; other paths go to next', async () => {
    const handler = nodeHandler(client, options)
    const server = createServer(async (req, res) => {
      const pieces: Uint8Array[] = []
      for await (const piece of req) pieces.push(piece)
      const text = Buffer.concat(pieces).toString()
      handler(Object.assign(req, { body: text === '' ? undefined : JSON.parse(text) }), res, () => res.end('own'))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const at = (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init)
    try {
      expect(await (await at('/other')).text()).to.equal('own')
      const headers = { ...anna, 'content-type': 'application/json' }
      const body = '{"dagRunId": "parsed"}'
      expect((await at('/flows/api/v2/dags/hello/start', { method: 'POST', body, headers })).status).to.equal(200)
      expect(engine.record({ name: 'hello', dagRunId: 'parsed' })?.status).to.equal('running')
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
  it('while there is no owner requests wait for the next one, and for no longer than waitForOwner', async () => {
    await engine.close()
    const waiting = ask('/api/v2/dag-runs/hello/one')
    const hasty = connectEngine({ home, waitForOwner: 20 })
    const refused = await fetchHandler(
      hasty,
      options
    )(new Request('http://shop.example/flows/api/v2/dags', { headers: anna }))
    hasty.close()
    expect([refused.status, await codeIn(refused)]).to.deep.equal([503, 'service_unavailable'])
    engine = await open()
    expect(await (await waiting).json()).to.have.nested.property('dagRun.dagRunId', 'one')
  })
  it('options are those of a mount without may; a client of a URL cannot be mounted', () => {
    expect(() => nodeHandler(client, { ...options, may: () => true })).to.throw(
      TroupeError,
      'may: wanted none with connectEngine'
    )
    const there = connectEngine({ url: 'http://127.0.0.1:1/api/v2' })
    expect(() => nodeHandler(there, options)).to.throw(
      TroupeError,
      /^wanted an engine, or what connectEngine returns for a home/
    )
  })
})
