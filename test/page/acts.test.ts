/** What the page lets somebody do with a run or a definition, and what may not be done now. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, is, runIs, button } = livePage((opened) => {
    page = opened
  })

  /** The page shows the end of the attempt of now: what it showed may be of the one before, and a click then is "not now". */
  const settled = (name: string, dagRunId: string) => api.ended(name, dagRunId).then(() => page.reload())

  it('sets the status of a step, runs it again, retries a run and runs it anew', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId, '?step=breaks'))
    await page.getByLabel('Status to set').selectOption('succeeded')
    await button('Set status').click()
    await is('breaks', 'succeeded')
    await button('Run this step again').click()
    await settled('failing', dagRunId)
    await is('breaks', 'failed')
    await button('Retry').click()
    await page.getByText('It runs again from where it failed.').waitFor()
    await settled('failing', dagRunId)
    await runIs('failed')
    await button('Rerun').click()
    await page.waitForURL((url) => !url.href.includes(dagRunId))
    await is('breaks', 'failed')
  })

  it('a run that ends while the page asks for it is shown as ended, with what may be done then', async () => {
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

  it('7.3.6 a stop cuts no handler short; one by force kills it', async () => {
    api.write('lingering', 'handlerOn: {cancel: sleep 60}\nsteps: [sleep 60]')
    const dagRunId = await api.started('lingering')
    await visit(runAddress('lingering', dagRunId))
    await runIs('running')
    const stopped = async (force: boolean) => {
      await button('Stop').click()
      if (force) await page.getByLabel('Kill what is running, handlers included').check()
      await button(force ? 'Kill the run' : 'Stop the run').click()
    }
    await stopped(false)
    await page.getByText('It has been asked to stop.').waitFor()
    await eventually('the handler', async () => {
      const { onCancel } = (await api.call('GET', `/dag-runs/lingering/${dagRunId}`)).json.dagRun
      return onCancel?.statusLabel === 'running' || undefined
    })
    await stopped(true)
    expect((await api.ended('lingering', dagRunId)).onCancel.statusLabel).to.equal('canceled')
    await runIs('canceled')
  })

  it('shows what is not possible now, greyed and with its reason', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId))
    const stop = button(/^Stop/)
    expect(await stop.getAttribute('aria-disabled')).to.equal('true')
    await stop.click({ force: true })
    await page.getByText('Not now: it is failed.').waitFor()
    await visit('#/definitions')
    expect(await button(/^Start broken/).getAttribute('title')).to.equal('it has problems')
  })

  it('puts a run into its queue, and suspends a definition and lets it go on', async () => {
    await visit('#/definitions/failing')
    await button('Start').click()
    await page.getByLabel(/Wait in the queue/).check()
    await button('Put into the queue').click()
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
