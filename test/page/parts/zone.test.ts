/** The zone that times are shown in: of the browser, the server, UTC or the definition. Source: docs/page.md "Time". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { liveApi } from '../../support/api/live-api.ts'
import { liveBrowser, seriousFindings, type Watched } from '../../support/page/browser.ts'

const BROWSER = 'America/Los_Angeles'
const SERVER = 'Asia/Tokyo'
const OF_DEFINITION = 'America/New_York'

describe('page › time zones', () => {
  const api = liveApi({ tz: SERVER })
  const open = liveBrowser()
  let watched: Watched
  let page: Page
  let dagRunId: string

  before(async () => {
    api.write('east', `schedule: "CRON_TZ=${OF_DEFINITION} 0 9 * * *"\nsteps: [{name: a, command: "true"}]\n`)
    dagRunId = await api.started('east')
    await api.ended('east', dagRunId)
  })
  beforeEach(async () => {
    watched = await open({ timezoneId: BROWSER })
    page = watched.page
  })
  afterEach(async () => {
    expect(watched.faults).to.deep.equal([])
    await page.context().close()
  })

  const visit = (hash: string) => page.goto(`http://127.0.0.1:${api.port}/${hash}`)
  const chip = () => page.getByLabel('Time zone')
  const choose = (label: RegExp) =>
    chip()
      .locator('option')
      .filter({ hasText: label })
      .getAttribute('value')
      .then((value) => chip().selectOption(value ?? ''))
  /** `14:03:05` on the clocks of a zone. */
  const clock = (at: number, timeZone: string) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone,
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23'
    }).format(at)

  it('the chosen zone is named in each view, and used there; a time has the others in its title', async () => {
    const { createdAtMs } = (await api.call('GET', '/dags/east/statistics?history=true')).json.history[0]
    const second = Math.floor(createdAtMs / 1_000) * 1_000
    for (const view of [
      '#/',
      '#/runs',
      '#/definitions',
      '#/queues',
      '#/machines',
      '#/definitions/east',
      `#/runs/east/${dagRunId}`
    ]) {
      await visit(view)
      await chip().waitFor()
      expect(await chip().locator('option:checked').textContent(), view).to.equal(`Browser: ${BROWSER}`)
    }
    for (const [label, zone] of [
      [/^Server/, SERVER],
      [/^UTC/, 'UTC'],
      [/^Browser/, BROWSER]
    ] as const) {
      await choose(label)
      const began = page.locator('.run-head time')
      const shown = [0, 1_000, 2_000].map((more) => clock(second + more, zone))
      expect(shown.some((text) => text === clock(second, zone))).to.equal(true)
      const text = (await began.textContent()) ?? ''
      expect(
        shown.some((one) => text.endsWith(one)),
        `${text} in ${zone}`
      ).to.equal(true)
      const title = (await began.getAttribute('title')) ?? ''
      expect(title.split('\n')[0]).to.contain(zone)
      for (const other of [BROWSER, SERVER, 'UTC']) expect(title).to.contain(other)
    }
    expect(await seriousFindings(page)).to.deep.equal([])
  })

  it('the zone of a definition can be chosen where its schedule is shown; the choice is kept', async () => {
    await visit('#/definitions/east')
    await page.getByText('Next starts').waitFor()
    await chip().locator('option', { hasText: OF_DEFINITION }).waitFor({ state: 'attached' })
    await choose(/^Definition/)
    await page.locator('.next-start time', { hasText: '09:00:00' }).first().waitFor()
    await page.reload()
    await page.locator('.next-start time', { hasText: '09:00:00' }).first().waitFor()
    await visit('#/queues')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    expect(await chip().locator('option:checked').textContent()).to.equal(`Definition: ${SERVER}`)
  })
})
