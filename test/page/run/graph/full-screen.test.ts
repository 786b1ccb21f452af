/** A graph on the whole screen. Source: docs/page.md "Graphs". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, oneIn } from '../../../support/long.ts'
import { keepPicture, seriousFindings } from '../../../support/page/browser.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

const NO_API = 'delete Element.prototype.requestFullscreen'
const REFUSED = "Element.prototype.requestFullscreen = () => Promise.reject(new TypeError('not allowed'))"

describe('page › full screen', () => {
  let page: Page
  let dagRunId: string
  const { api, visit, box, button } = livePage((opened) => {
    page = opened
  })
  before(async () => {
    dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
  })
  const canvas = () => page.locator('.views .canvas')
  const full = () => canvas().getByRole('button', { name: 'Full screen' })
  const isFull = (wanted: boolean) =>
    eventually(`full: ${wanted}`, async () => {
      const { width = 0, height = 0 } = (await canvas().locator('> svg').first().boundingBox()) ?? {}
      const { width: across = 1, height: down = 1 } = page.viewportSize() ?? {}
      return (Math.abs(width - across) < 2 && Math.abs(height - down) < 2) === wanted || undefined
    })
  const heightOf = async () => (await box('breaks').boundingBox())?.height ?? 0
  const open = async () => {
    await visit(runAddress('failing', dagRunId))
    await box('breaks').waitFor()
  }

  for (const [what, script] of oneIn(2, [
    ['the browser lets it', ''],
    ['the browser has none, as on phones', NO_API],
    ['the browser refuses it', REFUSED]
  ] as const))
    it(`${what}: the graph fills the screen and grows with it; Escape leaves it as it was`, async () => {
      if (script !== '') await page.addInitScript(script)
      await open()
      const before = await heightOf()
      await full().click()
      await isFull(true)
      await eventually('a larger drawing', async () => (await heightOf()) > before * 1.2 || undefined)
      expect(await full().getAttribute('aria-pressed')).to.equal('true')
      await box('breaks').click()
      await page.waitForURL(/step=breaks/)
      await keepPicture(page, `full screen ${what}`)
      expect(await seriousFindings(page)).to.deep.equal([])
      // A browser without a window does not hear the key for its own full screen.
      if (script === '') await page.evaluate('document.exitFullscreen()')
      else await page.keyboard.press('Escape')
      await isFull(false)
      // The line around it is thicker now.
      await eventually('as large as before', async () => Math.abs((await heightOf()) - before) < 3 || undefined)
      await page.getByRole('complementary', { name: 'Step breaks' }).waitFor()
    })

  itLong('by its key, and by the palette, which is above it', async () => {
    await open()
    await box('breaks').focus()
    await page.keyboard.press('Shift+F')
    await isFull(true)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to or do' }).locator('input').fill('full')
    await page.getByRole('option', { name: 'Action Full screen' }).waitFor()
    await page.keyboard.press('Enter')
    await isFull(false)
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Go to or do' }).locator('input').fill('full')
    await page.getByRole('option', { name: 'Action Full screen' }).waitFor()
    await page.keyboard.press('Enter')
    await isFull(true)
    await button('Find a step').click()
    await page.keyboard.type('after')
    await page.keyboard.press('Enter')
    await page.waitForURL(/step=after/)
  })

  itLong('at 390 px, too', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await page.addInitScript(NO_API)
    await open()
    await full().click()
    await isFull(true)
    await keepPicture(page, 'full screen 390')
    expect(await seriousFindings(page)).to.deep.equal([])
    await full().click()
    await isFull(false)
  })
})
