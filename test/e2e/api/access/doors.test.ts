/** The other doors: the page, the owner's socket, remote nodes, a host application, and callers without credentials. Source: docs/authentication.md "Roles". */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { createApp } from '../../../../src/api/app.ts'
import { fetchHandler, type Principal } from '../../../../src/http/index.ts'
import { accessScene, as, CALLERS, ROLES_AND_RULES } from '../../../support/api/access-scene.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { serversOnLoopback } from '../../../support/auth/servers-on-loopback.ts'

describe('access › doors', () => {
  const { api } = accessScene()

  it('the page hears what its visitor may do, on the server and with a DAG', async () => {
    const session = async (caller: string, dag = '') =>
      (await api.callAt('GET', `/page/session${dag && `?dag=${dag}`}`, as(caller))).json
    expect(await session('viewer')).to.deep.equal({
      name: 'the token viewer',
      role: 'viewer',
      permissions: ['read'],
      somewhere: ['read']
    })
    expect(await session('etl')).to.deep.include({ permissions: [], somewhere: ['read', 'run', 'write'] })
    expect(await session('admin')).to.not.have.property('somewhere')
    expect(await session('runner'))
      .to.include({ role: 'runner' })
      .and.deep.include({ permissions: ['read', 'run'] })
    expect((await session('admin')).permissions).to.deep.equal(['read', 'run', 'write'])
    for (const [caller, { with: roles }] of Object.entries(CALLERS))
      for (const [dag, role] of Object.entries(roles)) expect((await session(caller, dag)).role, dag).to.equal(role)
    expect((await session('editor', 'open')).permissions).to.deep.equal(['read'])
    expect((await session('nobody')).permissions).to.deep.equal([])
    const [hidden, missing] = [await session('viewer', 'pay'), await session('viewer', 'missing')]
    expect(hidden, 'hidden is like missing').to.deep.equal(missing)
  })

  it("the owner's socket knows no roles", async () => {
    const server = createServer(createApp(api.engine, { trusted: true }).callback())
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo // it listens on a port
      const answer = await fetch(`http://127.0.0.1:${port}/api/v2/dags/pay/spec`)
      expect(answer.status).to.equal(200)
    } finally {
      server.close()
      server.closeAllConnections()
    }
  })

  it('a host application gives a role on the server, or a name that the settings know', async () => {
    const ask = async (who: Principal, method: string, path: string) => {
      const handle = fetchHandler(api.engine, { prefix: '/flows', authorize: () => who })
      const answer = await handle(new Request(`http://shop.example/flows/api/v2${path}`, { method }))
      return [answer.status, answer.headers.get('content-type')?.includes('json') ? await answer.json() : {}]
    }
    expect(await ask({ name: 'eve', role: 'viewer' }, 'POST', '/dags/open/start')).to.deep.equal([
      403,
      { code: 'forbidden', message: 'eve may not run open: that takes the role runner, and authorize says viewer' }
    ])
    const [byRole] = await ask({ name: 'eve', role: 'runner' }, 'POST', '/dags/open/start')
    const [ofAdmin] = await ask({ name: 'eve', role: 'admin' }, 'GET', '/dags/pay')
    const [hidden] = await ask({ name: 'eve', role: 'editor' }, 'GET', '/dags/pay')
    const [byKey] = await ask({ name: 'Eve', key: 'payer', permissions: ['read'] }, 'GET', '/dags/pay')
    const [byPermissions] = await ask({ name: 'payer', permissions: ['read'] }, 'POST', '/dags/pay/start')
    const [nothingSaid] = await ask({ name: 'eve' }, 'GET', '/dags')
    expect([byRole, ofAdmin, hidden, byKey, byPermissions, nothingSaid]).to.deep.equal([200, 200, 404, 200, 403, 500])
  })

  describe('another server through this one', () => {
    const { serverOf } = serversOnLoopback()
    let call: Awaited<ReturnType<typeof serverOf>>['server']['call']
    before(async () => {
      const { server: back } = await serverOf('pay', {})
      const remoteNodes = [{ name: 'back', apiBaseURL: `http://127.0.0.1:${back.port}/api/v2` }]
      ;({ call } = (await serverOf('front', { ...ROLES_AND_RULES, remoteNodes })).server)
    })
    const status = async (caller: string, method: string, path: string, body?: unknown) =>
      (await call(method, `${path}?remoteNode=back`, as(caller, body === undefined ? {} : { body }))).status

    it('takes the role on this server; rules are about the definitions of this one', async () => {
      expect(await status('viewer', 'GET', '/dags/pay')).to.equal(200)
      expect(await status('viewer', 'POST', '/dags/pay/start', {})).to.equal(403)
      expect(await status('runner', 'POST', '/dags/pay/start', {})).to.equal(200)
      expect(await status('runner', 'POST', '/dags', { name: 'x', spec: 'steps: [echo hi]' })).to.equal(403)
      expect(await status('editor', 'POST', '/dags', { name: 'x', spec: 'steps: [echo hi]' })).to.equal(201)
      expect(await status('editor', 'POST', '/workers/w/drain', { drain: true })).to.equal(403)
    })
    it('who has no role on this server reaches none, and hears of none', async () => {
      expect(await status('etl', 'POST', '/dags/validate', { name: 'x', spec: 'steps: [echo hi]' })).to.equal(403)
      for (const path of ['/dags', '/dags/pay', '/dag-runs', '/events'])
        expect(await status('etl', 'GET', path), path).to.equal(403)
      expect((await call('GET', '/remote-nodes', as('etl'))).json).to.deep.equal({ remoteNodes: ['local'] })
      expect((await call('GET', '/remote-nodes', as('viewer'))).json).to.deep.equal({ remoteNodes: ['local', 'back'] })
    })
  })

  describe('callers without credentials', () => {
    const open = liveApi({ settings: { 'access.roles': { anyone: 'viewer' } } })
    it('have the role of anyone', async () => {
      open.write('hello', 'steps: [echo hi]\n')
      expect((await open.call('GET', '/dags/hello')).status).to.equal(200)
      expect((await open.call('POST', '/dags/hello/start', { body: {} })).json).to.deep.equal({
        code: 'forbidden',
        message: 'anyone may not run hello: that takes the role runner, and access.roles says viewer'
      })
    })
  })

  describe('public metrics', () => {
    const measured = liveApi({
      settings: { metrics: 'public', 'auth.token.value': 'sesame', 'access.roles': { everyone: 'none' } }
    })
    it('are open to all, whatever role everyone has', async () => {
      expect((await measured.call('GET', '/metrics')).status).to.equal(200)
      const named = { headers: { Authorization: 'Bearer sesame' } }
      expect((await measured.call('GET', '/dags', named)).json.dags).to.deep.equal([])
    })
  })

  describe('permissions as before', () => {
    const limited = liveApi({
      settings: {
        'auth.tokens': [
          { name: 'reads', value: 'r', permissions: ['read'] },
          { name: 'runs', value: 'x', permissions: ['read', 'run'] },
          { name: 'all', value: 'a' },
          { name: 'both', value: 'b', permissions: ['read', 'run'] }
        ],
        'access.roles': { 'token:both': 'viewer' }
      }
    })
    const as = (value: string) => ({ headers: { Authorization: `Bearer ${value}` }, body: {} })
    it('a token that access does not name is limited by its permissions alone, one that it names by both', async () => {
      limited.write('hello', 'steps: [echo hi]\n')
      const start = async (value: string) => (await limited.call('POST', '/dags/hello/start', as(value))).json
      expect(await start('r')).to.deep.equal({ code: 'forbidden', message: 'the token reads may not run' })
      expect((await start('x')).code).to.not.equal('forbidden')
      expect((await start('a')).code).to.not.equal('forbidden') // one may be running already
      expect((await start('b')).message).to.equal(
        'the token both may not run hello: that takes the role runner, and access.roles says viewer'
      )
      expect((await limited.call('POST', '/workers/w/drain', as('x'))).status).to.not.equal(403)
    })
  })
})
