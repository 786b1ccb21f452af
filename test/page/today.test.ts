/** The first screen in a real browser. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { livePage } from '../support/page/live-page.ts'

describe('page › today', () => {
  let page: Page
  const { api, visit } = livePage((opened) => {
    page = opened
  })
  const FAILING = ['failing', 'load-orders', 'send-invoices']

  before(async () => {
    for (const name of FAILING.slice(1)) api.write(name, 'steps: [{name: breaks, command: exit 3}]')
    for (const name of FAILING) await api.ended(name, await api.started(name))
    await api.ended('failing', await api.started('failing'))
  })

  for (const [width, height, colorScheme] of onlyLast([
    [390, 844, 'dark'],
    [1440, 900, 'light']
  ] as const))
    it(`at ${width} px three failing definitions are named above the fold, each one press from its reason`, async () => {
      await page.setViewportSize({ width, height })
      await page.emulateMedia({ colorScheme })
      await visit('')
      const attention = page.getByRole('region', { name: 'Needs attention' })
      for (const name of FAILING) {
        const box = await attention.getByRole('link', { name }).boundingBox()
        expect((box?.y ?? height) + (box?.height ?? 0), name).to.be.at.most(height)
      }
      expect(await attention.getByRole('listitem').count(), 'each once, and the broken definition').to.equal(4)
      await keepPicture(page, `today ${width}`)
      expect(await seriousFindings(page)).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.equal(0)
      await attention.getByRole('link', { name: 'load-orders' }).click()
      await page
        .getByRole('region', { name: 'Why' })
        .getByText(/failed/)
        .first()
        .waitFor()
    })

  it('is live: a run that fails appears in the counts, the strip and what needs attention', async () => {
    await visit('')
    const failed = page.getByRole('link', { name: /^\d+ failed$/ })
    await failed.waitFor()
    const count = Number.parseInt((await failed.textContent()) ?? '', 10)
    api.write('late', 'steps: [{name: breaks, command: exit 3}]')
    await api.started('late')
    await page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'late' }).waitFor()
    await page.getByRole('link', { name: `${count + 1} failed`, exact: true }).waitFor()
    await page
      .getByRole('region', { name: 'Last 24 hours' })
      .getByRole('link', { name: /late ?: 1 failed/ })
      .click()
    await page.waitForURL(/#\/runs\?name=late&period=24h/)
    await page.getByRole('row', { name: /late/ }).waitFor()
  })

  it('a failed run shows the last lines of the step that failed first, and leads to its log', async () => {
    const [{ dagRunId }] = (await api.get('/dag-runs/failing?limit=1')).dagRuns
    await visit(`#/runs/failing/${dagRunId}`)
    const card = page.getByRole('region', { name: 'First failure' })
    await card.getByText('row 17 has no id').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'first failure')
    await card.getByRole('button', { name: 'All of its errors' }).click()
    await page.waitForURL(/step=breaks&side=err/)
    await page.getByRole('log').getByText('row 17 has no id').waitFor()
  })

  itLong('what can be done about it is there, too', async () => {
    api.write('mended', 'steps: [{name: breaks, command: exit 3}, {name: after, command: echo fine}]')
    const dagRunId = await api.started('mended')
    await api.ended('mended', dagRunId)
    await visit(`#/runs/mended/${dagRunId}`)
    const card = page.getByRole('region', { name: 'First failure' })
    await card.getByRole('button', { name: 'Rerun from here' }).waitFor()
    await card.getByRole('button', { name: 'Set status' }).click()
    await page.getByText('breaks is succeeded now.').waitFor()
    await card.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await page.locator('.run-head .status.s-succeeded').waitFor()
  })
})
