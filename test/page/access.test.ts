/** The page of a visitor with a role and rules: what they may not do is off, what they must not see is not there. Source: docs/authentication.md "Roles". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { accessScene } from '../support/api/access-scene.ts'
import { itLong } from '../support/long.ts'
import { keepPicture, liveBrowser, seriousFindings, type Watched } from '../support/page/browser.ts'

describe('page › roles and rules', () => {
  const { api } = accessScene()
  const open = liveBrowser()
  let watched: Watched
  let page: Page
  beforeEach(async () => {
    watched = await open()
    page = watched.page
  })
  afterEach(async () => {
    expect([...watched.strangers]).to.deep.equal([])
    await page.context().close()
  })
  async function visitAs(caller: string, place: string): Promise<void> {
    await page.goto(`http://127.0.0.1:${api.port}/${place}`)
    await page.getByLabel('Access key').fill(`secret-${caller}`)
    await page.getByRole('button', { name: 'Continue' }).click()
  }
  const go = (place: string) => page.evaluate(`location.hash = '${place}'`)
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
  const start = () => page.getByRole('button', { name: /^Start( \(|$)/ })
  /** Off, with the reason. */
  const isOff = async () => (await start().getAttribute('aria-disabled')) === 'true'
  const until = (wanted: boolean) =>
    start()
      .and(page.locator(wanted ? '[aria-disabled=true]' : ':not([aria-disabled=true])'))
      .waitFor()

  it('a viewer with a rule may start what the rule names, and nothing else', async () => {
    await visitAs('payer', '#/definitions/open')
    await heading('open')
    await until(true)
    expect(await seriousFindings(page)).to.deep.equal([])
    await go('#/definitions/pay')
    await heading('pay')
    await until(false)
    await start().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/#\/runs\/pay\//)
    await page.locator('.run-head .status.s-succeeded').waitFor()
    await keepPicture(page, 'access payer')
    await go('#/definitions/open')
    await heading('open')
    await until(true)
    expect(watched.faults).to.deep.equal([])
  })

  it('what waits for a visitor is what they may answer', async () => {
    const spec = 'steps: [{name: ok, executor: {type: approval, config: {ask: "Shall we?"}}}]'
    const runs = await Promise.all(
      ['open', 'pay'].map((name) => api.engine.start({ spec, name, dagRunId: `${name}-asks` }))
    )
    await visitAs('payer', '')
    const item = page.getByRole('region', { name: 'Waits for you' }).getByRole('listitem')
    await item.getByRole('link', { name: 'pay' }).waitFor()
    expect(await item.count()).to.equal(1)
    await item.getByRole('button', { name: 'Approve' }).click()
    await item.waitFor({ state: 'detached' })
    expect((await api.engine.result({ name: 'pay', dagRunId: 'pay-asks' })).run.status).to.equal('succeeded')
    for (const run of runs) await api.engine.stop(run).catch(() => undefined)
  })

  itLong('in a list, each row follows what they may do with it', async () => {
    await visitAs('payer', '#/definitions')
    const button = (name: string) => page.getByRole('button', { name })
    await button('Start pay').waitFor()
    const isRefused = (name: string) => button(name).getAttribute('aria-disabled')
    expect(await Promise.all(['Start pay', 'Suspend pay', 'Start open', 'Suspend open'].map(isRefused))).to.deep.equal([
      'false',
      'false',
      'true',
      'true'
    ])
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'access rows of definitions')
    await button('Start pay').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Start', exact: true }).waitFor()
    await page.keyboard.press('Escape')
    for (const name of ['open', 'pay'])
      await api.engine.result(await api.engine.start({ spec: 'steps: [exit 1]', name, dagRunId: `${name}-fails` }))
    await go('#/runs')
    await page.getByLabel('Select pay pay-fails').waitFor()
    await page.getByText('open-fails').waitFor()
    expect(await page.getByLabel(/^Select open/).count()).to.equal(0)
    await keepPicture(page, 'access rows of runs')
    expect(watched.faults).to.deep.equal([])
  })

  itLong('an editor sees how to change what they may, and not how to change what a rule narrows', async () => {
    await visitAs('editor', '#/definitions/etl')
    await heading('etl')
    await page.getByRole('button', { name: 'More actions' }).waitFor()
    expect(await isOff()).to.equal(false)
    await go('#/definitions/open')
    await heading('open')
    await until(true)
    expect(await page.getByRole('button', { name: 'More actions' }).count()).to.equal(0)
    await go('#/definitions/open/edit')
    await page.getByText('Read only').waitFor()
    expect(watched.faults).to.deep.equal([])
  })

  itLong('who may edit only by a rule finds a way to a new definition', async () => {
    await visitAs('etl', '#/definitions')
    await page.getByRole('link', { name: 'etl', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'open', exact: true }).count()).to.equal(0)
    await page.getByText('New definition').click()
    await page.getByRole('heading', { name: 'New definition' }).waitFor()
    await page.locator('.cm-content').waitFor()
    expect(watched.faults).to.deep.equal([])
  })

  it('what is hidden is not in the lists, and its address leads to nothing', async () => {
    await visitAs('viewer', '#/definitions')
    await page.getByRole('link', { name: 'etl', exact: true }).waitFor()
    for (const place of ['#/definitions', '#/runs', '#/queues']) {
      await go(place)
      await page.getByRole('heading', { level: 1 }).waitFor()
      expect(await page.getByText('pay', { exact: true }).count(), place).to.equal(0)
    }
    await go('#/definitions/pay')
    await page.getByText('there is no definition named pay').waitFor()
    await keepPicture(page, 'access hidden')
  })
})
