/** What started a run, on the page. Source: docs/page.md "Views"; http-api "Runs" (`trigger`). */
import { expect } from 'chai'
import { type Clock, systemClock } from '../../../src/clock.ts'
import { liveApi } from '../../support/api/live-api.ts'
import { liveBrowser } from '../../support/page/browser.ts'
import { runAddress } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

/** A schedule of every minute is due within one; the rest is for a busy machine. */
const LIMIT_MS = 110_000
/** The clock of the engine is set so that a minute begins so soon. */
const SOON_MS = 8_000
const lead = 60_000 - SOON_MS - (systemClock.now() % 60_000)
const clock: Clock = {
  ...systemClock,
  now: () => systemClock.now() + lead,
  at: (dueAt, ring) => systemClock.at(dueAt - lead, ring)
}

describe('page › what started a run', () => {
  const api = liveApi({ schedules: true, clock })
  const open = liveBrowser()

  it('a run of a schedule says so, with the time that was due; its sub run names it; a rerun names the run', async function () {
    this.timeout(2 * LIMIT_MS)
    api.write('inner', 'steps: [{name: a, command: "true"}]')
    api.write('minutely', 'schedule: "* * * * *"\nsteps: [{name: calls, call: inner}]\n')
    const { dagRunId } = await eventually(
      'a run of the schedule',
      async () => (await api.get('/dag-runs/minutely?limit=1')).dagRuns[0],
      LIMIT_MS
    )
    const { nodes } = await api.ended('minutely', dagRunId)
    const { page, faults } = await open()
    const visit = (hash: string) => page.goto(`http://127.0.0.1:${api.port}/${hash}`)
    const triggered = () => page.locator('.facts > div', { hasText: 'Triggered by' }).locator('dd')
    await visit(runAddress('minutely', dagRunId))
    await triggered().waitFor()
    expect(await triggered().textContent()).to.match(/^Schedule, .*\d\d:\d\d:00$/)
    await visit('#/runs?name=minutely')
    await page
      .getByRole('row', { name: /Schedule, / })
      .first()
      .waitFor()
    await visit(runAddress('inner', nodes[0].subRuns[0].dagRunId))
    await triggered()
      .getByRole('link', { name: /^minutely/ })
      .waitFor()
    await visit(runAddress('minutely', dagRunId))
    await page.getByRole('button', { name: 'Rerun', exact: true }).click()
    await page.waitForURL((url) => !url.href.includes(dagRunId))
    await triggered()
      .getByText(/API, .*rerun/)
      .waitFor()
    await triggered()
      .getByRole('link', { name: new RegExp(dagRunId) })
      .waitFor()
    expect(faults).to.deep.equal([])
  })
})
