/** What is around a view: the runs beside a run, whether a list is live, what another tab has changed. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'

describe('page › around a view', () => {
  let page: Page
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })

  it('a run leads to the one before and the one after it, and to its definition', async () => {
    const ids: string[] = []
    for (let at = 0; at < 3; at++) {
      ids.push(await api.started('failing'))
      await api.ended('failing', ids[at] ?? '')
    }
    const isShown = (at: number) =>
      page
        .locator('.crumbs')
        .getByRole('button', { name: ids[at] ?? '?' })
        .waitFor()
    await visit(runAddress('failing', ids[1] ?? ''))
    const crumb = page.locator('.crumbs').getByRole('link', { name: 'failing', exact: true })
    expect(await crumb.getAttribute('href')).to.equal('#/definitions/failing')
    await page.getByRole('link', { name: 'Previous run' }).click()
    await isShown(0)
    await page.getByRole('link', { name: 'Next run' }).click()
    await isShown(1)
    await page.getByRole('link', { name: 'Next run' }).click()
    await isShown(2)
  })

  it('a definition leads to its queue, and says nothing of reasons as long as all is well', async () => {
    api.write('healthy', 'queue: of-its-own\nsteps: [{name: a, command: sleep 60}]\n')
    await visit('#/definitions/healthy')
    await page.locator('.dag-node').first().waitFor()
    expect(await page.getByRole('region', { name: 'Why' }).count()).to.equal(0)
    const dagRunId = await api.started('healthy')
    await page.getByRole('link', { name: 'of-its-own' }).click()
    await page.getByRole('region', { name: 'Queue of-its-own' }).waitFor()
    await api.call('POST', `/dag-runs/healthy/${dagRunId}/stop`)
    await api.ended('healthy', dagRunId)
    await visit('#/definitions/broken')
    await page.locator('.spec .bad').waitFor()
    expect(await page.getByText(/colour/).count(), 'its line, and the problem below it').to.equal(2)
  })

  itLong('a list says when the connection is lost, and that it is live', async () => {
    await page.route(/\/events$/, (route) => route.abort())
    await visit('#/runs')
    const mark = page.locator('.top .connection')
    await mark.getByText('Connection lost, retrying').waitFor()
    await page.unroute(/\/events$/)
    await mark.getByText('Live').waitFor()
    await page.getByRole('link', { name: 'Machines' }).click()
    await mark.waitFor({ state: 'detached' })
  })

  itLong('what one tab has changed is seen in another one', async () => {
    api.write('timed', 'schedule: "0 2 * * *"\nsteps: ["true"]\n')
    await visit('#/definitions')
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByRole('button', { name: 'Suspend timed' }).waitFor()
    await button('Suspend timed').click()
    await other.getByRole('button', { name: 'Resume timed' }).waitFor()
    await other.close()
  })
})
