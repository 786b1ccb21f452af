/** The calendar of runs and of starts to come. Source: docs/page.md "Calendar". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { livePage } from '../../support/page/live-page.ts'

const DAY_MS = 86_400_000

describe('page › calendar', () => {
  let page: Page
  const { api, visit } = livePage((opened) => {
    page = opened
  })
  const focused = () => page.evaluate('document.activeElement.dataset.cell')

  before(async () => {
    api.write('nightly', 'schedule: "CRON_TZ=Asia/Tokyo 30 2 * * *"\nsteps: ["true"]\n')
    for (const name of ['failing', 'nightly', 'nightly']) await api.ended(name, await api.started(name))
  })

  it('a day leads to its runs, an hour to those of the hour, by keys too', async () => {
    await visit('#/calendar')
    const today = page.locator('[data-cell][aria-current="date"]')
    await today.getByText('3 runs: 1 failed, 2 succeeded').waitFor({ state: 'attached' })
    expect(await page.getByRole('grid').count()).to.equal(2)
    expect(await page.locator('.weeks [tabindex="0"]').count()).to.equal(1)
    expect(await seriousFindings(page)).to.deep.equal([])
    await today.getByRole('link').click()
    await page.waitForURL(/#\/runs\?period=\d+-\d+$/)
    const rows = page.locator('.runs tbody tr')
    await rows.nth(2).waitFor()
    expect(await rows.count()).to.equal(3)
    const period = page.getByLabel('Created')
    const day = new Intl.DateTimeFormat('en-US', { year: 'numeric', month: 'short', day: '2-digit' }).format()
    expect(await period.locator('option:checked').textContent()).to.equal(day)
    await period.selectOption('7d')
    await page.waitForURL(/period=7d/)
    await page.goBack()
    await page.goBack()
    await today.waitFor()

    await today.focus()
    await page.keyboard.press('ArrowLeft')
    const before = await focused()
    await page.keyboard.press('PageUp')
    await page.keyboard.press('ArrowDown')
    expect(await focused()).to.not.equal(before)
    await page.keyboard.press('PageDown')
    await page.keyboard.press('ArrowUp')
    expect(await focused()).to.equal(before)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/runs\?period=/)
    await page.goBack()

    const hour = page.locator('.week-hours [data-cell]', { has: page.locator('a') })
    await hour.first().focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/runs\?period=/)
    expect(await period.locator('option:checked').textContent()).to.match(/ \d\d:00 to .* \d\d:00$/)
  })

  it('that of a definition has its runs alone, and the next starts with their zone', async () => {
    await visit('#/definitions/nightly?tab=calendar')
    const today = page.locator('[data-cell][aria-current="date"]')
    await today.getByText('2 runs: 2 succeeded').waitFor({ state: 'attached' })
    const next = page.getByRole('region', { name: 'Next starts' })
    await next
      .getByText(/02:30 Asia\/Tokyo/)
      .first()
      .waitFor()
    expect(await page.locator('.day-cell.planned').count()).to.be.within(13, 15)
    await page.getByRole('button', { name: 'Next week' }).click()
    await page.waitForURL(/week=\d{4}-/)
    await page.locator('.hour-cell.planned').first().waitFor()
    await page.getByRole('button', { name: 'This week' }).click()
    expect(await seriousFindings(page)).to.deep.equal([])
    await today.getByRole('link').click()
    await page.waitForURL(/#\/runs\?name=nightly&period=/)
    await page.locator('.runs tbody tr').nth(1).waitFor()
    expect(await page.locator('.runs tbody tr').count()).to.equal(2)
  })

  it('what happens while it is open is counted', async () => {
    await visit('#/calendar')
    const today = page.locator('[data-cell][aria-current="date"]')
    await today.getByText(/^.*3 runs/).waitFor({ state: 'attached' })
    await api.ended('nightly', await api.started('nightly'))
    await today.getByText(/4 runs: 1 failed, 3 succeeded/).waitFor({ state: 'attached' })
  })

  it('is readable at every width, in both themes, and says what was not counted', async () => {
    await page.route(/\/calendar\?/, async (route) => {
      const query = new URL(route.request().url()).searchParams
      const isHour = query.get('by') === 'hour'
      const length = isHour ? DAY_MS / 24 : DAY_MS
      const [from, to] = ['fromDate', 'toDate'].map((name) => Number(query.get(name)) * 1_000)
      const begin = Math.floor((from ?? 0) / length) * length
      const now = Date.now()
      const cells = Array.from({ length: Math.ceil(((to ?? 0) - begin) / length) }, (_, at) => {
        const fromMs = begin + at * length
        const number = Math.floor(fromMs / length)
        const isPast = fromMs <= now
        const runs =
          !isPast || number % 11 === 4
            ? {}
            : {
                succeeded: 1 + (number % 7) * (isHour ? 1 : 190),
                ...(number % 5 === 2 ? { failed: 3 } : {}),
                ...(number % 13 === 5 ? { canceled: 2 } : {}),
                ...(fromMs + length > now ? { running: 2 } : {})
              }
        const text = new Date(fromMs).toISOString()
        return {
          date: text.slice(0, 10),
          ...(isHour ? { hour: Number(text.slice(11, 13)) } : {}),
          fromMs,
          toMs: fromMs + length,
          runs,
          planned: isPast ? 0 : 24
        }
      })
      const planned = Array.from({ length: 12 }, (_, at) => ({
        name: `nightly-etl-of-region-${at}`,
        fileName: `etl-${at}`,
        atMs: now + at * 3_700_000,
        zone: at % 2 ? 'Europe/Berlin' : 'UTC',
        expression: '0 3 * * *'
      }))
      const countedFromMs = isHour ? null : begin + 40 * DAY_MS
      await route.fulfill({
        contentType: 'application/json',
        body: JSON.stringify({
          cells: cells.filter(
            ({ fromMs }) => countedFromMs === null || fromMs > now - DAY_MS || fromMs >= countedFromMs
          ),
          countedFromMs,
          plannedToMs: now + 9 * DAY_MS,
          planned
        })
      })
    })
    await visit('#/calendar')
    await page.getByLabel('Time zone').selectOption('utc')
    await page.getByText(/are too many to be counted here/).waitFor()
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [1024, 'dark'],
      [390, 'dark'],
      [390, 'light']
    ] as const) {
      await page.setViewportSize({ width, height: 1000 })
      if (width === 390) await page.reload()
      await page.emulateMedia({ colorScheme })
      await page.locator('.weeks').waitFor()
      const earlier = page.getByRole('button', { name: 'Earlier weeks' })
      if (await earlier.isVisible()) await earlier.click()
      await page.locator('.uncounted').first().waitFor()
      await page.locator('.hour-cell.ran').first().waitFor()
      expect(await seriousFindings(page), `${width} ${colorScheme}`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width}`).to.be.at.most(0)
      await keepPicture(page, `calendar ${width} ${colorScheme}`)
      await page.getByRole('region', { name: 'Hours of a week' }).scrollIntoViewIfNeeded()
      await page.locator('.week-hours').evaluate((it) => (it as unknown as { scrollIntoView(): void }).scrollIntoView())
      await keepPicture(page, `calendar hours ${width} ${colorScheme}`)
      await page.evaluate('scrollTo(0, 0)')
    }
  })
})
