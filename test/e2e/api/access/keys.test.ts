/** API keys on a real server: made, shown once, listed, expiring, revoked. Source: docs/authentication.md "API keys". */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { bearer, made, OPS, OPS_SETTINGS, streamOf } from '../../../support/api/key-calls.ts'
import { liveApi } from '../../../support/api/live-api.ts'
import { eventually } from '../../../support/waiting.ts'

describe('API keys › made, listed, revoked', () => {
  const api = liveApi({ settings: OPS_SETTINGS })
  const statusOf = async (text: string, method = 'GET', path = '/dags') =>
    (await api.call(method, path, { headers: bearer(text) })).status
  const listed = async (name: string) => {
    const { keys } = (await api.call('GET', '/access/keys', { headers: OPS })).json
    return keys.find((key: { name: string }) => key.name === name)
  }
  before(() => api.write('hello', 'steps: [{name: say, command: echo hi}]\n'))

  it('a key is shown once, has a form that a search for secrets finds, and lets in with its role', async () => {
    const answer = await api.call('POST', '/access/keys', { headers: OPS, body: { name: 'look', role: 'viewer' } })
    expect(answer.status).to.equal(201)
    expect(answer.headers['cache-control']).to.equal('no-store')
    const { key, ...about } = answer.json
    expect(key).to.match(/^troupe_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}$/)
    expect(about).to.deep.include({ name: 'look', role: 'viewer', createdBy: 'the token ops', status: 'active' })
    expect([about.expiresAt, about.lastUsedAt]).to.deep.equal(['', ''])
    expect(await statusOf(key)).to.equal(200)
    expect(await statusOf(key, 'POST', '/dags/hello/start')).to.equal(403)
    expect(await statusOf(key, 'GET', '/access/keys')).to.equal(403)
    const { lastUsedAt, ...rest } = await listed('look')
    expect(rest).to.deep.equal(Object.fromEntries(Object.entries(about).filter(([name]) => name !== 'lastUsedAt')))
    expect(lastUsedAt).to.not.equal('')
    expect((await api.call('GET', '/access/keys', { headers: OPS })).text).to.not.contain(key.slice(20))
  })

  it('it works at each door where tokens work, and a run says which key asked for it', async () => {
    const key = await made(api, { name: 'deploy', role: 'none', rules: [{ may: 'runner', dags: ['hel*'] }] })
    const { json } = await api.call('POST', '/dags/hello/start', { headers: bearer(key) })
    const { dagRun } = (await api.call('GET', `/dag-runs/hello/${json.dagRunId}`, { headers: bearer(key) })).json
    expect(dagRun.trigger).to.deep.include({ type: 'api', by: 'the key deploy' })
    expect((await api.callAt('GET', '/api/v1/dags', { headers: bearer(key) })).status).to.equal(200)
    expect(await statusOf(key, 'GET', '/dags/other')).to.equal(404)
    expect((await api.call('GET', '/dags', { headers: bearer(key) })).json.dags).to.have.length(1)
  })

  it('bad input is refused with all problems at once', async () => {
    const body = {
      name: 'a b',
      role: 'none',
      rules: [{ may: 'admin', dags: ['x'] }, { may: 'viewer' }, { may: 'viewer', dag: ['x'], tags: [1] }],
      expires: 'soon'
    }
    const first = await api.call('POST', '/access/keys', { headers: OPS, body })
    expect(first.status).to.equal(400)
    expect(first.json.details.errors[0]).to.match(/^field 'name'/)
    const { status, json } = await api.call('POST', '/access/keys', { headers: OPS, body: { ...body, name: 'ab' } })
    expect(status).to.equal(400)
    const all = json.details.errors.join('\n')
    for (const part of ['rules[0].may', 'rules[1]: wanted dags', 'unknown member dag', 'rules[2].tags', "'expires'"])
      expect(all).to.contain(part)
    for (const [bad, about] of [
      [{ name: 'x', role: 'none' }, 'may do nothing'],
      [{ name: 'x', role: 'admin', rules: [{ may: 'none', dags: ['x'] }] }, 'an admin has no rules'],
      [{ name: 'x', role: 'viewer', expires: '2001-01-01T00:00:00Z' }, 'one that is over'],
      [{ name: 'x', role: 'owner' }, "field 'role'"],
      [{ role: 'viewer' }, "field 'name': required"]
    ] as const) {
      const answer = await api.call('POST', '/access/keys', { headers: OPS, body: bad })
      expect([answer.status, answer.text.includes(about)], answer.text).to.deep.equal([400, true])
    }
  })

  it('a name is unique among the keys that count, and free again when its key is revoked', async () => {
    const first = await made(api, { name: 'one', role: 'viewer' })
    const again = await api.call('POST', '/access/keys', { headers: OPS, body: { name: 'one', role: 'viewer' } })
    expect([again.status, again.json.code]).to.deep.equal([409, 'already_exists'])
    expect(again.json.message).to.equal('there is a key named one: choose another name, or revoke it first')
    const racers = await Promise.all(
      Array.from({ length: 5 }, () =>
        api.call('POST', '/access/keys', { headers: OPS, body: { name: 'race', role: 'viewer' } })
      )
    )
    expect(racers.map(({ status }) => status).sort()).to.deep.equal([201, 409, 409, 409, 409])
    const gone = await api.call('DELETE', '/access/keys/one', { headers: OPS })
    expect(gone.json).to.deep.include({ name: 'one', status: 'revoked', revokedBy: 'the token ops' })
    expect((await api.call('DELETE', '/access/keys/one', { headers: OPS })).status).to.equal(404)
    const second = await made(api, { name: 'one', role: 'viewer' })
    expect([await statusOf(first), await statusOf(second)]).to.deep.equal([401, 200])
  })

  it('only the whole text of a key lets in: not with another secret, nor with a wrong checksum', async () => {
    const key = await made(api, { name: 'whole', role: 'viewer' })
    const other = await made(api, { name: 'other', role: 'viewer' })
    const wrong = [key.slice(0, -1), `${key}0`, key.slice(0, 18) + other.slice(18), key.toLowerCase(), key.slice(7)]
    for (const text of wrong) expect(await statusOf(text), text.slice(0, 12)).to.equal(401)
    expect(await statusOf(key)).to.equal(200)
  })

  it('a key expires by itself, and its streams end then', async () => {
    const key = await made(api, { name: 'brief', role: 'viewer', expires: '1500ms' })
    const stream = await streamOf(api.port, bearer(key))
    expect(stream.status).to.equal(200)
    await stream.ended
    expect(await statusOf(key)).to.equal(401)
    expect((await listed('brief')).status).to.equal('expired')
    expect((await api.call('DELETE', '/access/keys/brief', { headers: OPS })).status).to.equal(404)
  })

  it('a key makes no key that outlives it', async () => {
    const admin = await made(api, { name: 'admin', role: 'admin', expires: '1h' })
    const until = (await listed('admin')).expiresAt
    await made(api, { name: 'child', role: 'admin' }, bearer(admin))
    expect(await listed('child')).to.deep.include({ expiresAt: until, createdBy: 'the key admin' })
    const longer = { name: 'longer', role: 'viewer', expires: '2h' }
    const refused = await api.call('POST', '/access/keys', { headers: bearer(admin), body: longer })
    expect([refused.status, refused.text.includes('wanted no later than')]).to.deep.equal([400, true])
  })

  it('the text of a key is nowhere on disk', async () => {
    const key = await made(api, { name: 'hidden', role: 'runner' })
    expect(await statusOf(key, 'POST', '/dags/hello/start')).to.equal(200)
    const secret = key.slice(18, -6)
    const { home } = api.engine
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' })
      .map((name) => join(home, name))
      .filter((path) => statSync(path).isFile())
    expect(files.some((path) => path.endsWith('troupe.mdb'))).to.equal(true)
    for (const path of files) expect(readFileSync(path, 'latin1').includes(secret), path).to.equal(false)
  })

  it('many requests with a key that was not seen yet wait for one hash, and all get in', async () => {
    const key = await made(api, { name: 'many', role: 'viewer' })
    const all = await Promise.all(Array.from({ length: 60 }, () => statusOf(key)))
    expect(new Set(all)).to.deep.equal(new Set([200]))
  })

  it('a key of the server counts nothing where it asks a remote node', async () => {
    const key = await made(api, { name: 'here', role: 'admin' })
    const own = await api.call('GET', '/access/keys?remoteNode=elsewhere', { headers: bearer(key) })
    expect(own.status, 'about this server only').to.equal(200)
    const gone = await api.call('DELETE', '/access/keys/here?remoteNode=elsewhere', { headers: bearer(key) })
    expect(gone.status).to.equal(200)
  })
})

