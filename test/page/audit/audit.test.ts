/** The audit log in a real browser, on a real engine. Source: docs/page.md "The audit log". */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../../support/long.ts'
import { seriousFindings } from '../../support/page/browser.ts'
import { cutText } from '../../support/page/cut-text.ts'
import { livePage } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

describe('page › audit', function () {
  this.timeout(120_000)
  let page: Page
  const { api, visit } = livePage(
    (opened) => {
      page = opened
    },
    { settings: { 'audit.enabled': true } }
  )
  before(async () => {
    const spec = 'steps: [{name: say, command: echo hi}]\n'
    for (let n = 0; n < 120; n++) await api.call('POST', '/dags', { body: { name: `odd-${n}`, spec } })
    await api.call('PUT', '/dags/report/spec', { body: { spec: spec.replace('hi', '<img src=x onerror=alert(1)>') } })
    await api.call('POST', '/dags/report/suspend', { body: { suspend: true } })
    await api.call('POST', '/dags/nothing/suspend', { body: { suspend: true } })
    await api.ended('report', await api.started('report'))
  })
  const rows = () => page.locator('table.audit tbody tr:not(.details)')
  const link = () => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Audit' })

  it('is in the navigation, and shows who has done what, the newest first', async () => {
    await visit('#/runs')
    await link().click()
    await page.getByRole('heading', { name: 'Audit' }).waitFor()
    await rows().first().waitFor()
    expect(await link().getAttribute('aria-current')).to.equal('page')
    expect(await rows().nth(0).textContent())
      .to.contain('startDag')
      .and.to.contain('anyone')
    expect(await rows().nth(1).textContent())
      .to.contain('suspendDag')
      .and.to.contain('not_found')
  })
  it('the details of an entry: before and after, as text', async () => {
    await visit('#/audit?operation=replaceDagSpec')
    await page.getByRole('button', { name: /^Details of entry/ }).click()
    const details = page.locator('table.audit tr.details')
    await details.waitFor()
    const text = await details.textContent()
    for (const part of ['Before', 'After', 'sha256', 'Difference', '<img src=x onerror=alert(1)>', 'Hash'])
      expect(text).to.contain(part)
    await page.getByRole('button', { name: /^Details of entry/ }).click()
    expect(await details.count()).to.equal(0)
  })
  it('is filtered by the server, and older entries come when they are asked for', async () => {
    await visit('#/audit')
    await rows().first().waitFor()
    expect(await rows().count()).to.equal(100)
    await page.getByRole('button', { name: 'Older entries' }).click()
    await eventually('all entries', async () => ((await rows().count()) > 120 ? true : undefined))
    await page.getByLabel('Definition').fill('odd-7')
    await eventually('one entry', async () => ((await rows().count()) === 1 ? true : undefined))
    expect(page.url()).to.contain('dag=odd-7')
    await visit('#/audit?outcome=refused')
    await eventually('what was refused', async () => ((await rows().count()) === 1 ? true : undefined))
    await visit('#/audit?operation=none')
    await page.getByText('No matching entries.').waitFor()
  })
  itLong('new entries are looked for', async () => {
    await visit('#/audit?operation=deleteDag')
    await page.getByText('No matching entries.').waitFor()
    await api.call('DELETE', '/dags/odd-0')
    await page.getByRole('button', { name: 'Look for new entries' }).click()
    await rows().first().waitFor()
  })
  itLong('what is exported is the log, line by line', async () => {
    await visit('#/audit')
    const downloading = page.waitForEvent('download')
    await page.getByRole('link', { name: 'Export' }).click()
    const file = await (await downloading).path()
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines.map((line) => JSON.parse(line).seq)).to.deep.equal(lines.map((_, index) => index + 1))
  })
  for (const colorScheme of onlyLast(['light', 'dark'] as const))
    for (const width of onlyLast([1440, 1024, 390]))
      it(`at ${width} px, ${colorScheme}: nothing is cut, nothing sticks out, nothing that axe calls serious`, async () => {
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 900 })
        await visit('#/audit?operation=replaceDagSpec')
        await page.getByRole('button', { name: /^Details of entry/ }).click()
        await page.locator('table.audit tr.details').waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth')).to.be.at.most(width)
        expect(await cutText(page)).to.deep.equal([])
        expect(await seriousFindings(page)).to.deep.equal([])
      })
})

describe('page › audit › where none is kept', () => {
  let page: Page
  const { visit } = livePage((opened) => {
    page = opened
  })
  it('is not in the navigation, and its view says why it is empty', async () => {
    await visit('#/audit')
    await page.getByText('Nothing is added:').waitFor()
    expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Audit' }).count()).to.equal(
      0
    )
  })
})
