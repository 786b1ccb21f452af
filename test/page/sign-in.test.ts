/** The page with each way to sign in, with few permissions, and below a base path. Source: api-semantics 9. */
import { expect } from 'chai'
import { createApp } from '../../src/api/app.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { liveApi } from '../support/api/live-api.ts'
import { identityProvider, openServer } from '../support/auth/identity-provider.ts'
import { openCable } from '../support/cable.ts'
import { itLong } from '../support/long.ts'
import { liveBrowser, seriousFindings } from '../support/page/browser.ts'

const HELLO = 'steps:\n  - name: greet\n    command: echo hi\n'

describe('page › nobody has to sign in', () => {
  const api = liveApi()
  it('the page says who the visitor is: anyone, with every permission', async () => {
    const { json } = await api.callAt('GET', '/page/session')
    expect(json).to.deep.equal({ name: 'anyone', role: 'admin', permissions: ['read', 'run', 'write'] })
  })
  it('a file of the page may be cached forever, the page itself is revalidated', async () => {
    const home = await api.callAt('GET', '/')
    expect(home.headers['cache-control']).to.equal('no-cache')
    const [, script = ''] = /src="(page\/page-\w+\.js)"/.exec(home.text) ?? []
    const file = await api.callAt('GET', `/${script}`, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(file.headers).to.include({ 'content-encoding': 'gzip', 'content-type': 'text/javascript; charset=utf-8' })
    expect(file.headers['cache-control']).to.contain('immutable')
    const again = await api.callAt('GET', '/', { headers: { 'If-None-Match': home.headers.etag ?? '' } })
    expect(again.status).to.equal(304)
  })
  it('a path outside its files is not found', async () => {
    for (const path of ['/page/nothing.js', '/page/', '/page/../package.json', '/page/..%2f..%2fpackage.json'])
      expect((await api.callAt('GET', path)).status, path).to.equal(404)
    expect((await api.callAt('POST', '/')).status).to.equal(404)
  })
})

describe('page › below a base path', () => {
  const api = liveApi({ settings: { basePath: '/flows' } })

  it('HEAD answers as GET without a body', async () => {
    for (const [path, status] of [
      ['/flows', 302],
      ['/flows/', 200],
      ['/flows/page/session', 200]
    ] as const)
      for (const method of ['GET', 'HEAD'])
        expect((await api.callAt(method, path)).status, `${method} ${path}`).to.equal(status)
  })
})

describe('page › only tokens', () => {
  const api = liveApi({ settings: { 'auth.token.value': 'sesame-1234' } })

  it('a browser that revalidates the page gets it with status 401 all the same', async () => {
    const headers = { Accept: 'text/html' }
    const home = await api.callAt('GET', '/', { headers })
    const again = await api.callAt('GET', '/', {
      headers: { ...headers, 'If-None-Match': home.headers.etag ?? '' }
    })
    expect([again.status, again.headers['content-type']]).to.deep.equal([401, 'text/html; charset=utf-8'])
    expect(again.text).to.equal(home.text)
  })
})

describe('page › a token, below a base path', () => {
  const api = liveApi({
    settings: {
      basePath: '/flows',
      'auth.tokens': [{ name: 'looker', value: 'looks-only-1234', permissions: ['read'] }]
    }
  })
  const open = liveBrowser()

  it('is asked for, refused when wrong, kept for the tab; what it does not permit is disabled', async () => {
    api.write('hello', HELLO)
    const { page, strangers, faults } = await open()
    const visited = await page.goto(`http://127.0.0.1:${api.port}/flows`)
    expect(visited?.status()).to.equal(401)
    expect(await seriousFindings(page)).to.deep.equal([])
    // The field has the focus.
    await page.keyboard.type('wrong')
    expect(await page.getByLabel('Access key').inputValue()).to.equal('wrong')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page
      .getByRole('alert')
      .getByText(/rejected this key/)
      .waitFor()
    await page.getByLabel('Access key').fill('looks-only-1234')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('link', { name: 'Definitions', exact: true }).click()
    const start = page.getByRole('button', { name: /^Start hello/ })
    await start.waitFor()
    expect(await start.getAttribute('title')).to.equal('You do not have the “run” permission.')
    await start.click({ force: true })
    await page.getByText('You do not have the “run” permission.', { exact: true }).waitFor()
    await page.reload()
    await start.waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByLabel('Access key').waitFor()
    expect([...strangers, ...faults]).to.deep.equal([])
  })
})

describe('page › a token that cannot be tried', () => {
  const api = liveApi({
    settings: { 'auth.tokens': [{ name: 'looker', value: 'looks-only-1234', permissions: ['read'] }] }
  })
  const open = liveBrowser()

  itLong('one with an impossible character is rejected with the reason, and not kept', async () => {
    const { page } = await open()
    await page.goto(`http://127.0.0.1:${api.port}/`)
    await page.getByLabel('Access key').fill('looks\u2013only-1234')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('A key cannot contain “–” (U+2013)').waitFor()
    await page.reload()
    await page.getByLabel('Access key').fill('looks-only-1234')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
  })
  it('when the server is down, the page says so, not that the token is wrong', async () => {
    const cable = await openCable(api.port)
    const { page } = await open()
    await page.goto(`http://127.0.0.1:${cable.port}/`)
    await page.getByLabel('Access key').fill('looks-only-1234')
    cable.cut()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('alert').getByText('the server does not answer').waitFor()
    cable.mend()
    await page.getByLabel('Access key').fill('looks-only-1234')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    cable.close()
  })
})

describe('page › basic authentication', () => {
  const api = liveApi({ settings: { 'auth.basic.username': 'ann', 'auth.basic.password': 'a-pass' } })
  const open = liveBrowser()

  it('the browser asks, and the page is there', async () => {
    const address = `http://127.0.0.1:${api.port}/`
    const stranger = await fetch(address, { headers: { Accept: 'text/html' } })
    expect([stranger.status, stranger.headers.get('www-authenticate')]).to.deep.equal([401, 'Basic realm="restricted"'])
    const { page, faults } = await open({ httpCredentials: { username: 'ann', password: 'a-pass' } })
    await page.goto(address)
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    expect(faults).to.deep.equal([])
  })
})

describe('page › sign-in with OpenID Connect', () => {
  const open = liveBrowser()
  const opened: { close(): Promise<unknown> }[] = []
  let engine: Engine
  let address = ''
  before(async () => {
    const server = await openServer()
    address = server.address
    const client = { clientId: 'troupe', clientSecret: 'secret' }
    const provider = await identityProvider({ ...client, clientUrl: address })
    const settings = {
      'auth.oidc.clientId': client.clientId,
      'auth.oidc.clientSecret': client.clientSecret,
      'auth.oidc.clientUrl': address,
      'auth.oidc.issuer': provider.issuer
    }
    engine = await createEngine({ temporary: true, settings })
    server.answerWith(createApp(engine).callback())
    const close = async () => {
      server.server.closeAllConnections()
      server.server.close()
    }
    opened.push(engine, provider, { close })
  })
  after(() => Promise.all(opened.map((it) => it.close())))

  it('leads to the provider and back, shows the page, and ends the session', async () => {
    const { page, faults } = await open()
    await page.goto(address)
    await page.locator('input[name=login]').fill('ann')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.locator('button[type=submit]').click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    expect(faults).to.deep.equal([])
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByText('Sign in to use this server.').waitFor()
    expect((await page.request.get(`${address}/page/session`)).status()).to.equal(401)
  })
  itLong('a session that ends while the page is open is reported, with a link to sign in', async () => {
    const { page } = await open()
    await page.goto(address)
    await page.locator('input[name=login]').fill('ann')
    await page.locator('input[name=password]').fill('any')
    await page.locator('button[type=submit]').click()
    await page.locator('button[type=submit]').click()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.context().clearCookies()
    // By its address: the list asks again by itself, and its links are gone once it was refused.
    await page.goto(`${address}/#/queues`)
    expect(await page.getByRole('link', { name: 'Sign in' }).getAttribute('href')).to.match(/^\/oidc-login\?returnTo=/)
  })
})
