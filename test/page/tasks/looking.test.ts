/** What an operator wants to know, each from the first screen in at most 4 clicks. Source: docs/page.md. */
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { keepPicture } from '../../support/page/browser.ts'
import { type BusyHome, busyHome } from '../../support/page/busy-home.ts'
import { type Clicks, countClicks } from '../../support/page/clicks.ts'
import { livePage } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

/** Something is counted at all. */
const LEAST_CLICKS = 1
const MOST_CLICKS = 4
const DAY_S = 24 * 3_600

describe('page › tasks: finding out', () => {
  let page: Page
  let clicks: Clicks
  let home: BusyHome
  const { api, visit, is, lit, box, button } = livePage((opened) => {
    page = opened
  })
  before(async () => {
    home = await busyHome(api)
  })
  beforeEach(async () => {
    clicks = await countClicks(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await visit('')
  })
  /** A test that ends with a look at the number of clicks. */
  const taskBy = (test: typeof itLong) => (title: string, act: () => Promise<void>) =>
    test(title, async () => {
      await act()
      await keepPicture(page, `task ${title}`)
      expect(await clicks.count(), 'clicks').to.be.within(LEAST_CLICKS, MOST_CLICKS)
    })
  const task = taskBy(it)
  /** What it does is proved by the tests of its view. */
  const taskLong = taskBy(itLong)

  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  const panel = (name: string) => page.getByRole('complementary', { name })
  const goTo = (view: string) =>
    page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: view, exact: true }).click()
  /** Of the run that failed, from what needs attention. */
  const openFailed = () =>
    page.getByRole('region', { name: 'Needs attention' }).getByRole('link', { name: 'warehouse' }).click()
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()')

  task('why did a run fail', async () => {
    await openFailed()
    await page.getByRole('region', { name: 'Why' }).getByText(/join/).first().waitFor()
    await page.getByRole('region', { name: 'First failure' }).getByText('row 17 of prices has no article').waitFor()
  })

  taskLong('which step is slow: in a run, and over all runs', async () => {
    await openFailed()
    await tab('Steps').click()
    await page.getByLabel('Longest first').click()
    await page.locator('table.steps tbody tr').first().getByText('load-prices').waitFor()
    await page.locator('.crumbs').getByRole('link', { name: 'warehouse' }).press('Enter')
    await tab('Durations').click()
    await page.getByRole('row', { name: /^load-prices/ }).waitFor()
  })

  taskLong('compare with the last success', async () => {
    await openFailed()
    await tab('Compare').click()
    expect(await page.getByLabel('Compare with').inputValue()).to.equal(home.succeeded)
    const parameters = page.getByRole('region', { name: 'Parameters' })
    await parameters.getByRole('row', { name: 'PRICES old new' }).waitFor()
  })

  task('all that failed last night', async () => {
    await page.getByRole('link', { name: /^1 failed/ }).click()
    await page.getByRole('row', { name: new RegExp(home.failed) }).waitFor()
    expect(await page.locator('table.runs tbody tr').count()).to.equal(1)
    const asked = page.waitForRequest(/\/dag-runs\?.*toDate/)
    await clicks.choose(page.getByLabel('Created'), 'Last night')
    const { searchParams } = new URL((await asked).url())
    expect(searchParams.get('status')).to.equal('2')
    expect(Number(searchParams.get('toDate')) - Number(searchParams.get('fromDate'))).to.equal(DAY_S / 2)
  })

  task('follow three logs as they are written', async () => {
    await page
      .getByRole('link', { name: /chatty/ })
      .first()
      .click()
    await page
      .getByRole('row', { name: /Running/ })
      .getByRole('link', { name: 'chatty' })
      .click()
    await tab('Logs').click()
    const lines = page.getByRole('listbox', { name: 'Lines by time' })
    const last = async () => (await lines.locator('.log-text').allTextContents()).slice(-20).join()
    await eventually('lines of all three', async () => /web.*\d/.test(await last()) || undefined)
    for (const name of ['web', 'mail', 'search']) await lines.getByText(`${name} line `).last().waitFor()
    const before = await last()
    await eventually('more lines', async () => (await last()) !== before || undefined)
    await page.getByLabel('Side by side').press('Space')
    for (const name of ['web', 'mail', 'search'])
      await page
        .getByRole('region', { name: `Output of ${name}`, exact: true })
        .getByText(`${name} line `)
        .last()
        .waitFor()
  })

  taskLong('download a log', async () => {
    await openFailed()
    await button('All of its errors').click()
    const download = page.waitForEvent('download')
    await button('Download').click()
    expect(readFileSync(await (await download).path(), 'utf8')).to.equal('row 17 of prices has no article\n')
  })

  task('copy the id of a run, and the command and the error of a step', async () => {
    await openFailed()
    await button('Copy the run ID').click()
    await eventually('the id', async () => (await copied()) === home.failed || undefined)
    await panel('Step join').waitFor()
    await button('Copy the command').click()
    await eventually('the command', async () => (await copied()).startsWith('test "$PRICES" = old') || undefined)
    await button('Copy the error').press('Enter')
    await eventually('the error', async () => (await copied()).includes('3') || undefined)
  })

  task('share a moment: its address opens the same in another browser', async () => {
    await openFailed()
    await button('First failure').click()
    await panel('Step join').waitFor()
    await page.waitForURL(/at=\d+/)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('complementary', { name: 'Step join' }).waitFor()
    await other.locator('#dag-join.s-failed').waitFor()
    await other.locator('#dag-publish.s-not_started').waitFor()
    await other.close()
  })

  taskLong('who or what triggered a run', async () => {
    await openFailed()
    await button('Close: show the run').click()
    await panel('Run').locator('.facts').getByText('Triggered by').waitFor()
    await panel('Run').locator('.facts').getByText(/API/).first().waitFor()
  })

  taskLong('what is queued, in which place, and why', async () => {
    await goTo('Queues')
    const queue = page.getByRole('region', { name: 'Queue chatty' })
    await queue
      .getByRole('row', { name: /waits-1/ })
      .getByText('1 of 2')
      .waitFor()
    await queue
      .getByRole('row', { name: /waits-2/ })
      .getByText('2 of 2')
      .waitFor()
    await queue.getByText('1 run of chatty is running (maxActiveRuns 1)').waitFor()
  })

  taskLong('the next starts of a schedule, in a zone of choice', async () => {
    await goTo('Definitions')
    await page.getByRole('link', { name: 'nightly' }).click()
    const starts = page.locator('.next-start')
    await starts.nth(4).waitFor({ state: 'attached' })
    await clicks.choose(page.getByLabel('Time zone'), 'utc')
    await starts.first().getByText('02:00 New York').waitFor()
  })

  taskLong('the latest runs of a definition as a grid', async () => {
    await goTo('Definitions')
    await page.getByRole('link', { name: 'warehouse' }).click()
    await tab('Grid').click()
    await page.getByRole('grid', { name: /warehouse/ }).waitFor()
    const cells = await page.getByRole('row', { name: /^join/ }).locator('.cell').allTextContents()
    expect(cells.join('')).to.match(/^(FSS|SSF)$/)
  })

  task('find a run by its id and by a parameter', async () => {
    await page
      .getByRole('region', { name: 'Last 24 hours' })
      .getByRole('link', { name: /warehouse/ })
      .first()
      .waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to or do' }).locator('input').fill(home.failed.slice(-6))
    await page.getByRole('option', { name: new RegExp(`^Run warehouse .*${home.failed}`) }).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(home.failed))
    await goTo('Runs')
    await page.getByPlaceholder('Parameter').focus()
    await page.keyboard.type('PRICES=new')
    await page.getByRole('row', { name: new RegExp(home.failed) }).waitFor()
    await eventually('only that', async () => (await page.locator('table.runs tbody tr').count()) === 1 || undefined)
  })

  taskLong('the statechart of a step at its failure', async () => {
    await openFailed()
    await button('First failure').click()
    await panel('Step join').waitFor()
    await tab('Chart').click()
    await lit('failed')
    await button('Previous event').click()
    await eventually(
      'another state',
      async () => (await page.locator('.state.lit[data-state="failed"]').count()) === 0 || undefined
    )
  })

  taskLong('the messages between actors, and the moment of one', async () => {
    await openFailed()
    await tab('Messages').click()
    await page
      .getByRole('option', { name: /attempt.ended/ })
      .first()
      .click()
    await page.waitForURL(/at=\d+/)
    await page.getByRole('option', { selected: true, name: /attempt.ended/ }).waitFor()
  })

  task('what an unknown state means', async () => {
    await openFailed()
    await box('join').click()
    await tab('Chart').click()
    await page.locator('.state[data-state="canceled"]').click()
    await page.getByRole('region', { name: 'State canceled' }).locator('p').first().waitFor()
  })

  task('from a line of a log to the event at which it was written', async () => {
    await openFailed()
    await button('All of its errors').click()
    await button('Link to line 1').click()
    await page.waitForURL(/at=\d+/)
    await is('publish', 'not_started')
  })
})
