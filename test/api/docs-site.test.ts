/** The documentation at `/docs`: who gets it, from which folder, and what of a request it heeds. Source: docs/README.md. */
import { gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Settings } from '../../src/config.ts'
import { fakeEngine } from '../support/engine/fake-engine.ts'
import { basicHeader, configOf } from './api-with.ts'
import { type Answer, type Sent, served } from './client.ts'

/** Asks one path of a server with these settings. */
async function asked(
  path: string,
  settings: Settings['settings'] = {},
  sent: Sent = {},
  method = 'GET'
): Promise<Answer> {
  const api = await served(fakeEngine(configOf(settings)))
  try {
    return await api.callAt(method, path, sent)
  } finally {
    await api.close()
  }
}
const POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

describe('API › the documentation', () => {
  it('is at /docs: with its policy, its type, and as it is now', async () => {
    const { status, headers, text } = await asked('/docs/')
    expect([status, headers['content-type'], headers['cache-control']]).to.deep.equal([
      200,
      'text/html; charset=utf-8',
      'no-cache'
    ])
    expect(headers['content-security-policy']).to.equal(POLICY)
    expect(text).to.contain('<h1 id="documentation">')
    const { headers: script } = await asked('/docs/site.js')
    expect(script['content-type']).to.equal('text/javascript; charset=utf-8')
  })
  it('is not sent again to who has it, is compressed for who reads that, and HEAD has no body', async () => {
    const { headers } = await asked('/docs/cli.html')
    const etag = headers.etag ?? ''
    const again = await asked('/docs/cli.html', {}, { headers: { 'If-None-Match': etag } })
    expect([again.status, again.bytes.length]).to.deep.equal([304, 0])
    const zipped = await asked('/docs/cli.html', {}, { headers: { 'Accept-Encoding': 'gzip' } })
    expect(zipped.headers['content-encoding']).to.equal('gzip')
    expect(gunzipSync(zipped.bytes).toString()).to.contain('troupe start-all')
    const head = await asked('/docs/cli.html', {}, {}, 'HEAD')
    expect([head.status, head.bytes.length]).to.deep.equal([200, 0])
  })
  for (const [path, target] of [
    ['/docs', '/docs/'],
    ['/docs/cli', '/docs/cli.html'],
    ['/docs/embedding', '/docs/embedding/']
  ] as const)
    it(`${path} leads to ${target}, below the base path as well`, async () => {
      expect((await asked(path)).headers.location).to.equal(target)
      const { status, headers } = await asked(`/eng${path}`, { basePath: '/eng' })
      expect([status, headers.location]).to.deep.equal([302, `/eng${target}`])
    })
  it('a page that there is not is a page that says so, whose links lead to the site from any depth', async () => {
    const { status, headers, text } = await asked('/eng/docs/a/b/c', { basePath: '/eng' })
    expect([status, headers['cache-control']]).to.deep.equal([404, 'no-store'])
    expect(text).to.contain('href="/eng/docs/site.css"').and.contain('data-root="/eng/docs/"')
    expect(text).not.to.match(/(?:href|src)="\.\.?\//)
  })
  for (const path of [
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/docs/%2e%2e/page/index.html',
    '/docs/..%5cpackage.json',
    '/docs//etc/passwd',
    '/docs/embedding/../../../package.json',
    '/docs/%00'
  ])
    it(`${path} leads out of nothing`, async () => {
      const { status, text } = await asked(path)
      expect(status).to.equal(404)
      expect(text).not.to.match(/"dependencies"|root:|troupe-api/)
    })
  it('whoever may not see the page does not see it either; a token cannot be sent with a link, so then it is open', async () => {
    const password = { 'auth.basic.username': 'eve', 'auth.basic.password': 'apple' }
    expect((await asked('/docs/', password)).status).to.equal(401)
    const signedIn = { headers: { Authorization: basicHeader('eve', 'apple') } }
    expect((await asked('/docs/', password, signedIn)).status).to.equal(200)
    expect((await asked('/docs/', { 'auth.token.value': 'sesame' })).status).to.equal(200)
    expect((await asked('/docsx', { 'auth.token.value': 'sesame' })).status).to.equal(401)
  })
  it('without a page there is none, nor by any other method', async () => {
    expect((await asked('/docs/', { headless: true })).status).to.equal(404)
    expect((await asked('/docs/', {}, {}, 'POST')).status).to.equal(404)
  })
})
