/** What the page shows when something changes elsewhere, is gone or was never there, and when the connection drops. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { openCable } from '../support/cable.ts'
import { itLong } from '../support/long.ts'
import { hurry } from '../support/page/hurried.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

/** A script that makes a page visible or hidden. */
const TURNING = `
let state = 'visible'
Object.defineProperty(document, 'visibilityState', { get: () => state })
globalThis.turnTo = (next) => {
  state = next
  document.dispatchEvent(new Event('visibilitychange'))
}`

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, runIs, button } = livePage((opened) => {
    page = opened
  })

  it('a run that is removed from its queue, here or elsewhere, is gone: it is not shown as waiting', async () => {
    const first = await api.started('slow')
    const enqueued = async (): Promise<string> => (await api.call('POST', '/dags/slow/enqueue')).json.dagRunId
    const gone = (dagRunId: string) => page.locator('.empty').getByText(`no run ${dagRunId} of slow`).waitFor()
    const [here, elsewhere] = [await enqueued(), await enqueued()]
    await visit(runAddress('slow', here))
    await button('Remove from queue').click()
    await gone(here)
    await hurry(page)
    await visit(runAddress('slow', elsewhere))
    await page.reload() // an address that differs in its fragment alone loads nothing
    await runIs('queued')
    await api.call('POST', `/dag-runs/slow/${elsewhere}/dequeue`)
    await gone(elsewhere)
    await api.call('POST', `/dag-runs/slow/${first}/stop`)
    await api.ended('slow', first)
  })

  itLong('a run whose definition was renamed is gone for anyone who acts on it', async () => {
    api.write('before', 'steps: ["true"]')
    const dagRunId = await api.started('before')
    await api.ended('before', dagRunId)
    await visit(runAddress('before', dagRunId))
    await runIs('succeeded')
    expect((await api.call('POST', '/dags/before/rename', { body: { newFileName: 'behind' } })).status).to.equal(200)
    await button(/^Retry/).click()
    await page.getByRole('link', { name: 'All runs' }).waitFor()
    expect(await page.getByRole('alert').textContent()).to.contain(`no run ${dagRunId} of before`)
  })

  itLong('an ended run whose definition was renamed is not shown as it was, even without an action', async () => {
    api.write('earlier', 'steps: ["true"]')
    const dagRunId = await api.started('earlier')
    await api.ended('earlier', dagRunId)
    await hurry(page)
    await visit(runAddress('earlier', dagRunId))
    await runIs('succeeded')
    expect((await api.call('POST', '/dags/earlier/rename', { body: { newFileName: 'later' } })).status).to.equal(200)
    await page.locator('.empty').getByText(`no run ${dagRunId} of earlier`).waitFor()
    await page.getByRole('link', { name: 'All runs' }).waitFor()
  })

  it('loses nothing when the connection drops: it resumes from its latest event', async () => {
    const cable = await openCable(api.port)
    const dagRunId = await api.started('slow')
    await page.goto(`http://127.0.0.1:${cable.port}/${runAddress('slow', dagRunId, '?view=events')}`)
    await page.locator('.connection.live').waitFor()
    await page.locator('.event-seq').first().waitFor()
    const asked: number[] = []
    page.on('request', (request) => {
      if (request.url().endsWith(`/${dagRunId}/events`)) asked.push(Number(request.headers()['last-event-id']))
    })
    cable.cut()
    await page.getByText('Connection lost, retrying').waitFor()
    const { latest } = (await api.call('GET', `/dag-runs/slow/${dagRunId}/journal`)).json
    await api.call('POST', `/dag-runs/slow/${dagRunId}/stop`)
    await api.ended('slow', dagRunId)
    cable.mend()
    await runIs('canceled')
    const { events } = (await api.call('GET', `/dag-runs/slow/${dagRunId}/journal`)).json
    const shown = await eventually('all events', async () => {
      const seqs = await page.locator('.event-seq').allTextContents()
      return seqs.length === events.length ? seqs : undefined
    })
    expect(shown).to.deep.equal(events.map(({ seq }: { seq: number }) => String(seq)))
    expect(events.length).to.be.greaterThan(latest)
    // Each time it has asked for what comes after the latest event that it had (Last-Event-ID).
    expect(asked[0]).to.equal(latest)
    expect(asked.every((after) => after >= latest)).to.equal(true)
    cable.close()
  })

  itLong('ten tabs at once: hidden ones hold no connection, and catch up when they are shown', async () => {
    const context = page.context()
    // A browser without a window shows all of its tabs.
    await context.addInitScript({ content: TURNING })
    const turnTo = (tab: Page, state: string) => tab.evaluate(`turnTo('${state}')`)
    const dagRunId = await api.started('slow')
    const events = page.locator('.event-seq')
    await visit(runAddress('slow', dagRunId, '?view=events'))
    await events.first().waitFor()
    await turnTo(page, 'hidden')
    for (let count = 0; count < 9; count++) {
      const tab = await context.newPage()
      await tab.goto(`http://127.0.0.1:${api.port}/#/definitions/slow?tab=runs`)
      await tab.getByRole('link', { name: 'slow' }).first().waitFor()
      await turnTo(tab, 'hidden')
    }
    await api.call('POST', `/dag-runs/slow/${dagRunId}/stop`)
    await api.ended('slow', dagRunId)
    await turnTo(page, 'visible')
    await runIs('canceled')
    const { events: kept } = (await api.call('GET', `/dag-runs/slow/${dagRunId}/journal`)).json
    await eventually('all events', async () => (await events.count()) === kept.length || undefined)
    await context.close() // with what was added to its pages
  })

  itLong(
    'a definition that is removed while it is shown is gone; one that is written again is shown as it is',
    async () => {
      api.write('passing', 'description: The first text\nsteps: ["true"]')
      await visit('#/definitions/passing?tab=text')
      const text = page.locator('.spec')
      await text.getByText('The first text').waitFor()
      api.write('passing', 'description: Another text\nsteps: ["true"]')
      // The page refreshes with any run, and every few seconds.
      const aRun = async () => api.ended('failing', await api.started('failing'))
      await aRun()
      await text.getByText('Another text').waitFor()
      expect((await api.call('DELETE', '/dags/passing')).status).to.equal(204)
      await aRun()
      await page.getByRole('link', { name: 'All definitions' }).waitFor()
      expect(await page.getByRole('alert').textContent()).to.contain('passing')
      expect(await button(/^Start/).count()).to.equal(0)
    }
  )

  it('shows an error of the server in its own words', async () => {
    await visit('#/runs/nobody/nothing')
    await page.getByRole('alert').getByText('no run nothing of nobody').waitFor()
    await visit('#/definitions/nobody')
    await page.getByRole('alert').waitFor()
    await visit('#/nowhere')
    await page.getByText('Page not found').waitFor()
  })
})