describe('API keys › on a server with rules', () => {
  const api = liveApi({
    settings: {
      'auth.tokens': ['root', 'lead', 'ro'].map((name) => ({ name, value: `secret-${name}` })),
      'access.roles': { 'token:root': 'admin', 'token:ro': 'viewer' },
      'access.rules': [
        { who: 'everyone', may: 'none', dags: ['pay'] },
        { who: 'key:payer', may: 'runner', dags: ['pay'] }
      ]
    }
  })
  const as = (name: string) => bearer(`secret-${name}`)
  before(() => {
    for (const name of ['pay', 'open']) api.write(name, 'steps: [{name: say, command: echo hi}]\n')
  })

  it('nobody gives more than they have: who has rules makes no key, who is no admin sees none', async () => {
    const body = { name: 'more', role: 'admin' }
    const lead = await api.call('POST', '/access/keys', { headers: as('lead'), body })
    expect([lead.status, lead.json.message]).to.deep.equal([
      403,
      'the token lead may not make keys: rules of access.rules are for them, and a key would not have these'
    ])
    for (const [method, path] of [
      ['POST', '/access/keys'],
      ['GET', '/access/keys'],
      ['DELETE', '/access/keys/x']
    ] as const)
      expect(
        (await api.call(method, path, { headers: as('ro'), ...(method === 'POST' ? { body } : {}) })).status
      ).to.equal(403)
  })

  it('rules of the settings are for keys, too: those for everyone, and those for the key', async () => {
    const names = async (body: object) => {
      const key = await made(api, body, as('root'))
      const { dags } = (await api.call('GET', '/dags', { headers: bearer(key) })).json
      return dags.map(({ fileName }: { fileName: string }) => fileName).sort()
    }
    expect(await names({ name: 'plain', role: 'editor' })).to.deep.equal(['open'])
    expect(await names({ name: 'payer', role: 'viewer' })).to.deep.equal(['open', 'pay'])
    expect(await names({ name: 'root', role: 'admin' })).to.deep.equal(['open', 'pay'])
  })
})

describe('API keys › a server that asks for keys alone', () => {
  const api = liveApi({ settings: { 'auth.keys': true } })
  it('refuses who has none, and lets in who has one', async () => {
    expect((await api.call('GET', '/dags')).status).to.equal(401)
    const { text } = await api.engine.keys.make({ name: 'first', role: 'admin', rules: [], by: 'a test' })
    expect((await api.call('GET', '/dags', { headers: bearer(text) })).status).to.equal(200)
    await eventually('its last use', async () => api.engine.keys.all()[0]?.lastUsedAt)
  })
})
