/** What is around a view: the runs beside a run, whether a list is live, what another tab has changed. Source: docs/page.md "Views". */
import type { Page } from 'playwright-core'
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
    await visit(runAddress('failing', ids[1] ?? ''))
    await page.getByRole('link', { name: 'Definition', exact: true }).waitFor()
    await page.getByRole('link', { name: 'Previous run' }).click()
    await page.waitForURL((url) => url.href.includes(ids[0] ?? '?'))
    await page.getByRole('link', { name: 'Next run' }).click()
    await page.waitForURL((url) => url.href.includes(ids[1] ?? '?'))
    await page.getByRole('link', { name: 'Next run' }).click()
    await page.waitForURL((url) => url.href.includes(ids[2] ?? '?'))
  })

  it('a list says that it is live, and when the connection is lost', async () => {
    await visit('#/runs')
    const mark = page.locator('.top .connection')
    await mark.getByText('Live').waitFor()
    await page.context().setOffline(true)
    await mark.getByText('Connection lost, retrying').waitFor()
    await page.context().setOffline(false)
    await mark.getByText('Live').waitFor()
    await page.getByRole('link', { name: 'Machines' }).click()
    await mark.waitFor({ state: 'detached' })
  })

  it('what one tab has changed is seen in another one', async () => {
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
