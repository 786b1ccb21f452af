/** The actions on runs and definitions, and those that are disabled. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../support/long.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, is, runIs, button } = livePage((opened) => {
    page = opened
  })

  /** Reloads the page once the run has ended: it might still show the end of the previous attempt, with disabled buttons. */
  const reloadedAtEnd = (name: string, dagRunId: string) => api.ended(name, dagRunId).then(() => page.reload())

  it('sets the status of a step, reruns it, retries a run and reruns it', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId, '?step=breaks'))
    await page.getByLabel('New status').selectOption('succeeded')
    await button('Set status').click()
    await is('breaks', 'succeeded')
    await button('Rerun step').click()
    await reloadedAtEnd('failing', dagRunId)
    await is('breaks', 'failed')
    await button('Retry').click()
    await page.getByText('The run continues from where it failed.').waitFor()
    await reloadedAtEnd('failing', dagRunId)
    await runIs('failed')
    await button(/^Rerun$/).click()
    await page.waitForURL((url) => !url.href.includes(dagRunId))
    await is('breaks', 'failed')
  })

  itLong('a run that ends while the page asks for it is shown as ended, with the actions of an ended run', async () => {
    api.write('short', 'steps: ["sleep 0.5; exit 1"]')
    const dagRunId = await api.started('short')
    await page.route(/\/actors\?brief=true/, async (route) => {
      await api.ended('short', dagRunId)
      await route.continue()
    })
    await visit(runAddress('short', dagRunId))
    await runIs('failed')
    await button('Retry').and(page.locator('[aria-disabled=false]')).waitFor()
  })

  itLong('7.3.6 a stop lets handlers run to their end; a forced stop kills them', async () => {
    api.write('lingering', 'handlerOn: {cancel: sleep 60}\nsteps: [sleep 60]')
    const dagRunId = await api.started('lingering')
    await visit(runAddress('lingering', dagRunId))
    await runIs('running')
    const stopped = async (force: boolean) => {
      await button('Stop').click()
      if (force) await page.getByLabel('Kill running steps, including handlers').check()
      await button(force ? 'Kill the run' : 'Stop the run').click()
    }
    await stopped(false)
    await page.getByText('Asked the run to stop.').waitFor()
    await eventually('the handler', async () => {
      const { onCancel } = (await api.call('GET', `/dag-runs/lingering/${dagRunId}`)).json.dagRun
      return onCancel?.statusLabel === 'running' || undefined
    })
    await stopped(true)
    expect((await api.ended('lingering', dagRunId)).onCancel.statusLabel).to.equal('canceled')
    await runIs('canceled')
  })

  it('disables what is not possible now and says why', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId))
    const stop = button(/^Stop/)
    expect(await stop.getAttribute('aria-disabled')).to.equal('true')
    await stop.click({ force: true })
    await page.getByText('The status of the run is “failed”.', { exact: true }).waitFor()
    await visit('#/definitions')
    expect(await button(/^Start broken/).getAttribute('title')).to.equal('The definition has problems.')
  })

  itLong('enqueues a run, suspends a definition and resumes it', async () => {
    await visit('#/definitions/failing')
    await button('Start').click()
    await page.getByLabel(/Wait in queue/).check()
    await button('Enqueue').click()
    await page.waitForURL(/#\/runs\/failing\//)
    await page.locator('.run-head h1').waitFor()
    await visit('#/queues')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    await visit('#/definitions/failing')
    await button(/^Suspend/).click()
    await button(/^Resume/).click()
    await button(/^Suspend/).waitFor()
  })
})
