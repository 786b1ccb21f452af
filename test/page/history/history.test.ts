/** Back and Forward of the browser, and where the focus is after a change of the view. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../support/long.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

const PART = 50
const PARTS = 4

describe('page › the history of the browser', () => {
  let page: Page
  const { api, visit, button, box } = livePage((opened) => {
    page = opened
  })

  /** Answers the list of runs with several parts of made-up ones. */
  async function manyRuns(parts: number): Promise<void> {
    const run = (at: number) => ({
      name: 'report',
      dagRunId: `made-up-${at}`,
      rootDAGRunName: 'report',
      rootDAGRunId: `made-up-${at}`,
      parentDAGRunName: '',
      parentDAGRunId: '',
      status: 4,
      statusLabel: 'succeeded',
      params: '',
      attempt: 1,
      queuedAt: '',
      startedAt: '2026-01-01T00:00:00Z',
      finishedAt: '2026-01-01T00:00:05Z'
    })
    await page.route(/\/dag-runs\?/, (route) => {
      const part = Number(new URL(route.request().url()).searchParams.get('cursor') ?? 0)
      const dagRuns = Array.from({ length: PART }, (_, at) => run(part * PART + at))
      const body = JSON.stringify({ dagRuns, nextCursor: part + 1 < parts ? String(part + 1) : null })
      return route.fulfill({ contentType: 'application/json', body })
    })
  }

  it('Back to a list shows all rows that were loaded, as far down as it was', async () => {
    await manyRuns(PARTS)
    await visit('#/runs')
    const rows = page.locator('table.runs tbody tr')
    for (let part = 1; part < PARTS; part++) {
      await rows.nth(part * PART - 1).scrollIntoViewIfNeeded()
      await rows.nth((part + 1) * PART - 1).waitFor()
    }
    const link = page.getByRole('row', { name: /made-up-170/ }).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    const before = await page.evaluate<number>('scrollY')
    await link.click()
    await page.getByText('All runs').waitFor()
    expect(await page.evaluate('scrollY')).to.equal(0)
    await page.goBack()
    await rows.nth(PARTS * PART - 1).waitFor()
    expect(before).to.be.greaterThan(1_000)
    await eventually(
      'as far down',
      async () => Math.abs((await page.evaluate<number>('scrollY')) - before) <= 5 || undefined
    )
  })

  itLong('of thousands of runs those near the window are in the document; Back is as far down as it was', async () => {
    const many = 2_000
    await manyRuns(many / PART)
    await visit('#/runs')
    const row = (at: number) => page.getByRole('row', { name: new RegExp(`made-up-${at}\\b`) })
    await row(0).waitFor()
    await eventually('the last of them', async () => {
      await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
      return (await row(many - 1).count()) > 0 || undefined
    })
    expect(await row(0).count(), 'the first').to.equal(0)
    expect(await page.locator('table.runs tbody tr:not(.gap)').count()).to.be.below(150)
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight / 2)')
    const link = row(1_000).getByRole('link')
    await link.scrollIntoViewIfNeeded()
    const middle = await page.evaluate<number>('scrollY')
    await link.click()
    await page.getByText('All runs').waitFor()
    await page.goBack()
    await eventually(
      'as far down',
      async () => Math.abs((await page.evaluate<number>('scrollY')) - middle) <= 5 || undefined
    )
    await link.waitFor()
    await page.evaluate('scrollTo(0, 0)')
    await row(0).waitFor()
    // A link that has the focus stays when it is scrolled away.
    await row(3).getByRole('link').focus()
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    await row(many - 1).waitFor()
    expect(await page.evaluate('document.activeElement.href')).to.contain('made-up-3')
  })

  it('Back undoes the choice of a step, of a tab, of a filter and of a moment, one after the other', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit('#/runs')
    await page.getByLabel('Name').pressSequentially('fail')
    await page.waitForURL(/name=fail$/)
    await button('Failed').click()
    await page.waitForURL(/status=2/)
    await page.goBack()
    await page.waitForURL((url) => !url.href.includes('status'))
    await page.goBack()
    await page.waitForURL((url) => url.hash === '#/runs')
    await visit(runAddress('failing', dagRunId))
    await page.waitForURL(/step=breaks/)
    await box('after').click()
    await page.waitForURL(/step=after/)
    await page.getByRole('tab', { name: 'Errors' }).click()
    await page.waitForURL(/side=err/)
    await button('First event').click()
    await page.waitForURL(/at=1/)
    await button('Next event').click()
    await page.waitForURL(/at=2/)
    await page.goBack()
    await page.waitForURL((url) => !url.href.includes('at=') && url.href.includes('side=err'))
    await page.goBack()
    await page.waitForURL((url) => !url.href.includes('side=') && url.href.includes('step=after'))
    await page.goBack()
    await page.waitForURL((url) => url.hash === runAddress('failing', dagRunId, '?step=breaks'))
  })

  itLong(
    'after a change of the view the focus is on its heading, which is read; a choice in the view leaves it',
    async () => {
      const dagRunId = await api.started('failing')
      await api.ended('failing', dagRunId)
      const heading = () =>
        page.evaluate<string>('document.activeElement?.tagName + " " + document.activeElement?.textContent')
      await visit('#/runs')
      await page.getByRole('link', { name: 'Definitions' }).click()
      await page.locator('h1:focus', { hasText: 'Definitions' }).waitFor()
      await page.getByRole('link', { name: 'failing' }).click()
      await page.locator('h1:focus', { hasText: 'failing' }).waitFor()
      const tab = page.getByRole('tab', { name: 'Runs' })
      await tab.click()
      await page.waitForURL(/tab=runs/)
      expect(await heading()).to.equal('BUTTON Runs')
    }
  )
})
