/** Questions about time: what runs tonight, what has become slower, how the latest runs ended. Source: docs/page.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import type { DagListItem } from '../../../src/client/shapes.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { type Clicks, countClicks } from '../../support/page/clicks.ts'
import { livePage } from '../../support/page/live-page.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const SCREENS = [
  [1440, 'light'],
  [1024, 'light'],
  [390, 'dark']
] as const
/** As many as a row has. */
const LATEST = Array.from({ length: 14 }, (_, at) => {
  const [status, statusLabel] = at % 4 === 1 ? ([2, 'failed'] as const) : ([4, 'succeeded'] as const)
  return { dagRunId: `r${at}`, status, statusLabel, createdAtMs: Date.now() - at * HOUR_MS, ms: 130_000 }
})

describe('page › tasks: questions about time', () => {
  let page: Page
  let clicks: Clicks
  const { api, visit } = livePage((opened) => {
    page = opened
  })
  const ids: string[] = []
  before(async () => {
    api.write('cleanup-temp', 'schedule: "*/2 * * * *"\nsteps: ["true"]\n')
    api.write('import-leads', 'schedule: "CRON_TZ=UTC 15 1 * * *"\nsteps: ["true"]\n')
    api.write('backup-db', 'schedule: "CRON_TZ=UTC 30 2 * * *"\nsteps: ["true"]\n')
    for (const name of ['failing', 'cleanup-temp', 'failing']) {
      const id = await api.started(name)
      await api.ended(name, id)
      if (name === 'failing') ids.unshift(id)
    }
  })
  beforeEach(async () => {
    clicks = await countClicks(page)
  })
  const looksWell = async (what: string) => {
    for (const [width, colorScheme] of SCREENS) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await seriousFindings(page), `${what} ${width}`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${what} ${width}`).to.equal(0)
      await keepPicture(page, `${what} ${width}`)
    }
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  /** Of the next night, in UTC. */
  const tonight = () => {
    const date = new Date(api.engine.now() + DAY_MS).toISOString().slice(0, 10)
    return (hour: number) => page.locator(`[data-cell="${date}T${hour}"]`)
  }
  const ofWeek = () => {
    const day = new Date(api.engine.now() + DAY_MS)
    return new Date(day.getTime() - ((day.getUTCDay() + 6) % 7) * DAY_MS).toISOString().slice(0, 10)
  }
  const chosen = () => page.getByRole('region', { name: 'Chosen hours' })

  it('what runs tonight from 1 to 3: an hour to come, and the next one too, by definition and schedule', async () => {
    await page.addInitScript("localStorage.setItem('troupe.zone', 'utc')")
    await visit(`#/calendar?week=${ofWeek()}`)
    const at = tonight()
    await at(1).getByRole('link').click()
    await chosen().getByText('01:15:00').waitFor()
    await chosen().getByRole('button', { name: 'Until 03:00' }).click()
    await chosen().getByText('02:30:00').waitFor()
    const items = await chosen().getByRole('listitem').allTextContents()
    expect(items.map((text) => text.replace(/\s+/g, ' '))).to.deep.equal([
      'cleanup-temp01:00:00 to 02:58:00Every 2 minutes (60)',
      'import-leads01:15:00',
      'backup-db02:30:00'
    ])
    expect(await clicks.count()).to.equal(2)
    expect(await at(1).getAttribute('aria-selected')).to.equal('true')
    expect(await at(3).getAttribute('aria-selected')).to.equal('false')
    await looksWell('tonight')
    await page.goBack()
    await chosen().getByText('02:30:00').waitFor({ state: 'detached' })
    await chosen().getByRole('button', { name: 'Close' }).click()
    await chosen().waitFor({ state: 'detached' })
  })

  it('hours that are drawn over are chosen together', async () => {
    await page.addInitScript("localStorage.setItem('troupe.zone', 'utc')")
    await visit(`#/calendar?week=${ofWeek()}`)
    const at = tonight()
    await at(1).hover()
    await page.mouse.down()
    await at(2).hover()
    await page.mouse.up()
    await chosen().getByText('02:30:00').waitFor()
    await chosen()
      .getByRole('heading', { name: /, 01:00 to 03:00$/ })
      .waitFor()
  })

  it('the next starts are grouped by what repeats', async () => {
    await visit('#/calendar')
    const next = page.getByRole('region', { name: 'Next starts' })
    await next.getByText(/Every 2 minutes \((?:69|7\d)\d\)/).waitFor()
    expect(await next.getByRole('listitem').count()).to.equal(3)
  })

  /** The answers of the server, with these definitions slower than last week by so many percent, in this order. */
  const slower = async (percents: Record<string, number>) => {
    await page.route(/\/dags\?.*trend=true/, async (route) => {
      const response = await route.fetch()
      const body: { dags: DagListItem[] } = await response.json()
      for (const row of body.dags) {
        const percent = percents[row.dag.name]
        const week = (p50Ms: number, runs: number) => ({ p50Ms, runs })
        if (percent === undefined) continue
        row.latestRuns = LATEST
        row.trend = { percent, lastWeek: week(130_000, 12), thisWeek: week(1_300 * (100 + percent), 14) }
      }
      await route.fulfill({ response, json: body })
    })
  }

  it('which definitions got slower: on Today with the medians and their numbers, and one press away all of them', async () => {
    await slower({ 'import-leads': 69, 'cleanup-temp': 5, failing: -20 })
    await visit('')
    const region = page.getByRole('region', { name: 'Slower than last week' })
    await region.getByText('2 min 10 s → 3 min 39 s, 12 and 14 runs').waitFor()
    expect(await region.getByRole('listitem').count(), 'those of which it is worth saying').to.equal(1)
    await looksWell('slower')
    const asked = page.waitForRequest(/\/dags\?.*sort=trend&order=desc/)
    await region.getByRole('link', { name: 'All definitions by trend' }).click()
    await asked
    expect(await clicks.count()).to.equal(1)
    await page
      .getByRole('row', { name: /import-leads/ })
      .getByText('69 % slower')
      .waitFor()
    await page
      .getByRole('row', { name: /failing/ })
      .getByText('20 % faster')
      .waitFor()
    expect(await page.getByRole('columnheader', { name: 'Trend' }).getAttribute('aria-sort')).to.equal('descending')
    await looksWell('trends')
  })

  it('a definition says how long it takes this week, beside last week', async () => {
    await page.route(/\/dags\/failing$/, async (route) => {
      const response = await route.fetch()
      const trend = { percent: 50, lastWeek: { p50Ms: 2_000, runs: 5 }, thisWeek: { p50Ms: 3_000, runs: 6 } }
      await route.fulfill({ response, json: Object.assign(await response.json(), { trend }) })
    })
    await visit('#/definitions/failing')
    await page.getByText('50 % slower: 2.0 s → 3.0 s, 5 and 6 runs').waitFor()
  })

  it('a row of Definitions has the latest runs, each with its status in words, and a press opens it; one request for all', async () => {
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().includes('/dag-runs')) asked.push(request.url())
    })
    await visit('#/definitions')
    const strip = page.getByRole('list', { name: 'Latest runs of failing' })
    await strip.waitFor()
    expect(await strip.getByRole('link').count()).to.equal(2)
    expect(await page.getByRole('list', { name: 'Latest runs of backup-db' }).count(), 'never ran').to.equal(0)
    await looksWell('strip')
    const newest = strip.getByRole('link', { name: /^Failed, / }).last()
    expect(asked).to.deep.equal([])
    await newest.focus()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`#/runs/failing/${ids[1]}`))
  })
})
