/** Where the API listens and below which path, beside what authentication asks. Source: api-semantics 9.1, 9.3, 14.32. */
import { request } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { serve } from '../../src/api/server.ts'
import { browser } from '../support/auth/identity-provider.ts'
import { signInScene } from '../support/auth/sign-in-scene.ts'
import { fakeEngine, planOf } from '../support/engine/fake-engine.ts'
import { temporaryFolder } from '../support/homes.ts'
import { apiWith, configOf } from './api-with.ts'

describe('API › authentication and where it listens', () => {
  it('with authentication it listens beyond loopback', async () => {
    const { auth } = configOf({ 'auth.token.value': 'sesame' })
    const server = await serve(fakeEngine({ auth }), { host: '0.0.0.0', port: 0 })
    expect(server.address).to.match(/^http:\/\/0\.0\.0\.0:/)
    await server.close()
  })

  it("the owner's socket needs no credentials and knows no flags", async () => {
    const socketPath = join(temporaryFolder(), 'api.sock')
    const { auth, permissions } = configOf({ 'auth.token.value': 'sesame', 'permissions.runDAGs': false })
    const server = await serve(fakeEngine({ auth, permissions }, { hello: planOf('hello') }), { socketPath })
    const sent = (method: string, path: string) =>
      new Promise((resolve, reject) => {
        request({ socketPath, method, path }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end()
      })
    expect(await sent('GET', '/api/v2/dags')).to.equal(200)
    expect(await sent('POST', '/api/v2/dags/hello/start')).to.equal(200)
    await server.close()
  })
})

describe('API › 14.32 basePath /eng', () => {
  const { status, send } = apiWith({ basePath: '/eng' })
  const at = (path: string) => status('GET', path, undefined, true)
  it('API answers at /eng/api/v2/health, not at /api/v2/health; outside the base path is 404', async () => {
    expect(await at('/eng/api/v2/health')).to.equal(200)
    expect(await at('/eng/api/v2/dags/hello')).to.equal(200)
    expect(await at('/eng/api/v2/dags/')).to.equal(301)
    expect(await at('/eng/api/v1/dags')).to.equal(200)
    for (const path of ['/api/v2/health', '/api/v2/dags', '/', '/engine/api/v2/health']) {
      const { status, json } = await send('GET', path, undefined, true)
      expect([status, json.code], path).to.deep.equal([404, 'not_found'])
    }
  })
})

describe('API › 9.3 headless: no pages, API only', () => {
  const { status } = apiWith({ headless: true, 'auth.token.value': 'sesame' })
  it('the page is not there, nor who is signed in to it; the API and its document are', async () => {
    for (const path of ['/', '/page/session', '/page/index.html'])
      expect(await status('GET', path, 'Bearer sesame', true), path).to.equal(404)
    expect(await status('GET', '/page/index.html', undefined, true)).to.equal(401)
    expect(await status('GET', '/dags', 'Bearer sesame')).to.equal(200)
    expect(await status('GET', '/docs')).to.equal(200)
  })
})

describe('API › 9.3 headless: no pages, API only, with sign-in at a provider', () => {
  const { at, login, dags } = signInScene({ headless: true })
  it('a browser that asks for a page is not sent to the provider: 401, and 404 once it has a session', async () => {
    for (const path of ['/', '/some/page?x=1']) {
      const { status, headers } = await browser().send(at(path))
      expect([status, headers.get('www-authenticate')], path).to.deep.equal([401, 'Bearer realm="restricted"'])
    }
    const visitor = browser()
    expect((await visitor.signIn(login(), 'ann')).status).to.equal(404)
    expect((await visitor.send(dags())).status).to.equal(200)
  })
})

describe('API › apiBasePath', () => {
  const { status } = apiWith({ apiBasePath: '/rest', 'auth.token.value': 'sesame', 'permissions.runDAGs': false })
  it('moves the API, its public path and its permissions', async () => {
    expect(await status('GET', '/rest/health', undefined, true)).to.equal(200)
    expect(await status('GET', '/api/v2/health', undefined, true)).to.equal(401)
    expect(await status('POST', '/rest/dags/hello/start', 'Bearer sesame', true)).to.equal(403)
  })
})
