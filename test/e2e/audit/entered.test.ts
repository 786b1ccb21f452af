/** Every change and every refusal is in the audit log, whatever door it came through: by the table of operations. Source: docs/operating/audit.md. */
import { expect } from 'chai'
import { isChange } from '../../../src/api/audit/state.ts'
import { OPERATIONS, type OperationId, operationList } from '../../../src/api/contract/operations.ts'
import type { Entry } from '../../../src/audit/entry.ts'
import { auditPart } from '../../../src/audit/read.ts'
import { verifiedHome } from '../../../src/audit/verify-home.ts'
import { clientHere } from '../../../src/cli/owner/client-here.ts'
import { systemClock } from '../../../src/clock.ts'
import type { CallingStep } from '../../../src/engine/engine.ts'
import { fetchHandler } from '../../../src/http/index.ts'
import { as, MARK, pathFor, ROLES_AND_RULES } from '../../support/api/access-scene.ts'
import { liveApi } from '../../support/api/live-api.ts'

const TEXT = 'maxActiveRuns: -1\nsteps: [{name: say, command: echo open}]\n'

/** Operations that are more than a read, by the contract. */
const CHANGES = operationList.filter(([id, operation]) =>
  isChange({ id, needs: [operation.needs], params: {}, own: false })
)

describe('audit › entered', () => {
  const api = liveApi({ settings: { ...ROLES_AND_RULES, 'audit.enabled': true } })
  before(() => {
    api.write('open', TEXT)
    api.write('pay', `tags: [secret]\n${TEXT}`)
  })
  const log = async (filter = {}): Promise<Entry[]> =>
    (await auditPart(api.engine.config.audit.dir, { filter, limit: 1_000 })).entries
  const exported = async (headers: Record<string, string> = {}) =>
    (await fetch(`http://127.0.0.1:${api.port}/api/v2/audit/export`, { headers })).text()
  const latest = async (filter = {}): Promise<Entry> => (await log(filter))[0] ?? expect.fail('there is no such entry')
  const ask = async (caller: string, method: string, path: string, body?: object) =>
    (await api.call(method, path, as(caller, body === undefined ? {} : { body }))).status

  it('changes are those operations that take run or write', () => {
    expect(CHANGES.map(([id]) => id)).to.include.members([
      'startDag',
      'deleteDag',
      'signalStep',
      'enrollWorker',
      'backUpHome'
    ])
    expect(CHANGES.map(([id]) => id)).not.to.include.members(['validateDag'])
    expect(Object.keys(OPERATIONS).length).to.be.greaterThan(CHANGES.length)
  })
  for (const [id, { method, path }] of CHANGES)
    it(`${id}: what is refused to somebody is entered`, async () => {
      const target = pathFor(path, 'open')
      expect(
        await ask('nobody', method, target, ['POST', 'PUT', 'PATCH'].includes(method) ? {} : undefined)
      ).to.be.oneOf([403, 404])
      const entry = await latest({ principal: 'token:nobody', operation: id })
      expect(entry.outcome).to.be.oneOf(['forbidden', 'not_found'])
      expect(entry).to.deep.include({ principal: { kind: 'token', name: 'nobody' }, door: 'api' })
      expect(entry.address).to.be.a('string')
      expect(entry.requestId).to.be.a('string')
    })
  it('a start: who, where from, what was asked, and the run; params are masked', async () => {
    await ask('admin', 'POST', '/dags/open/start', { params: 'PASSWORD=hunter2 DAY=monday' })
    const { target, after, ...entry } = await latest({ operation: 'startDag', outcome: 'done' })
    expect(entry).to.deep.include({ principal: { kind: 'token', name: 'admin' }, status: 200 })
    expect(target?.fileName).to.equal('open')
    expect(after?.asked).to.deep.equal({ params: 'PASSWORD=*** DAY=monday' })
    expect((await log({ run: target?.dagRunId })).length).to.equal(1)
  })
  it('a text: its hash before and after, and what is different', async () => {
    const spec = TEXT.replace('echo open', 'echo opened')
    await ask('admin', 'PUT', '/dags/open/spec', { spec })
    const { before: was, after: now } = await latest({ operation: 'replaceDagSpec' })
    expect(was?.text).to.have.keys('bytes', 'sha256')
    expect(now?.text).to.deep.include({ bytes: spec.length })
    expect(now?.diff).to.contain('-steps: [{name: say, command: echo open}]').and.to.contain('+steps:')
    expect(JSON.stringify(now)).not.to.contain('"spec":"')
  })
  it('a text with problems is not saved, and that is what is entered', async () => {
    await ask('admin', 'PUT', '/dags/open/spec', { spec: 'steps: 7\n' })
    const { outcome, status, reason } = await latest({ operation: 'replaceDagSpec' })
    expect([outcome, status]).to.deep.equal(['bad_request', 200])
    expect(reason).to.be.a('string')
  })
  it('a flag, before and after; so are create, rename and delete', async () => {
    await ask('admin', 'POST', '/dags/open/suspend', { suspend: true })
    const flag = await latest({ operation: 'suspendDag', outcome: 'done' })
    expect([flag.before, flag.after]).to.deep.equal([
      { suspended: false },
      { asked: { suspend: true }, suspended: true }
    ])
    await ask('admin', 'POST', '/dags', { name: 'fresh', spec: TEXT })
    await ask('admin', 'POST', '/dags/fresh/rename', { newFileName: 'stale' })
    await ask('admin', 'DELETE', '/dags/stale')
    const of = async (dag: string) => (await log({ dag })).map(({ operation, outcome }) => `${operation} ${outcome}`)
    expect(await of('fresh')).to.deep.equal(['renameDag done', 'createDag done'])
    expect(await of('stale')).to.deep.equal(['deleteDag done'])
    expect((await latest({ dag: 'stale' })).before?.text).to.deep.include({ bytes: TEXT.length })
  })
  it('a status, before and after', async () => {
    const dagRunId = 'by-hand'
    await api.engine.result(await api.engine.start({ fileName: 'open', dagRunId }))
    await ask('admin', 'PATCH', `/dag-runs/open/${dagRunId}/steps/say/status`, { status: 2 })
    const { before: was, after: now } = await latest({ operation: 'setStepStatus', outcome: 'done' })
    expect([was, now]).to.deep.equal([
      { status: 'succeeded', step: 'succeeded' },
      { asked: { status: 2 }, status: 'succeeded', step: 'failed' }
    ])
  })
  it('reading is not entered, but what is hidden or refused is', async () => {
    const count = (await log()).length
    await ask('admin', 'GET', '/dags/open')
    await ask('admin', 'GET', '/dags/nothing')
    expect((await log()).length).to.equal(count)
    expect(await ask('runner', 'GET', '/dags/pay')).to.equal(404)
    expect(await latest({ dag: 'pay' })).to.deep.include({ operation: 'getDag', outcome: 'not_found', hidden: true })
    expect(await ask('runner', 'GET', '/audit')).to.equal(403)
    expect((await latest()).operation).to.equal('listAudit')
  })
  it('strangers are entered by their address, once, and are counted', async () => {
    for (let n = 0; n < 30; n++)
      await api.call('POST', `/dags/open/start?${n}`, { headers: { Authorization: `Bearer x${n}` } })
    const entries = await log({ principal: 'stranger:' })
    // The tenth failure of an address is the last one with 401 at once.
    expect(entries.map(({ outcome }) => outcome)).to.deep.equal(['unauthorized'])
    expect(entries[0]).to.deep.include({
      operation: 'POST /api/v2/dags/open/start',
      principal: { kind: 'stranger', name: '' }
    })
  })
  it('version 1 has the ids of the current operations', async () => {
    const body = { action: 'suspend', value: 'false' }
    expect((await api.callAt('POST', '/api/v1/dags/open', as('admin', { body }))).status).to.equal(200)
    const entry = await latest({ operation: 'suspendDag', outcome: 'done' })
    expect([entry.door, entry.before, entry.after?.suspended]).to.deep.equal(['v1', { suspended: true }, false])
    const save = { action: 'save', value: TEXT }
    expect((await api.callAt('POST', '/api/v1/dags/open', as('admin', { body: save }))).status).to.equal(200)
    expect(JSON.stringify((await latest({ operation: 'replaceDagSpec' })).after?.asked)).to.contain('sha256')
  })
  it('a host application: who it says that calls, and that it knows nobody', async () => {
    const handler = fetchHandler(api.engine, {
      prefix: '/flows',
      authorize: (request) => {
        const name = request.headers.get('x-caller')
        return name === null ? null : { name, key: name, role: 'admin' }
      }
    })
    const send = (caller?: string) =>
      handler(
        new Request('http://shop.example/flows/api/v2/dags/open/start', {
          method: 'POST',
          headers: caller === undefined ? {} : { 'x-caller': caller },
          body: '{}'
        })
      )
    expect((await send('ann')).status).to.equal(200)
    expect(await latest({ principal: 'caller:ann' })).to.deep.include({ door: 'mount', operation: 'startDag' })
    expect((await send()).status).to.equal(401)
    expect((await latest()).principal).to.deep.equal({ kind: 'stranger', name: '' })
  })
  it('each change is entered with what it is about, in its path or in its body', async () => {
    const BODIES: Partial<Record<OperationId, object>> = {
      createDag: { name: 'named', spec: TEXT },
      createKey: { name: 'named', role: 'viewer' },
      startInline: { name: 'named', spec: TEXT },
      enqueueInline: { name: 'named', spec: TEXT },
      endSessions: { subject: 'named' }
    }
    for (const [id, { method, path }] of CHANGES) {
      // The home as a whole, which has no name.
      if (id === 'backUpHome') continue
      api.write('named', TEXT)
      if (id === 'createDag') await ask('admin', 'DELETE', '/dags/named')
      const reads = ['POST', 'PUT', 'PATCH'].includes(method)
      await ask('admin', method, pathFor(path, 'named'), reads ? (BODIES[id] ?? {}) : undefined)
      const { target = {} } = await latest({ principal: 'token:admin', operation: id })
      expect(Object.values(target), id).not.to.deep.equal([])
      if (BODIES[id]) expect(Object.values(target), id).to.include('named')
    }
  })
  it('calls of a host application to its engine, once each, and none of a request or of a run', async () => {
    const count = (await log()).length
    const { engine } = api
    const dagRunId = 'by-host'
    engine.suspendDefinition('open', false)
    await engine.result(await engine.start({ fileName: 'open', dagRunId, params: 'TOKEN=x', by: 'shop' }))
    await engine.retry({ name: 'open', dagRunId })
    await engine.result({ name: 'open', dagRunId })
    await engine.createDefinition('hosted', TEXT, { by: 'shop' })
    await engine.renameDefinition('hosted', 'hosted-2')
    engine.removeDefinition('hosted-2')
    await engine.keys.make({ name: 'hosted', role: 'viewer', rules: [], by: 'shop' })
    await engine.keys.revoke('hosted', 'shop')
    expect(await engine.replaceDefinition('open', 'steps: 7\n')).not.to.deep.equal([])
    await engine.stop({ name: 'open', dagRunId: 'nothing' }).catch(() => {})
    const entries = (await log()).slice(0, -count).reverse()
    expect(entries.map(({ operation, outcome }) => `${operation} ${outcome}`)).to.deep.equal([
      'suspendDag done',
      'startDag done',
      'retryRun done',
      'createDag done',
      'renameDag done',
      'deleteDag done',
      'createKey done',
      'revokeKey done',
      'replaceDagSpec bad_request',
      'stopRun not_found'
    ])
    expect(new Set(entries.map(({ door, principal }) => `${door} ${principal.kind}`))).to.deep.equal(
      new Set(['host host'])
    )
    expect(entries[1]).to.deep.include({
      principal: { kind: 'host', name: 'shop' },
      target: { fileName: 'open', name: 'open', dagRunId },
      after: { asked: { fileName: 'open', dagRunId, params: 'TOKEN=***' } }
    })
    expect(entries[6]?.target).to.deep.equal({ keyName: 'hosted' })
    expect(JSON.stringify(entries)).not.to.contain('troupe_')
  })
  it('the header of the command line says nothing at the door of a server', async () => {
    const headers = { 'troupe-command': '' }
    await api.call('PUT', '/dags/open/spec', as('admin', { body: { spec: TEXT }, headers }))
    expect(await latest({ operation: 'replaceDagSpec' })).to.deep.include({ door: 'api', outcome: 'done' })
  })
  it('keys and dead letters on the command line of the owner, and a step that may not', async () => {
    const client = (step?: CallingStep) => clientHere(api.engine, systemClock, step).api
    await client().createKey({ body: { name: 'ops', role: 'admin' } })
    expect(await latest()).to.deep.include({ operation: 'createKey', door: 'cli', target: { keyName: 'ops' } })
    await client().revokeKey({ path: { keyName: 'ops' } })
    expect(await latest()).to.deep.include({ operation: 'revokeKey', door: 'cli', target: { keyName: 'ops' } })
    await client()
      .removeDeliveries({ path: { targetName: 'shop' } })
      .catch(() => {})
    expect(await latest()).to.deep.include({ operation: 'removeDeliveries', target: { targetName: 'shop' } })
    const step = { name: 'open', dagRunId: 'r', stepName: 'say' }
    const refusal = await client(step)
      .createKey({ body: { name: 'ops', role: 'admin' } })
      .catch((error: Error) => error.message)
    expect(refusal).to.match(/^key create: .*steps may not make or revoke keys.*steps\.mayGiveKeys: true/)
    expect(await latest()).to.deep.include({ operation: 'createKey', outcome: 'forbidden', step })
    expect(api.engine.keys.all().filter(({ name, status }) => name === 'ops' && status === 'active')).to.deep.equal([])
  })
  it('the command line of the owner', async () => {
    const { acts } = clientHere(api.engine, systemClock)
    const body = { file: `${api.engine.config.dagsDir}/open.yaml`, params: 'TOKEN=x' }
    const started = await acts.startDag({ body })
    const entry = await latest({ operation: 'startDag', outcome: 'done' })
    expect(entry).to.deep.include({ door: 'cli', target: { ...started.key } })
    expect(entry.principal.kind).to.equal('owner')
    expect(JSON.stringify(entry.after)).to.contain('TOKEN=***')
    await acts.stopRun({ path: { name: 'open', dagRunId: 'nothing' } }).catch(() => {})
    expect(await latest({ operation: 'stopRun' })).to.deep.include({ door: 'cli', outcome: 'not_found' })
    if (!started.queued) await api.engine.result(started.key)
  })
  it('huge and odd values are bounded', async () => {
    const params = `A=${'x'.repeat(500_000)}`
    await ask('admin', 'POST', '/dags/open/start', { params })
    const entry = await latest({ operation: 'startDag', principal: 'token:admin' })
    expect(JSON.stringify(entry).length).to.be.lessThan(3_000)
  })
  it('after all of that the log is as it was written, and shows no secret', async () => {
    const { enabled, entries, head } = (await api.call('GET', '/audit', as('admin'))).json
    expect([enabled, head.seq]).to.deep.equal([true, entries[0].seq])
    const text = await exported(as('admin').headers)
    expect(text.split('\n').length - 1).to.equal(head.seq)
    for (const hidden of ['hunter2', 'secret-admin', MARK, 'TOKEN=x']) expect(text).not.to.contain(hidden)
    const { count, breaks } = await verifiedHome(api.engine.config.audit.dir, undefined)
    expect([count, breaks]).to.deep.equal([0, []])
    expect(api.faults).to.deep.equal([])
  })
  it('parts, filters and a bad cursor', async () => {
    const part = async (query: string) => (await api.call('GET', `/audit?${query}`, as('admin'))).json
    const first = await part('limit=3')
    expect(first.entries).to.have.length(3)
    const second = await part(`limit=3&cursor=${first.nextCursor}`)
    expect(second.entries[0].seq).to.equal(first.entries[2].seq - 1)
    const done = await part('outcome=done&operation=suspendDag')
    expect(new Set(done.entries.map(({ outcome }: Entry) => outcome))).to.deep.equal(new Set(['done']))
    const refused = await part('outcome=refused&limit=1000')
    expect(refused.entries.some(({ outcome }: Entry) => outcome === 'done')).to.equal(false)
    const now = Math.floor(api.engine.now() / 1_000)
    expect((await part(`to=${now - 86_400}`)).entries).to.deep.equal([])
    expect((await part(`from=${now + 86_400}`)).entries).to.deep.equal([])
    expect((await api.call('GET', '/audit?cursor=nonsense', as('admin'))).status).to.equal(400)
  })
})

describe('audit › entered › where none is kept', () => {
  const api = liveApi()
  it('nothing is entered, and it is said', async () => {
    api.write('open', TEXT)
    await api.started('open')
    expect(await api.get('/audit')).to.deep.equal({ enabled: false, entries: [], nextCursor: null, head: null })
    expect(await (await fetch(`http://127.0.0.1:${api.port}/api/v2/audit/export`)).text()).to.equal('')
  })
})
