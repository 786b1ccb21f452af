/** Steps by runs: the grid of a definition. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { livePage } from '../../support/page/live-page.ts'

const STEPS = 35
const RUNS = 50

describe('page › the grid of a definition', () => {
  let page: Page
  const { api, visit } = livePage((opened) => {
    page = opened
  })

  it('has a row for each step with its p95; keys move, Enter opens the run with that step selected', async () => {
    const ids: string[] = []
    for (const name of ['failing', 'failing', 'failing']) {
      ids.push(await api.started(name))
      await api.ended(name, ids.at(-1) ?? '')
    }
    await visit('#/definitions/failing?tab=grid')
    const grid = page.getByRole('grid', { name: 'Steps of failing in its latest runs' })
    await grid.waitFor()
    const row = page.getByRole('row', { name: /^breaks/ })
    expect((await row.locator('td.figure').textContent()) ?? '').to.match(/^\d+(\.\d)? m?s$/)
    expect(await row.locator('.cell').allTextContents()).to.deep.equal(['F', 'F', 'F'])
    await grid.focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowLeft')
    const durations = page.getByRole('region', { name: 'Durations of breaks' })
    await durations.getByText('p95').waitFor()
    await durations.getByText('3 failed').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'grid')
    await grid.press('Enter')
    await page.waitForURL((url) => url.href.includes(`/runs/failing/${ids[1]}?step=breaks`))
    await page.getByRole('complementary', { name: 'Step breaks' }).waitFor()
  })

  it('35 steps in 50 runs are all drawn', async () => {
    const label = (at: number) => (at % 7 === 3 ? 'failed' : 'succeeded')
    const steps = Array.from({ length: STEPS }, (_, at) => ({
      name: `step-${at}`,
      count: 50,
      failures: 7,
      p50Ms: 900,
      p95Ms: 2_400,
      latestMs: 1_000
    }))
    const history = Array.from({ length: RUNS }, (_, at) => ({
      dagRunId: `r${at}`,
      statusLabel: label(at),
      createdAtMs: 1_760_000_000_000 - at * 3_600_000,
      ms: 60_000 + at * 900,
      steps: steps.map((_, step) => ({ statusLabel: label(at + step), ms: 500 + step * 40 }))
    }))
    const body = JSON.stringify({ runs: steps[0], steps, history })
    await page.route(/\/statistics\?/, (route) => route.fulfill({ contentType: 'application/json', body }))
    await visit('#/definitions/report')
    await page.getByRole('tab', { name: 'Grid' }).waitFor()
    await page.getByRole('tab', { name: 'Grid' }).click()
    await page.locator(`#cell-${STEPS - 1}-${RUNS - 1}`).waitFor()
    expect(await page.locator('.cell').count()).to.equal(STEPS * RUNS)
  })
})
