/** From a line of a log to the moment at which it was written, and back. Source: docs/page.md "Logs". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { livePage, runAddress } from '../../../support/page/live-page.ts'

interface Told {
  seq: number
  atMs: number
  step?: string
  to: string
}

/** A line a second; another step ends between the second and the third. */
const TALKS = `type: graph
steps:
  - name: talks
    command: |
      for i in 1 2 3 4; do echo "line $i"; sleep 1.1; done
      exit 3
  - name: beside
    command: sleep 2.4
`

describe('page › lines of a log and moments of the run', () => {
  let page: Page
  const { api, visit, button, is } = livePage((opened) => {
    page = opened
  })
  let dagRunId: string
  let events: Told[]
  before(async () => {
    api.write('talks', TALKS)
    dagRunId = await api.started('talks')
    await api.ended('talks', dagRunId)
    events = (await api.call('GET', `/dag-runs/talks/${dagRunId}/journal`)).json.events
  })
  const log = () => page.getByRole('log')
  const at = () => Number(/[?&]at=(\d+)/.exec(page.url())?.[1])

  it('pressing the number of a line travels to the last event before it', async () => {
    await visit(runAddress('talks', dagRunId, '?step=talks&side=out'))
    await log().getByText('line 4').waitFor()
    await button('Link to line 4').click()
    await page.waitForURL(/line=4/)
    const besideEnded = events.find(({ step, to }) => step === 'beside' && to === 'succeeded') ?? expect.fail()
    const talksEnded = events.find(({ step, to }) => step === 'talks' && to === 'failed') ?? expect.fail()
    expect(at()).to.be.at.least(besideEnded.seq).and.be.below(talksEnded.seq)
    await is('talks', 'running')
    await is('beside', 'succeeded')
    await button('Link to line 1').click()
    await page.waitForURL(/line=1(&|$)/)
    expect(at()).to.be.below(besideEnded.seq)
    await is('talks', 'running')
  })

  it('travelling puts the log at its last line before the moment', async () => {
    await visit(runAddress('talks', dagRunId, '?step=talks&side=out'))
    await log().getByText('line 4').waitFor()
    const besideEnded = events.find(({ step, to }) => step === 'beside' && to === 'succeeded') ?? expect.fail()
    await page.evaluate(
      `location.hash = ${JSON.stringify(runAddress('talks', dagRunId, `?step=talks&side=out&at=${besideEnded.seq}`))}`
    )
    await log()
      .locator('.chosen', { hasText: /line [23]/ })
      .waitFor()
    await button('First failure').click()
    await log().locator('.chosen', { hasText: 'line 4' }).waitFor()
  })
})
