/** The view of who gets in: keys are made, shown once, copied and revoked; people are signed out. Source: docs/page.md, docs/authentication.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createApp } from '../../../src/api/app.ts'
import { createEngine, type Engine } from '../../../src/index.ts'
import { bearer, made, OPS_SETTINGS } from '../../support/api/key-calls.ts'
import { liveApi } from '../../support/api/live-api.ts'
import { identityProvider, openServer } from '../../support/auth/identity-provider.ts'
import { itLong, onlyLast } from '../../support/long.ts'
import { keepPicture, liveBrowser, seriousFindings, type Watched } from '../../support/page/browser.ts'

/** At each width and theme nothing is wider than the screen, and there are no serious findings. */
async function fitsEverywhere(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of onlyLast([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
    [390, 'dark']
  ] as const)) {
    await page.setViewportSize({ width, height: 840 })
    await page.emulateMedia({ colorScheme })
    const what = `${name} at ${width} px, ${colorScheme}`
    await keepPicture(page, what)
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), what).to.equal(0)
    expect(await seriousFindings(page), what).to.deep.equal([])
  }
  await page.setViewportSize({ width: 1280, height: 840 })
}

describe('page › access: keys', () => {
  const api = liveApi({ settings: OPS_SETTINGS })
  const open = liveBrowser()
  let watched: Watched
  let page: Page
  beforeEach(async () => {
    watched = await open({ permissions: ['clipboard-read', 'clipboard-write'] })
    page = watched.page
  })
  afterEach(async () => {
    expect([watched.strangers, watched.faults]).to.deep.equal([[], []])
    await page.context().close()
  })
  async function visitAs(token: string, place: string): Promise<void> {
    await page.goto(`http://127.0.0.1:${api.port}/${place}`)
    await page.getByLabel('Access key').fill(token)
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  const dialog = () => page.getByRole('dialog')

  it('a key is made with a role, rules and an end, shown once, copied, and lets in; revoked, it does not', async () => {
    await visitAs('secret-ops', '#/')
    await page.getByRole('link', { name: 'Access' }).click()
    await page.getByText('There are no keys').waitFor()
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog().getByLabel('Name').fill('ci')
    await dialog().getByLabel('Role on the server').selectOption('none')
    await dialog().getByLabel('Rules').fill('runner dags=etl-*\nviewer tags=nightly')
    await fitsEverywhere(page, 'access new key')
    await dialog().getByRole('button', { name: 'Create key' }).click()
    const key = await dialog().getByLabel('Key', { exact: true }).inputValue()
    expect(key).to.match(/^troupe_\w{60}$/)
    await dialog().getByRole('button', { name: 'Copy' }).click()
    await page.getByText('The key is in the clipboard').waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal(key)
    expect(await seriousFindings(page)).to.deep.equal([])
    await dialog().getByRole('button', { name: 'Done' }).click()
    const row = page.getByRole('row').filter({ hasText: 'ci' })
    await row.getByText('runner dags=etl-*').waitFor()
    expect(await page.content()).to.not.contain(key)
    expect((await api.call('GET', '/dags', { headers: bearer(key) })).status).to.equal(200)
    await page.reload()
    await row.getByText('never').waitFor({ state: 'detached' })
    await fitsEverywhere(page, 'access keys')
    await row.getByRole('button', { name: 'Revoke ci' }).click()
    await dialog().getByRole('button', { name: 'Revoke' }).click()
    await row.filter({ hasText: 'Revoked' }).waitFor()
    expect((await api.call('GET', '/dags', { headers: bearer(key) })).status).to.equal(401)
  })

  itLong('what the server refuses is said, and nothing that was filled in is lost', async () => {
    await made(api, { name: 'taken', role: 'viewer' })
    await visitAs('secret-ops', '#/access')
    await page.getByRole('button', { name: 'New key' }).click()
    await dialog().getByLabel('Name').fill('taken')
    await dialog().getByRole('button', { name: 'Create key' }).click()
    await page.getByText('there is a key named taken').waitFor()
    expect(await dialog().getByLabel('Name').inputValue()).to.equal('taken')
  })

  it('who is no admin has no such view', async () => {
    await visitAs(await made(api, { name: 'look', role: 'viewer' }), '#/access')
    await page.getByText('may not').first().waitFor()
    expect(await page.getByRole('link', { name: 'Access' }).count()).to.equal(0)
    watched.faults.length = 0 // the browser reports the refusal
  })
})

describe('page › access: sessions', () => {
  const open = liveBrowser()
  let address = ''
  let signed = (_claims?: object): string => ''
  let end = async () => {}
  let engine: Engine
  before(async () => {
    const client = { clientId: 'troupe', clientSecret: 'secret' }
    const troupe = await openServer()
    address = troupe.address
    const provider = await identityProvider({ ...client, clientUrl: address })
    const settings = {
      'auth.oidc.clientId': client.clientId,
      'auth.oidc.clientSecret': client.clientSecret,
      'auth.oidc.clientUrl': address,
      'auth.oidc.issuer': provider.issuer
    }
    engine = await createEngine({ temporary: true, settings })
    const answer = createApp(engine).callback()
    troupe.answerWith((request, response) => void answer(request, response))
    signed = provider.signed
    end = async () => {
      troupe.server.closeAllConnections()
      await new Promise((resolve) => troupe.server.close(resolve))
      await provider.close()
      await engine.close()
    }
  })
  after(() => end())

  it('people are listed with where from, and signed out: one session, and everywhere', async () => {
    const { page, faults } = await open()
    const personOf = (sub: string, more = {}) =>
      signed({ sub, email: `${sub}@example.org`, email_verified: true, ...more })
    const statusOf = async (token: string) =>
      (await fetch(`${address}/api/v2/dags`, { headers: { Cookie: `oidcToken=${token}` } })).status
    const [ann, one, two] = [personOf('ann'), personOf('bob', { n: 1 }), personOf('bob', { n: 2 })]
    for (const token of [one, two]) expect(await statusOf(token)).to.equal(200)
    await page.context().addCookies([{ name: 'oidcToken', value: ann, url: address }])
    await page.goto(`${address}/#/access?tab=sessions`)
    const rows = (name: string) => page.getByRole('row').filter({ hasText: `${name}@example.org` })
    await rows('ann').getByText('you').waitFor()
    expect(await rows('bob').count()).to.equal(2)
    await fitsEverywhere(page, 'access sessions')
    await rows('bob').first().getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Sign out' }).click()
    await rows('bob').nth(1).waitFor({ state: 'detached' })
    expect((await Promise.all([statusOf(one), statusOf(two)])).sort()).to.deep.equal([200, 401])
    expect(faults).to.deep.equal([])
    await page.context().close()
  })
})
