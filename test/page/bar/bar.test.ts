/** The bar on top for an admin who has every view: one line, and a menu of what has no room. Source: docs/page.md "Views". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { OPS_SETTINGS } from '../../support/api/key-calls.ts'
import { itLong, onlyLast } from '../../support/long.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { cutText } from '../../support/page/cut-text.ts'
import { livePage } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

const TARGET = { name: 'ops', url: 'http://127.0.0.1:9/', events: ['run.failed'], secret: 'a secret of enough bytes' }
const COORDINATOR = { instanceId: 'box@50055', host: 'box', port: 50_055, status: 'active', startedAt: '' }
const VIEWS = [
  'Today',
  'Runs',
  'Calendar',
  'Definitions',
  'Queues',
  'Machines',
  'Workers',
  'Notifications',
  'Access',
  'Audit'
]

describe('page › the bar on top', function () {
  this.timeout(120_000)
  let page: Page
  const { visit } = livePage(
    (opened) => {
      page = opened
    },
    { settings: { ...OPS_SETTINGS, 'audit.enabled': true, notify: [TARGET] } }
  )
  const nav = () => page.getByRole('navigation', { name: 'Views' })
  const links = () => nav().getByRole('link')
  const menu = () => nav().getByRole('button')
  const isFocused = () => menu().evaluate((it) => it === it.ownerDocument.activeElement)
  /** With every view: a coordinator is there, too. */
  async function enter(width: number, place = '#/runs'): Promise<void> {
    await page.setViewportSize({ width, height: 844 })
    await page.route(/\/services\/coordinator$/, (route) => route.fulfill({ json: { coordinators: [COORDINATOR] } }))
    await page.route(/\/api\/v2\/workers$/, (route) => route.fulfill({ json: { workers: [], errors: [] } }))
    await visit(place)
    await page.getByLabel('Access key').fill('secret-ops')
    await page.getByRole('button', { name: 'Continue' }).click()
    await eventually('all views', async () =>
      (await nav().locator('> a').count()) === VIEWS.length ? true : undefined
    )
  }
  /** Its parts are in one row, and so many views as there is room for. */
  const isOneLine = () =>
    page.evaluate<boolean>(`(() => {
      const boxes = (selector) => [...document.querySelectorAll(selector)].map((it) => it.getBoundingClientRect()).filter((it) => it.width > 0)
      const [nav] = boxes('.top nav')
      const rows = new Set(boxes('.top > *').map((it) => Math.round((it.top + it.bottom) / 8)))
      return rows.size === 1 && boxes('.top nav > :not(.away)').every((it) => it.right <= nav.right + 1)
    })()`)

  it('is one line at each width and in both themes; every view is a link in it or in its menu', async () => {
    await enter(1440)
    for (const width of [1440, 1024, 701, 561, 560, 390])
      for (const colorScheme of onlyLast(['light', 'dark'] as const)) {
        await page.setViewportSize({ width, height: 844 })
        await page.emulateMedia({ colorScheme })
        const what = `bar ${width} ${colorScheme}`
        await eventually(`one line, ${what}`, async () => (await isOneLine()) || undefined)
        if (await menu().count()) await menu().click()
        expect(await links().allTextContents(), what).to.deep.equal(VIEWS)
        await page.getByLabel('Time zone').waitFor()
        await keepPicture(page, what)
        if (width === 1440 || width === 1024 || width === 390) {
          expect(await seriousFindings(page), what).to.deep.equal([])
          expect(await cutText(page), what).to.deep.equal([])
        }
        await page.keyboard.press('Escape')
        await nav().getByRole('list').waitFor({ state: 'detached' })
      }
  })
  it('the menu is opened, walked and closed by keys, and has the name of the view that it led to', async () => {
    await enter(1024)
    await links().filter({ hasText: 'Queues' }).focus()
    await eventually('the menu', async () => {
      await page.keyboard.press('Tab')
      return (await isFocused()) || undefined
    })
    await page.keyboard.press('Enter')
    await nav().getByRole('list').waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Escape')
    await nav().getByRole('list').waitFor({ state: 'detached' })
    expect(await isFocused(), 'the focus is back').to.equal(true)
    await page.keyboard.press('Enter')
    await nav().getByRole('list').waitFor()
    await page.keyboard.press('Shift+Tab')
    await nav().getByRole('list').waitFor({ state: 'detached' })
    await menu().click()
    await links().filter({ hasText: 'Audit' }).focus()
    await page.keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: 'Audit' }).waitFor()
    expect(await menu().textContent()).to.match(/^Audit/)
    expect(await menu().getAttribute('aria-current')).to.equal('page')
    expect(await menu().getAttribute('aria-expanded')).to.equal('false')
    await menu().click()
    await page.getByRole('heading', { name: 'Audit' }).click()
    await nav().getByRole('list').waitFor({ state: 'detached' })
  })
  itLong('the palette finds each view that the visitor has, also one that is in the menu', async () => {
    await enter(1024)
    await page.keyboard.press('Control+k')
    await page.keyboard.type('access')
    await page
      .getByRole('option', { name: /^View Access/ })
      .first()
      .waitFor()
    await page.keyboard.press('Enter')
    await page.locator('h1:focus', { hasText: 'Access' }).waitFor()
  })
})
