/** The palette: Ctrl-K over definitions, runs, steps and actions; `/` to the search of a view. Source: docs/page.md "Keys". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { seriousFindings } from '../../support/page/browser.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

describe('page › the palette', () => {
  let page: Page
  const { api, visit, is } = livePage((opened) => {
    page = opened
  })
  const palette = () => page.getByRole('dialog', { name: 'Go to or do' })
  /** Before something is typed: a key that comes earlier belongs to the view. */
  const openPalette = async () => {
    const field = palette().getByRole('combobox').and(page.locator(':focus'))
    // A view that is drawn anew at that moment may take the focus, or the key.
    await eventually('the palette', async () => {
      if (!(await palette().isVisible())) await page.keyboard.press('Control+k')
      return field.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => undefined
      )
    })
  }
  const option = (name: RegExp) => palette().getByRole('option', { name })
  let dagRunId: string

  before(async () => {
    dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
  })

  it('finds a definition by its name, and a run by some characters of its id', async () => {
    await visit('#/queues')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    await openPalette()
    await page.keyboard.type('repor')
    await option(/^Definition report/).waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.keyboard.press('Enter')
    await page.waitForURL(/#\/definitions\/report$/)
    await page.locator('h1:focus', { hasText: 'report' }).waitFor()
    await openPalette()
    await page.keyboard.type(dagRunId.slice(-8))
    await option(new RegExp(`^Run failing .*${dagRunId.slice(-8)}`)).waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`#/runs/failing/${dagRunId}`))
  })

  itLong('Enter before there is an answer counts as soon as there is one; another letter takes it back', async () => {
    await visit('#/queues')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    const isHeld = /\/dags\?name=repor/
    let asked = 0
    let release = () => {}
    await page.route(isHeld, async (route) => {
      asked++
      await new Promise<void>((resolve) => {
        release = resolve
      })
      await route.continue()
    })
    const untilAsked = async (times: number) => {
      await eventually('the question', () => asked === times || undefined)
      await palette().getByText('Searching…').waitFor()
    }
    await openPalette()
    await page.keyboard.type('repor')
    await untilAsked(1)
    await page.keyboard.press('Enter')
    release()
    await page.waitForURL(/#\/definitions\/report$/)
    // Where no button has the name in it.
    await page.getByRole('link', { name: 'Queues' }).click()
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    await openPalette()
    await page.keyboard.type('repor')
    await untilAsked(2)
    await page.keyboard.press('Enter')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('o')
    await page.keyboard.press('Backspace')
    release()
    await option(/^Definition report/).waitFor()
    await page.keyboard.press('Escape') // empties the field
    await page.keyboard.press('Escape')
    await palette().waitFor({ state: 'hidden' })
    await page.unroute(isHeld)
  })

  it('finds a step of the run that is shown, and does what its buttons do', async () => {
    await visit(runAddress('failing', dagRunId))
    await is('breaks', 'failed')
    await openPalette()
    await page.keyboard.type('brea')
    await option(/^Step breaks/).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('complementary', { name: 'Step breaks' }).waitFor()
    await openPalette()
    await page.keyboard.type('rerun')
    await option(/^Action Rerun$/).waitFor()
    expect(await option(/^Action Stop/).count(), 'what is not possible now').to.equal(0)
    await page.keyboard.press('Enter')
    await page.waitForURL((url) => url.href.includes('/runs/failing/') && !url.href.includes(dagRunId))
  })

  itLong('closes with Escape; `/` moves to the search of the view, and is a letter where one writes', async () => {
    await visit('#/runs')
    await page.getByLabel('Name').waitFor()
    await openPalette()
    await palette().waitFor()
    await page.keyboard.press('Escape')
    await palette().waitFor({ state: 'detached' })
    await page.keyboard.press('/')
    await page.keyboard.type('a/b')
    await page.waitForURL(/name=a%2Fb/)
    expect(await page.getByLabel('Name').inputValue()).to.equal('a/b')
  })
})
