/** The line between the views of a run and the panel beside them. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { seriousFindings } from '../../support/page/browser.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

describe('page › the divider of a run', () => {
  let page: Page
  let dagRunId: string
  const { api, visit } = livePage((opened) => {
    page = opened
  })
  before(async () => {
    dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
  })
  const divider = () => page.getByRole('separator', { name: 'Width of the panel' })
  const width = async () => Math.round((await page.locator('.inspector').boundingBox())?.width ?? 0)

  it('is moved by keys and by the pointer, stays after a reload, and goes back to where it was at first', async () => {
    await visit(runAddress('failing', dagRunId))
    await divider().focus()
    const first = await width()
    for (let times = 0; times < 5; times++) await page.keyboard.press('ArrowLeft')
    await eventually('wider', async () => (await width()) > first + 60 || undefined)
    const wider = await width()
    const value = await divider().getAttribute('aria-valuenow')
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.reload()
    await divider().waitFor()
    expect(await width()).to.equal(wider)
    expect(await divider().getAttribute('aria-valuenow')).to.equal(value)
    const { x = 0, y = 0 } = (await divider().boundingBox()) ?? {}
    await page.mouse.move(x + 9, y + 40)
    await page.mouse.down()
    await page.mouse.move(x + 209, y + 40, { steps: 4 })
    await page.mouse.up()
    await eventually('narrower', async () => (await width()) < wider - 150 || undefined)
    await divider().focus()
    await page.keyboard.press('Enter')
    await eventually('as at first', async () => (await width()) === first || undefined)
  })

  itLong('is not there where the panel is below the views', async () => {
    await page.setViewportSize({ width: 800, height: 900 })
    await visit(runAddress('failing', dagRunId))
    await page.locator('.inspector').waitFor()
    expect(await divider().count()).to.equal(0)
  })
})
