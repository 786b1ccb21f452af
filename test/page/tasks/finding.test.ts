/** Finding runs among many, in presses; what is typed is not counted. Source: docs/page.md "Views". */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { seedRuns } from '../../bench/seeding.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { type Clicks, countClicks } from '../../support/page/clicks.ts'
import { livePage } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

const RUNS = 1_200
/** So the last night is among them, whenever it was. */
const APART_MS = (36 * 3_600_000) / RUNS
const MOST_PRESSES = 3
/** That Back restores. */
const ROWS = 1_000

describe('page › tasks: finding runs among many', () => {
  let page: Page
  let presses: Clicks
  const home = temporaryFolder()
  const dags = join(home, 'dags')
  before(async () => {
    mkdirSync(dags)
    writeFileSync(join(dags, 'good.yaml'), 'steps: ["true"]')
    writeFileSync(join(dags, 'bad.yaml'), 'steps: ["false"]')
    await seedRuns({ home, dags }, ['good', 'bad'], RUNS, APART_MS)
  })
  const opened = (next: Page) => {
    page = next
  }
  const { api, visit } = livePage(opened, { temporary: false, home, dagsDir: dags })
  beforeEach(async () => {
    presses = await countClicks(page)
    await visit('#/runs')
    await page.locator('table.runs tbody tr').first().waitFor()
  })
  const loaded = async () => Number(await page.locator('table.runs').getAttribute('aria-rowcount')) - 1

  it('what failed in the last night, from 18:00 to 6:00', async () => {
    await page.getByRole('button', { name: 'Failed', exact: true }).click()
    await presses.choose(page.getByLabel('Created'), 'night')
    // Of the two definitions in turn one has failed.
    const wanted = (12 * 3_600_000) / APART_MS / 2
    await eventually('the runs of the night', async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return Math.abs((await loaded()) - wanted) <= 1 || undefined
    })
    expect(await presses.count()).to.be.within(1, MOST_PRESSES)
    expect(new Set(await page.locator('table.runs tbody .status').allTextContents())).to.deep.equal(new Set(['Failed']))
    await page.evaluate('scrollTo(0, 0)')
    const newest = await page.locator('table.runs tbody time').first().getAttribute('datetime')
    expect(new Date(newest ?? '').getHours(), "in the zone of this machine, which is the browser's").to.equal(5)
  })

  it('a run by 8 characters of its id', async () => {
    const { dagRuns } = await api.get('/dag-runs?limit=1&status=2')
    const [{ dagRunId }] = dagRuns
    await page.getByPlaceholder('Run ID').fill(dagRunId.slice(-8))
    await page.getByRole('row', { name: new RegExp(dagRunId) }).waitFor()
    await eventually('no other', async () => (await loaded()) === 1 || undefined)
  })

  it('Back restores a thousand rows and how far the list was scrolled', async () => {
    await eventually('a thousand rows', async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return (await loaded()) >= ROWS || undefined
    })
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight * 0.9)')
    // One of them, whatever is drawn beside it.
    const last = page.locator('table.runs tbody[data-block]').last().getByRole('link').first()
    const link = page.locator(`a[href="${await last.getAttribute('href')}"]`)
    await link.scrollIntoViewIfNeeded()
    const before = { scrollY: await page.evaluate<number>('scrollY'), rows: await loaded() }
    await link.click()
    await page.getByRole('button', { name: 'Copy the run ID' }).waitFor()
    expect(await page.evaluate('scrollY')).to.equal(0)
    await page.goBack()
    await eventually('as far down', async () => {
      const scrollY = await page.evaluate<number>('scrollY')
      return ((await loaded()) >= before.rows && Math.abs(scrollY - before.scrollY) <= 5) || undefined
    })
  })
})
