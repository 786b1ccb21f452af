/** From a line of a log to the moment at which it was written, and back. Source: docs/page.md "Logs". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { temporaryFolder } from '../../../support/homes.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'

interface Told {
  seq: number
  atMs: number
  step?: string
  to: string
}

/** More than a second between each two lines; a step beside it has ended between the second and the third, however slow the machine is. */
const talks = (marks: string) => `type: graph
steps:
  - name: talks
    command: |
      echo "line 1"; sleep 1.1; echo "line 2"
      touch ${marks}/two
      until [ -f ${marks}/go ]; do sleep 0.05; done
      for i in 3 4; do sleep 1.1; echo "line $i"; done
      sleep 1.1
      exit 3
  - name: beside
    command: until [ -f ${marks}/two ]; do sleep 0.05; done; sleep 1.1
  - name: after
    command: touch ${marks}/go
    depends: [beside]
`

describe('page › lines of a log and moments of the run', () => {
  let page: Page
  const { api, visit, button, is } = livePage((opened) => {
    page = opened
  })
  let dagRunId: string
  let events: Told[]
  before(async () => {
    api.write('talks', talks(temporaryFolder()))
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
    await log().locator('.chosen', { hasText: 'line 2' }).waitFor()
    await button('First failure').click()
    await log().locator('.chosen', { hasText: 'line 4' }).waitFor()
  })
})
