/** Navigation: to the first failure, to the panel of a step, and back. Source: docs/page.md "Time", "Small screens". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, oneIn, onlyLast } from '../support/long.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › navigation to a step', () => {
  let page: Page
  const { api, visit, box, is, button } = livePage((opened) => {
    page = opened
  })
  const ended = async (name: string) => {
    const dagRunId = await api.started(name)
    await api.ended(name, dagRunId)
    return dagRunId
  }
  const queryOf = () => new URLSearchParams(page.url().split('?')[1])
  const panel = (step: string) => page.getByRole('complementary', { name: `Step ${step}` })
  const isInSight = (selector: string) =>
    page.evaluate<boolean>(`(() => {
      const { top, bottom } = document.querySelector(${JSON.stringify(selector)}).getBoundingClientRect()
      return top >= 0 && bottom <= innerHeight
    })()`)

  it('first failure: its step is selected in the graph, the table and the events, whatever was selected before', async () => {
    const dagRunId = await ended('failing')
    for (const view of ['graph', 'steps', 'events'])
      for (const step of oneIn(2, ['after', ''])) {
        await visit(runAddress('failing', dagRunId, `?view=${view}&step=${step}`))
        await button('First failure').click()
        await panel('breaks').waitFor()
        await panel('breaks').locator('.status.s-failed').waitFor()
        expect(queryOf().get('step'), view).to.equal('breaks')
        expect(queryOf().get('at'), view).to.match(/^\d+$/)
      }
    await visit(runAddress('failing', dagRunId))
    await button('First failure').click()
    await is('breaks', 'failed')
    await is('after', 'not_started')
  })

  it('the row of the first failure in a long table is scrolled into view', async () => {
    const others = Array.from({ length: 60 }, (_, at) => `  - {name: s${at}, command: "true"}\n`).join('')
    api.write('long', `steps:\n${others}  - {name: last, command: exit 3}\n`)
    const dagRunId = await ended('long')
    await visit(runAddress('long', dagRunId, '?view=steps'))
    await page.getByRole('row', { name: /^s0 / }).waitFor()
    await button('First failure').click()
    await panel('last').waitFor()
    await eventually(
      'the row in sight',
      async () =>
        (await page.evaluate<boolean>(`(() => {
      const row = document.querySelector('tr.chosen button').getBoundingClientRect()
      const box = document.querySelector('.rows').getBoundingClientRect()
      return row.top >= box.top && row.bottom <= box.bottom
    })()`)) || undefined
    )
  })

  itLong('a handler that failed is selected, too', async () => {
    api.write('farewell', 'steps: ["true"]\nhandlerOn: {exit: {command: exit 4}}\n')
    const dagRunId = await ended('farewell')
    await visit(runAddress('farewell', dagRunId))
    await button('First failure').click()
    await panel('onExit').locator('.status.s-failed').waitFor()
  })

  itLong('of a run that failed without a step, the run is shown at that event', async () => {
    api.write('slow-one', 'timeoutSec: 1\nsteps: [{name: sleeps, command: sleep 20}]\n')
    const dagRunId = await ended('slow-one')
    const { events } = (await api.call('GET', `/dag-runs/slow-one/${dagRunId}/journal`)).json
    const failed = events.filter(({ statusLabel }: { statusLabel?: string }) => statusLabel === 'failed')
    const first = failed.find(({ step }: { step?: string }) => step !== undefined) ?? failed[0]
    await visit(runAddress('slow-one', dagRunId, '?step=sleeps'))
    await button('First failure').click()
    await page.waitForURL(({ href }) => href.includes(`at=${first.seq}`))
    expect(queryOf().get('step')).to.equal(first.step ?? null)
  })

  for (const [where, query, opens] of onlyLast([
    ['the graph', '', () => box('breaks').click()],
    ['the table', '?view=steps', () => button('breaks').click()]
  ] as const))
    it(`at 390 px a step that is tapped in ${where} shows its panel; closing returns`, async () => {
      await page.setViewportSize({ width: 390, height: 760 })
      const dagRunId = await ended('failing')
      await visit(runAddress('failing', dagRunId, query))
      await opens()
      await panel('breaks').waitFor()
      expect(await isInSight('.inspector h2'), 'its heading is in sight').to.equal(true)
      expect(await page.evaluate('document.activeElement.textContent')).to.equal('breaks')
      await page.keyboard.press('Escape')
      await page.getByRole('complementary', { name: 'Run' }).waitFor()
      expect(await page.evaluate('document.activeElement.closest("#dag-breaks, tr") !== null'), 'focus').to.equal(true)
      expect(await isInSight(query === '' ? '#dag-breaks' : 'tbody tr:nth-child(2)'), 'the step is in sight').to.equal(
        true
      )
      await opens()
      await panel('breaks').getByRole('button', { name: 'Close' }).click()
      expect(await isInSight(query === '' ? '#dag-breaks' : 'tbody tr:nth-child(2)'), 'after the button').to.equal(true)
    })

  itLong('at 390 px the arrow keys move along the graph and stay in it', async () => {
    await page.setViewportSize({ width: 390, height: 760 })
    const dagRunId = await ended('failing')
    await visit(runAddress('failing', dagRunId))
    await box('works').focus()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/step=/)
    expect(await page.evaluate('document.activeElement.classList.contains("dag-node")')).to.equal(true)
  })

  itLong('a link to a step begins at the top of the page, and on a wide screen nothing moves', async () => {
    const dagRunId = await ended('failing')
    await page.setViewportSize({ width: 390, height: 760 })
    await visit(runAddress('failing', dagRunId, '?step=breaks'))
    await panel('breaks').waitFor()
    expect(await page.evaluate('scrollY')).to.equal(0)
    await page.setViewportSize({ width: 1280, height: 700 })
    await box('works').click()
    await panel('works').waitFor()
    expect(await page.evaluate('scrollY')).to.equal(0)
    expect(await page.evaluate('document.activeElement.id')).to.equal('dag-works')
  })

  it('a retry that a step is waiting for does not count as an attempt in the graph, the table, the panel and the reasons', async () => {
    api.write('patient', 'steps: [{name: x, command: exit 1, retryPolicy: {limit: 5, intervalSec: 3600}}]')
    const dagRunId = await api.started('patient')
    await visit(runAddress('patient', dagRunId, '?step=x'))
    await page.getByRole('button', { name: 'x, Running, Waiting for retry 1' }).waitFor()
    await panel('x').locator('.why').getByText('for retry 1 of 5').waitFor()
    await panel('x').getByText('Retry 1 of 5', { exact: true }).waitFor()
    expect(await page.getByText(/Retried|\battempts\b/i).count()).to.equal(0)
    await page.getByRole('tab', { name: 'Steps' }).click()
    await page.getByRole('row', { name: /^x Running/ }).waitFor()
    expect(await page.getByText(/\battempts\b/).count()).to.equal(0)
    await api.call('POST', `/dag-runs/patient/${dagRunId}/stop`)
    await page.getByRole('row', { name: /^x Canceled/ }).waitFor()
    await page.getByRole('tab', { name: 'Graph' }).click()
    await page.getByRole('button', { name: 'x, Canceled', exact: true }).waitFor()
    expect(await page.getByText(/Retried|\battempts\b/i).count()).to.equal(0)
  })
})
