/** The lists of the page and their links: runs, queues, charts and definitions. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, ofAll, onlyLast } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { heldAnswers } from '../support/page/held-answers.ts'
import { hurry } from '../support/page/hurried.ts'
import { livePage } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

/** The second hour of a year, wherever browser and engine think they are. */
const NEXT_YEAR = /(?:Dec 31|Jan 01|Jan 02).* \d\d:00:00/
const SCREENS = [
  [1440, 'light'],
  [1024, 'dark'],
  [720, 'dark'],
  [390, 'light'],
  [320, 'dark']
] as const

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })
  /** The button of a filter. */
  const status = (name: string) =>
    page.getByRole('group', { name: 'Status' }).getByRole('button', { name, exact: true })

  /** A phone has them behind a button. */
  const openFilters = async () => {
    const opener = page.getByRole('button', { name: /^Filter/, expanded: false })
    if (await opener.isVisible()) await opener.click()
  }

  it('lists runs live, by name and status, and links to them', async () => {
    await visit('#/runs')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    const dagRunId = await api.started('failing', { dagRunId: 'seen-live' })
    await page.getByRole('row', { name: /seen-live/ }).waitFor()
    await status('Failed').click()
    await page.getByLabel('Name').fill('fail')
    await page.waitForURL(/name=fail/)
    await page.locator('tr:has-text("seen-live") .status.s-failed').waitFor()
    expect(await page.locator('tbody .status.s-succeeded').count()).to.equal(0)
    await page.locator('tr:has-text("seen-live") a').click()
    await page.waitForURL(new RegExp(`#/runs/failing/${dagRunId}`))
  })

  it('filters by several statuses at once: each is one press, in the address, and one press takes it back', async () => {
    const specs = { failed: 'steps: [exit 1]', succeeded: 'steps: ["true"]', running: 'steps: [sleep 600]' }
    for (const [name, spec] of Object.entries(specs)) {
      await api.startedInline({ name: `kind-${name}`, spec, dagRunId: name })
      if (name !== 'running') await api.ended(`kind-${name}`, name)
    }
    await visit('#/runs?name=kind-')
    const shown = (...names: string[]) =>
      eventually(`${names}`, async () => {
        const found = await page.locator('table.runs tbody .run-id').allTextContents()
        return found.sort().join() === names.sort().join() || undefined
      })
    await shown('failed', 'running', 'succeeded')
    await status('Failed').click()
    await shown('failed')
    await status('Running').press('Enter')
    await shown('failed', 'running')
    expect(new URL(page.url()).hash).to.equal('#/runs?name=kind-&status=2&status=1')
    for (const [width, colorScheme] of onlyLast(SCREENS)) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      expect(await seriousFindings(page), `${width} px`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width} px`).to.equal(0)
      const bar = await page.getByRole('navigation', { name: 'Views' }).boundingBox()
      expect(bar?.height, `no word is broken, ${width} px`).to.be.below(44)
      await keepPicture(page, `several statuses ${width} ${colorScheme}`)
    }
    await page.reload()
    await shown('failed', 'running')
    await openFilters()
    expect(await status('Failed').getAttribute('aria-pressed')).to.equal('true')
    await status('Failed').click()
    await shown('running')
    await page.goBack()
    await shown('failed', 'running')
    await status('Any status').click()
    await shown('failed', 'running', 'succeeded')
    await api.call('POST', '/dag-runs/kind-running/running/stop')
    await api.ended('kind-running', 'running')
  })

  itLong('finds runs by id, parameter, period and trigger; every filter is in the address', async () => {
    await api.ended('failing', await api.started('failing', { dagRunId: 'wanted-1' }))
    await visit('#/runs?period=1h&trigger=api&dagRunId=wanted')
    const row = page.getByRole('row', { name: /wanted-1/ })
    await row.getByText('API').waitFor()
    expect((await row.boundingBox())?.height).to.be.at.most(40)
    await page.getByLabel('Trigger').selectOption('Schedule')
    await page.getByText('No matching runs.').waitFor()
    expect(page.url()).to.contain('trigger=schedule').and.contain('period=1h')
  })

  it('compares a failed run with its last success: the parameter, the step and the event at which they part', async () => {
    api.write('parted', 'params: N=1\nsteps: [{name: check, command: test "$N" = 1}]')
    await api.ended('parted', await api.started('parted', { dagRunId: 'fine' }))
    await api.ended('parted', await api.started('parted', { dagRunId: 'off', params: 'N=2' }))
    await visit('#/runs/parted/off?view=compare')
    expect(await page.getByLabel('Compare with').inputValue()).to.equal('fine')
    const parameters = page.getByRole('region', { name: 'Parameters' })
    await parameters.getByRole('row', { name: 'N 1 2' }).waitFor()
    await page
      .getByRole('region', { name: 'Steps' })
      .getByRole('row', { name: /check.*Succeeded.*Failed/ })
      .waitFor()
    await page.getByRole('link', { name: /attempt.ended to failed/ }).click()
    await page.waitForURL(/at=\d+&step=check/)
  })

  it('runs come in parts: the newest first, older ones when their end comes near, or by a button when that has failed', async () => {
    const ids = Array.from({ length: 53 }, (_, at) => `part-${at}`)
    for (const dagRunId of ids)
      await api.startedInline({ spec: 'maxActiveRuns: 100\nsteps: ["true"]', name: 'parts', dagRunId })
    await visit('#/runs?name=parts')
    await page.getByRole('row', { name: /part-52/ }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(50)
    await page.route(/cursor=/, (route) => route.abort())
    await page.keyboard.press('End')
    await page.getByRole('status').getByText('The server does not answer.').waitFor()
    await page.unroute(/cursor=/)
    await button('Older runs').click()
    await page.getByRole('row', { name: /part-0\b/ }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(53)
    await button('Older runs').waitFor({ state: 'detached' })
    // New ones push some of the first part out of it, which is read again: also those that come while that is read.
    const late = Array.from({ length: ofAll(5, 60) }, (_, at) => `late-${at}`)
    const more = async (ids: readonly string[]) => {
      for (const dagRunId of ids)
        await api.startedInline({ spec: 'maxActiveRuns: 100\nsteps: ["true"]', name: 'parts', dagRunId })
      await page.getByRole('row', { name: new RegExp(`${ids.at(-1)}\\b`) }).waitFor()
    }
    const between = await heldAnswers(page, /cursor=/)
    await more(late.slice(0, 1))
    await between.asked
    await more(late.slice(1))
    await between.release()
    await eventually('all of them are there, once', async () => {
      const shown = await page.locator('table.runs').getAttribute('aria-rowcount')
      return shown === String(1 + 53 + late.length) || undefined
    })
  })

  it('explains why the first waiting run of a queue waits, and links to the run that blocks it', async () => {
    const running = await api.started('slow')
    const { dagRunId } = (await api.call('POST', '/dags/slow/enqueue', { body: {} })).json
    await hurry(page)
    await visit('#/queues')
    const why = page.getByRole('region', { name: 'Why it is waiting' })
    await why.getByText('1 run of slow is running (maxActiveRuns 1)').waitFor()
    expect(await why.getByRole('link').getAttribute('href')).to.equal(`#/runs/slow/${running}`)
    await api.call('POST', `/dag-runs/slow/${dagRunId}/dequeue`)
    await why.waitFor({ state: 'detached' })
    await api.call('POST', `/dag-runs/slow/${running}/stop`)
    await api.ended('slow', running)
  })

  itLong('draws every chart, scheduler and queue included; a state shows its description', async () => {
    const { machines } = (await api.call('GET', '/machines')).json
    for (const { id, description } of machines) {
      await visit(`#/machines/${id}`)
      await page.getByText(description).waitFor()
      const chart = (await api.call('GET', `/machines/${id}`)).json
      const [state] = chart.states
      const drawn = page.locator(`.state[data-state="${state.path}"]`)
      await drawn.focus()
      await page.keyboard.press('Enter')
      await page
        .getByRole('region', { name: `State ${state.path}` })
        .getByText(state.description)
        .waitFor()
    }
    expect(machines.map(({ id }: { id: string }) => id)).to.include.members(['run', 'node', 'queue', 'scheduler'])
  })

  it('shows the next run of a definition, in the list and on its page', async () => {
    api.write('nightly', 'schedule: "0 2 1 1 *"\nsteps: ["true"]')
    await visit('#/definitions')
    await page.getByRole('row', { name: NEXT_YEAR }).waitFor()
    await visit('#/definitions/nightly')
    const starts = page.locator('.next-start')
    await starts.first().getByText(NEXT_YEAR).waitFor()
    expect(await starts.count()).to.equal(5)
    await page.getByText('0 2 1 1 *').waitFor()
  })

  it('sorts definitions by a press on the head of a column, over all pages; another press turns the order around', async () => {
    api.write('sorted-a', 'steps: ["true"]')
    api.write('sorted-b', 'steps: [exit 1]')
    api.write('sorted-c', 'schedule: "CRON_TZ=America/New_York 0 2 * * 1-5"\nsteps: ["true"]')
    await api.ended('sorted-b', await api.started('sorted-b'))
    await api.ended('sorted-a', await api.started('sorted-a'))
    await visit('#/definitions?name=sorted-')
    const shown = (...letters: string[]) =>
      eventually(`${letters}`, async () => {
        const found = await page.locator('table.definitions tbody th a').allTextContents()
        return found.join() === letters.map((it) => `sorted-${it}`).join() || undefined
      })
    const head = (name: string) => page.getByRole('columnheader', { name })
    await shown('a', 'b', 'c')
    await button('Latest run').click()
    await shown('a', 'b', 'c')
    expect(await head('Latest run').getAttribute('aria-sort')).to.equal('descending')
    await button('Latest run').press('Enter')
    await shown('b', 'a', 'c')
    expect(await head('Latest run').getAttribute('aria-sort')).to.equal('ascending')
    expect(new URL(page.url()).hash).to.equal('#/definitions?name=sorted-&sort=latestRun&order=asc')
    await button('Definition').click()
    await button('Definition').click()
    await shown('c', 'b', 'a')
    await button('Status').click()
    await shown('b', 'a', 'c')
    expect(await head('Definition').getAttribute('aria-sort')).to.equal(null)
    await page.goBack()
    await shown('c', 'b', 'a')
    for (const [width, colorScheme] of onlyLast(SCREENS)) {
      await page.setViewportSize({ width, height: 844 })
      await page.emulateMedia({ colorScheme })
      expect(await seriousFindings(page), `${width} px`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width} px`).to.equal(0)
      await keepPicture(page, `sorted definitions ${width} ${colorScheme}`)
    }
    // No heads there.
    await openFilters()
    await page.getByLabel('Order').selectOption('By latest run')
    await shown('a', 'b', 'c')
  })

  itLong('shows the problems of a definition at their lines', async () => {
    await visit('#/definitions/broken')
    const bad = page.locator('.spec .bad')
    await bad.waitFor()
    expect(await bad.textContent()).to.match(/^4 {4}colour: red.*colour/)
  })

  itLong('a tag that no definition has any more stays selected as the filter; a new one can be chosen', async () => {
    const choice = page.getByLabel('Tag')
    await hurry(page)
    await visit('#/definitions?tag=gone')
    await page.getByText('No matching definitions.').waitFor()
    expect(await choice.inputValue()).to.equal('gone')
    api.write('labelled', 'tags: [fresh]\nsteps: ["true"]')
    await choice.locator('option', { hasText: 'fresh' }).waitFor({ state: 'attached' })
    await choice.selectOption('fresh')
    await page.getByRole('link', { name: 'labelled' }).waitFor()
  })

  itLong('a page of definitions beyond the last is the last', async () => {
    await visit('#/definitions?page=7')
    await page.getByRole('link', { name: 'report' }).waitFor()
  })
})
