/** A connection that is cut and comes back: the page says so, loses nothing and catches up. Source: docs/page.md "Without a connection". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { type Cable, openCable } from '../support/cable.ts'
import { itLong, onlyLast } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

const SILENT = 'The server does not answer.'

describe('page › a connection that is cut', () => {
  let page: Page
  let cable: Cable
  const { api, button } = livePage((opened) => {
    page = opened
  })
  beforeEach(async () => {
    cable = await openCable(api.port)
  })
  afterEach(() => cable.close())
  const visit = (hash: string) => page.goto(`http://127.0.0.1:${cable.port}/${hash}`)
  const says = () => page.getByText(SILENT).first().waitFor()
  const numbers = async () =>
    (await page.locator('.log-text').allTextContents()).map((text) => Number(/line (\d+)/.exec(text)?.[1]))
  const isComplete = (all: readonly number[]) =>
    all.every((number, at) => at === 0 || number === (all[at - 1] ?? 0) + 1)

  for (const [what, query] of onlyLast([
    ['the log of a step', '?step=talk&side=out'],
    ['the logs of all steps', '?view=logs']
  ] as const))
    it(`${what}: says so, keeps what is there, and goes on without a gap`, async () => {
      const dagRunId = await api.started('slow')
      await visit(runAddress('slow', dagRunId, query))
      await page.getByText('line 3 ').first().waitFor()
      cable.cut()
      await says()
      const before = (await numbers()).at(-1) ?? 0
      expect(before).to.be.at.least(3)
      await keepPicture(page, `offline ${what}`)
      expect(await seriousFindings(page)).to.deep.equal([])
      cable.mend()
      await page.getByText(SILENT).first().waitFor({ state: 'detached' })
      await eventually('more lines', async () => ((await numbers()).at(-1) ?? 0) > before + 5 || undefined)
      expect(isComplete(await numbers()), String(await numbers())).to.equal(true)
      await api.call('POST', `/dag-runs/slow/${dagRunId}/stop`)
      await api.ended('slow', dagRunId)
    })

  it('a list says so, and has what happened meanwhile when it is back', async () => {
    await visit('#/runs?name=failing')
    const mark = page.locator('.top .connection')
    await mark.getByText('Live').waitFor()
    cable.cut()
    await mark.getByText('Connection lost, retrying').waitFor()
    await api.ended('failing', await api.started('failing', { dagRunId: 'meanwhile' }))
    cable.mend()
    await mark.getByText('Live').waitFor()
    await page.getByRole('row', { name: /meanwhile.*Failed|Failed.*meanwhile/ }).waitFor()
  })

  itLong('an action says that it could not be done, and can be done when the server is back', async () => {
    const dagRunId = await api.started('slow')
    await visit(runAddress('slow', dagRunId))
    await page.locator('.connection.live').waitFor()
    await button('Stop').click()
    cable.cut()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click()
    await page.locator('.notice.failed').getByText(SILENT).waitFor()
    cable.mend()
    await page.locator('.connection.live').waitFor()
    if (!(await page.getByRole('dialog').isVisible())) await button('Stop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click()
    await page.locator('.run-head .status.s-canceled').waitFor()
  })

  it('a text in the editor stays, and is saved when the server is back', async () => {
    api.write('kept', 'steps:\n  - name: a\n    command: "true"\n')
    await visit('#/definitions/kept/edit')
    await page.locator('.cm-content').press('Control+End')
    cable.cut()
    await page.keyboard.type('tags: [later]')
    await page.getByText('Not saved; kept in this browser').waitFor()
    await says()
    cable.mend()
    await page.keyboard.type('\n')
    await page.getByText('No problems').waitFor()
    await page.keyboard.press('Control+s')
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('kept is saved.').waitFor()
    expect((await api.get('/dags/kept/spec')).spec).to.contain('later')
  })

  itLong('the browser itself is offline and online again: the connection is made at once', async () => {
    await visit('#/runs')
    const mark = page.locator('.top .connection')
    await mark.getByText('Live').waitFor()
    await page.context().setOffline(true)
    cable.cut()
    await mark.getByText('Connection lost, retrying').waitFor()
    cable.mend()
    await page.context().setOffline(false)
    await mark.getByText('Live').waitFor()
  })
})
