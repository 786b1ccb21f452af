/** A session that ends while the page is open: the visitor signs in again and goes on, with all that was there. Source: docs/page.md "Signing in again". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { createApp } from '../../src/api/app.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import { liveApi } from '../support/api/live-api.ts'
import { identityProvider, openServer } from '../support/auth/identity-provider.ts'
import { itLong } from '../support/long.ts'
import { keepPicture, liveBrowser, seriousFindings, type Watched } from '../support/page/browser.ts'
import { hurry } from '../support/page/hurried.ts'

const HELLO = 'params: "DAY=monday"\nsteps: [{name: greet, command: echo hi}]\n'
const ALL = ['read', 'run', 'write'] as const

describe('page › a token that is no longer accepted', () => {
  const api = liveApi({
    settings: {
      'auth.tokens': [
        { name: 'ann', value: 'anns-token-1234', permissions: [...ALL] },
        { name: 'bob', value: 'bobs-token-1234', permissions: [...ALL] }
      ]
    }
  })
  const open = liveBrowser()
  let watched: Watched
  let page: Page
  before(() => api.write('hello', HELLO))
  beforeEach(async () => {
    watched = await open()
    page = watched.page
    await page.goto(`http://127.0.0.1:${api.port}/#/definitions/hello`)
    await signIn('anns-token-1234')
    await page.getByRole('heading', { name: 'hello', level: 1 }).waitFor()
  })
  afterEach(async () => {
    expect([...watched.strangers, ...watched.faults]).to.deep.equal([])
    await page.context().close()
  })
  async function signIn(token: string): Promise<void> {
    await page.getByLabel('Access key').fill(token)
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  /** As after the token was withdrawn. */
  const expire = () => page.evaluate("sessionStorage.setItem('troupe.token', 'withdrawn-1234')")
  const again = () => page.getByRole('dialog', { name: 'Sign in again' })
  const startWith = async (day: string) => {
    await page.getByRole('button', { name: 'Start', exact: true }).click()
    await page.getByLabel('DAY').fill(day)
    await expire()
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await again().waitFor()
  }
  const runs = async () =>
    (await api.call('GET', '/dag-runs/hello', { headers: { Authorization: 'Bearer anns-token-1234' } })).json.dagRuns

  it('what was filled in is still there, and what was being sent is sent, once', async () => {
    const before = (await runs()).length
    await startWith('friday')
    expect(await again().textContent()).to.contain('Your session has ended')
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'sign in again')
    for (let press = 0; press < 3; press++) await page.keyboard.press('Escape')
    expect(await again().isVisible()).to.equal(true)
    await signIn('wrong-1234')
    await again()
      .getByText(/rejected this key/)
      .waitFor()
    expect((await runs()).length).to.equal(before)
    await signIn('anns-token-1234')
    await page.waitForURL(/#\/runs\/hello\//)
    await page.locator('.run-head .status.s-succeeded').waitFor()
    const all = await runs()
    expect(all.length).to.equal(before + 1)
    expect(all[0].params).to.contain('friday')
  })

  it('meanwhile nothing is asked: a token that is wrong again and again would lock the visitor out', async () => {
    let asked = 0
    await hurry(page)
    await page.reload()
    page.on('request', () => asked++)
    await page.getByRole('link', { name: 'Runs', exact: true }).click()
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await expire()
    // The list asks by itself.
    await again().waitFor()
    const before = asked
    await page.waitForTimeout(5_000) // as long as any timer that is not hurried, and as several that are
    expect(asked - before).to.be.at.most(1)
    await signIn('anns-token-1234')
    await again().waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    await page.locator('.top .connection.live').waitFor()
  })

  it('somebody else who signs in finds nothing of it, and nothing is done in their name', async () => {
    const before = (await runs()).length
    await startWith('sunday')
    await signIn('bobs-token-1234')
    await again().waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: 'hello', level: 1 }).waitFor()
    expect(await page.getByRole('dialog').count()).to.equal(0)
    expect((await runs()).length).to.equal(before)
  })
})

describe('page › a session with OpenID Connect that ends', () => {
  const open = liveBrowser()
  const opened: { close(): Promise<unknown> }[] = []
  let address = ''
  let engine: Engine
  before(async () => {
    const server = await openServer()
    address = server.address
    const client = { clientId: 'troupe', clientSecret: 'secret' }
    const provider = await identityProvider({ ...client, clientUrl: address })
    engine = await createEngine({
      temporary: true,
      settings: {
        'auth.oidc.clientId': client.clientId,
        'auth.oidc.clientSecret': client.clientSecret,
        'auth.oidc.clientUrl': address,
        'auth.oidc.issuer': provider.issuer
      }
    })
    server.answerWith(createApp(engine).callback())
    const close = async () => {
      server.server.closeAllConnections()
      server.server.close()
    }
    opened.push(engine, provider, { close })
  })
  after(() => Promise.all(opened.map((it) => it.close())))

  itLong('signing in leads back to the same view; a text that was not saved is offered there', async () => {
    const { page, faults } = await open()
    const signIn = async () => {
      await page.locator('input[name=login]').fill('ann')
      await page.locator('input[name=password]').fill('any')
      await page.locator('button[type=submit]').click()
      await page.locator('button[type=submit]').click()
    }
    await page.goto(address)
    await signIn()
    await page.getByRole('heading', { name: 'Today' }).waitFor()
    await page.goto(`${address}/#/new-definition`)
    await page.locator('.cm-content').press('Control+End')
    await page.keyboard.type('  - name: mine\ncommand: echo mine')
    await page.getByText('Not saved; kept in this browser').waitFor()
    await page.getByText('No problems').waitFor()
    await page.context().clearCookies()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('mine')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'Sign in again' }).getByRole('link', { name: 'Sign in' }).click()
    await signIn()
    await page.waitForURL(/#\/new-definition$/)
    await page.getByRole('button', { name: 'Restore it' }).click()
    await page.locator('.cm-content').getByText('name: mine').waitFor()
    expect(faults).to.deep.equal([])
  })
})
