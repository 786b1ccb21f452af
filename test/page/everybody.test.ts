/** Accessibility: keys alone, small screens, light and dark, screen readers. Source: architecture 9. */
import { unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { inTurn, itLong } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, box, button } = livePage((opened) => {
    page = opened
  })

  it('works with keys alone: the graph, the tabs, the slider, a dialog', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    await visit(runAddress('report', dagRunId))
    await box('fetch').focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/step=fetch/)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/step=check/)
    expect(await page.evaluate(`document.activeElement?.id`)).to.equal('dag-check')
    await page.getByRole('tab', { name: 'Details' }).focus()
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/side=values/)
    await page.getByRole('tab', { name: 'Events' }).press('Enter')
    await page.getByRole('listbox').press('ArrowUp')
    await page.waitForURL(/at=\d+/)
    await page.getByRole('slider').press('End')
    await page.waitForURL((url) => !url.href.includes('at='))
    await visit('#/definitions/report')
    await button('Start').press('Enter')
    await page.getByRole('dialog').getByLabel('Parameters').waitFor()
    expect(await seriousFindings(page), 'the dialog').to.deep.equal([])
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('remembers the theme', async () => {
    await visit('#/runs')
    const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor')
    const system = await ground()
    await button('Theme: system').click()
    await button('Theme: light').click()
    await button('Theme: dark').waitFor()
    const dark = await ground()
    expect(dark).to.not.equal(system)
    await page.reload()
    await button('Theme: dark').waitFor()
    expect(await ground()).to.equal(dark)
  })

  const VIEWS = [
    '#/',
    '#/runs',
    '#/definitions',
    '#/queues',
    '#/machines',
    '#/definitions/report',
    '#/definitions/broken',
    '#/definitions/report?tab=durations',
    '#/definitions/failing?tab=grid',
    '#/definitions/report/edit',
    '#/definitions/broken/edit',
    '#/new-definition',
    '#/definitions?text=echo'
  ]
  const SIDES = [
    '',
    '?step=breaks',
    '?side=chart',
    '?step=breaks&side=err',
    '?view=steps',
    '?view=events&at=3',
    '?view=messages',
    '?view=logs'
  ]

  /** Each view, fully loaded; in `make test` those of one turn of several. */
  async function everyView(turn: number, turns: number, look: (view: string) => Promise<unknown>): Promise<void> {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    const views = VIEWS.concat(SIDES.map((query) => runAddress('failing', dagRunId, query)))
    for (const view of inTurn(turn, turns, views)) {
      await visit(view)
      await page.locator('h1').first().waitFor()
      await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
      await look(view)
    }
  }
  const WIDTHS = [
    [1280, 'light'],
    [390, 'dark']
  ] as const
  for (const [turn, [width, colorScheme]] of WIDTHS.entries())
    it(`at ${width} px, ${colorScheme}: there are no serious accessibility findings`, async () => {
      await page.setViewportSize({ width, height: 840 })
      await page.emulateMedia({ colorScheme })
      await everyView(turn, WIDTHS.length, async (view) => {
        await keepPicture(page, `${width} ${colorScheme} ${view.replace(/\/failing\/[^?]+/, '/run')}`)
        expect(await seriousFindings(page), view).to.deep.equal([])
      })
    })
  itLong('a wide window is used by the drawings of a run', async () => {
    const width = 2560
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await page.setViewportSize({ width, height: 1200 })
    await visit(runAddress('failing', dagRunId))
    await page.locator('.inspector').waitFor()
    expect((await page.locator('.run-parts').boundingBox())?.width).to.be.at.least(width - 210)
  })
  itLong('a name as long as the name of a file is not wider than the page', async () => {
    api.write('n'.repeat(200), 'steps: ["true"]')
    await visit('#/definitions')
    await page.getByRole('link', { name: 'nnn' }).waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.equal(0)
    unlinkSync(join(api.engine.config.dagsDir, `${'n'.repeat(200)}.yaml`))
  })

  it('nothing is wider than a screen of 320 px', async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await everyView(0, 3, async (view) => {
      expect(await page.evaluate('document.documentElement.scrollWidth'), view).to.be.at.most(320)
    })
  })
})
