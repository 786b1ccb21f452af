/** What a narrow window must still show. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../support/long.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › a narrow window', () => {
  let page: Page
  let dagRunId: string
  const { api, visit } = livePage((opened) => {
    page = opened
  })
  before(async () => {
    const steps = ['extract-customers', 'transform-customers', 'publish-customers']
    api.write('parts', `steps:\n${steps.map((name) => `  - {name: ${name}, command: "true"}\n`).join('')}`)
    await api.ended('parts', await api.started('parts'))
    dagRunId = await api.started('parts')
    await api.ended('parts', dagRunId)
  })
  const isAcross = (selector: string, box: string) =>
    eventually(`${selector} in sight`, () =>
      page.evaluate<boolean | undefined>(`(() => {
        const [one, all] = [${JSON.stringify(selector)}, ${JSON.stringify(box)}].map((it) => document.querySelector(it)?.getBoundingClientRect())
        return (one && all && one.left >= all.left - 1 && one.right <= all.right + 1) || undefined
      })()`)
    )

  it('at 390 px the chosen tab is in sight, and the page has not moved', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    for (const view of ['compare', 'logs', 'graph']) {
      await visit(runAddress('parts', dagRunId, `?view=${view}`))
      await page.getByRole('tab', { name: view, exact: false }).waitFor()
      await isAcross('.views [aria-selected="true"]', '.views .tab-row')
      expect(await page.evaluate('scrollY')).to.equal(0)
    }
    await visit('#/definitions/parts?tab=durations')
    await isAcross('.views [aria-selected="true"]', '.views .tab-row')
  })

  itLong('at 390 px values without the heads of their columns have names', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    const named = (cell: string) =>
      page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(cell)}), '::before').content`)
    await visit('#/definitions/parts?tab=durations')
    await page.getByRole('row', { name: /extract-customers/ }).waitFor()
    expect(await named('tbody td:nth-child(5)')).to.equal('"p95"')
    await visit(runAddress('parts', dagRunId, '?view=compare'))
    await page
      .getByRole('region', { name: 'Steps' })
      .getByRole('row', { name: /extract-customers/ })
      .waitFor()
    expect(await named('[aria-label="Steps"] tbody td:nth-child(3)')).to.equal('"This run"')
  })

  it('at 390 px the words of the message that is shown are in sight, however far its arrow goes', async () => {
    await page.setViewportSize({ width: 390, height: 844 })
    await visit(runAddress('parts', dagRunId, '?view=messages'))
    const list = page.getByRole('listbox', { name: 'Messages' })
    await list.getByRole('option').first().waitFor()
    await list.press('Home')
    await page.waitForURL(/at=\d+/)
    for (let press = 0; press < 8; press++) {
      await isAcross('[aria-selected="true"] .message-words', '.sequence')
      const before = page.url()
      await list.press('ArrowDown')
      await page.waitForURL((url) => url.href !== before)
    }
  })

  itLong('at 1024 px names in the table of steps are broken at most where they have a hyphen', async () => {
    await page.setViewportSize({ width: 1024, height: 800 })
    for (const view of ['steps', 'compare']) {
      await visit(runAddress('parts', dagRunId, `?view=${view}`))
      const name = page.getByRole('row', { name: /transform-customers/ }).getByText('transform-customers')
      await name.waitFor()
      const lines = await name.evaluate(linesOf)
      expect(lines, view).to.be.at.most(2)
    }
  })
})

/** Runs in the page. */
const linesOf = (element: { getClientRects(): { length: number } }): number => element.getClientRects().length
