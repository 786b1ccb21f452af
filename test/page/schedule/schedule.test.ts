/** Wherever a schedule is shown, it is in words, with its zone. Source: docs/page.md "Views". */
import { expect } from 'chai'
import { liveApi } from '../../support/api/live-api.ts'
import { onlyLast } from '../../support/long.ts'
import { keepPicture, liveBrowser, seriousFindings, type Watched } from '../../support/page/browser.ts'
import { cutText } from '../../support/page/cut-text.ts'

const ZONE = 'Asia/Tokyo'

describe('page › schedules on the page', () => {
  const api = liveApi({ tz: ZONE, schedules: false })
  const open = liveBrowser()
  let watched: Watched

  before(() => {
    api.write('plain', 'steps: ["true"]\n')
    api.write('mixed', 'schedule: ["CRON_TZ=America/New_York 0 2 * * 1-5", "*/15 8-18 * * *"]\nsteps: ["true"]\n')
  })
  beforeEach(async () => {
    watched = await open({ timezoneId: 'UTC' })
  })
  afterEach(async () => {
    expect([...watched.faults, ...watched.strangers]).to.deep.equal([])
    await watched.page.context().close()
  })
  const visit = (hash: string) => watched.page.goto(`http://127.0.0.1:${api.port}/${hash}`)
  const WEEKDAYS = 'At 02:00, Monday through Friday'
  const OFTEN = 'Every 15 minutes, between 08:00 and 18:59'

  for (const [width, colorScheme] of onlyLast([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'dark']
  ] as const))
    it(`at ${width} px: the head of a definition, its next starts and the list`, async () => {
      const { page } = watched
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await visit('#/definitions/mixed')
      const schedule = page.locator('.schedule li')
      await schedule.nth(0).getByText(`${WEEKDAYS}, America/New_York`).waitFor()
      await schedule.nth(1).getByText(`${OFTEN}, ${ZONE}`).waitFor()
      await schedule.nth(1).getByText('*/15 8-18 * * *').waitFor()
      const start = page.locator('.next-start').first()
      expect(await start.textContent()).to.match(/At 02:00, Monday|Every 15 minutes/)
      expect(await start.getAttribute('title')).to.match(/America\/New_York|Asia\/Tokyo/)
      await keepPicture(page, `schedule ${width} definition`)
      expect([...(await cutText(page)), ...(await seriousFindings(page))]).to.deep.equal([])
      await visit('#/definitions')
      const row = page.getByRole('row', { name: /mixed/ })
      await row.getByText(`${WEEKDAYS}, America/New_York; ${OFTEN}, ${ZONE}`).waitFor()
      if (width > 700) expect((await row.boundingBox())?.height).to.be.at.most(40)
      await keepPicture(page, `schedule ${width} list`)
      expect([...(await cutText(page)), ...(await seriousFindings(page))]).to.deep.equal([])
    })

  it('the words are loaded where a schedule is shown, and only there; without them the expression is shown', async () => {
    const { page } = watched
    const asked: string[] = []
    page.on('request', (request) => asked.push(request.url()))
    const isAsked = () => asked.some((url) => /\/cron-\w+\.js/.test(url))
    await visit('#/definitions/plain')
    await page.getByRole('heading', { name: 'plain', level: 1 }).waitFor()
    await visit('#/queues')
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    expect(isAsked()).to.equal(false)
    await page.route(/\/cron-\w+\.js/, (route) => route.abort())
    await visit('#/definitions/mixed')
    await page.getByText(`*/15 8-18 * * *, ${ZONE}`).waitFor()
    expect(isAsked()).to.equal(true)
    expect(await page.getByRole('alert').count()).to.equal(0)
  })
})
