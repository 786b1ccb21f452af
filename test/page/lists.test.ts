/** What the lists of the page have, and where they lead: runs, queues, charts and definitions. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { livePage } from '../support/page/live-page.ts'

/** The second hour of a year, wherever browser and engine think they are. */
const NEXT_YEAR = /(?:Dec 31|Jan 01|Jan 02).* \d\d:00:00/

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })

  it('lists runs as they come, by name and status, and leads to them', async () => {
    await visit('#/runs')
    await page.getByRole('heading', { name: 'Runs' }).waitFor()
    const dagRunId = await api.started('failing', { dagRunId: 'seen-live' })
    await page.getByRole('row', { name: /seen-live/ }).waitFor()
    await page.getByLabel('Status').selectOption('failed')
    await page.getByLabel('Name').fill('fail')
    await page.waitForURL(/name=fail/)
    await page.locator('tr:has-text("seen-live") .status.s-failed').waitFor()
    expect(await page.locator('tbody .status.s-succeeded').count()).to.equal(0)
    await page.locator('tr:has-text("seen-live") a').click()
    await page.waitForURL(new RegExp(`#/runs/failing/${dagRunId}`))
  })

  it('runs come in parts: the newest first, older ones when somebody wants them', async () => {
    const ids = Array.from({ length: 53 }, (_, at) => `part-${at}`)
    for (const dagRunId of ids)
      await api.startedInline({ spec: 'maxActiveRuns: 100\nsteps: ["true"]', name: 'parts', dagRunId })
    await visit('#/runs?name=parts')
    await page.getByRole('row', { name: /part-52/ }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(50)
    await button('Older runs').click()
    await page.getByRole('row', { name: /part-0\b/ }).waitFor()
    expect(await page.locator('tbody tr').count()).to.equal(53)
    await button('Older runs').waitFor({ state: 'detached' })
  })

  it('says of a queue why the first run that waits in it has to, and which run holds it back', async () => {
    const running = await api.started('slow')
    const { dagRunId } = (await api.call('POST', '/dags/slow/enqueue', { body: {} })).json
    await visit('#/queues')
    const why = page.getByRole('region', { name: 'Why it waits' })
    await why.getByText('1 run of slow is running (maxActiveRuns 1)').waitFor()
    expect(await why.getByRole('link').getAttribute('href')).to.equal(`#/runs/slow/${running}`)
    await api.call('POST', `/dag-runs/slow/${dagRunId}/dequeue`)
    await why.waitFor({ state: 'detached' })
    await api.call('POST', `/dag-runs/slow/${running}/stop`)
    await api.ended('slow', running)
  })

  it('draws every chart by itself, the scheduler and the queue, too; a state tells what it is for', async () => {
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

  it('tells when a definition runs next, in the list and on its own page', async () => {
    api.write('nightly', 'schedule: "0 2 1 1 *"\nsteps: ["true"]')
    await visit('#/definitions')
    await page.getByRole('row', { name: NEXT_YEAR }).waitFor()
    await visit('#/definitions/nightly')
    await page.locator('.facts').getByText(NEXT_YEAR).waitFor()
    await page.getByText('0 2 1 1 *').waitFor()
  })

  it('shows the problems of a definition beside their lines', async () => {
    await visit('#/definitions/broken')
    const bad = page.locator('.spec .bad')
    await bad.waitFor()
    expect(await bad.textContent()).to.match(/^4 {4}colour: red.*colour/)
  })

  it('a tag that no definition has any more is still said to be what is filtered by; a new one can be chosen', async () => {
    const choice = page.getByLabel('Tag')
    await visit('#/definitions?tag=gone')
    await page.getByText('No definition matches.').waitFor()
    expect(await choice.inputValue()).to.equal('gone')
    api.write('labelled', 'tags: [fresh]\nsteps: ["true"]')
    await choice.locator('option', { hasText: 'fresh' }).waitFor({ state: 'attached' })
    await choice.selectOption('fresh')
    await page.getByRole('link', { name: 'labelled' }).waitFor()
  })

  it('a page of definitions beyond the last is the last', async () => {
    await visit('#/definitions?page=7')
    await page.getByRole('link', { name: 'report' }).waitFor()
  })
})
