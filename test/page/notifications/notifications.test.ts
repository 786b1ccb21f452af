/** Targets of `notify` in a real browser, with a real receiver. Source: docs/notifications.md "Dead letters". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { accepts, closeReceivers, type Receiver, receiver } from '../../support/engine/receiver.ts'
import { onlyLast } from '../../support/long.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { cutText } from '../../support/page/cut-text.ts'
import { livePage } from '../../support/page/live-page.ts'
import { eventually } from '../../support/waiting.ts'

describe('page › notifications', function () {
  this.timeout(120_000)
  let page: Page
  let hook: Receiver
  const notify: object[] = []
  before(async () => {
    hook = await receiver((_, response) => void response.writeHead(410).end())
    for (const name of ['ops', 'a-target-with-a-name-that-is-as-long-as-a-name-may-be-in-here'.slice(0, 60)])
      notify.push({ name, url: hook.url, events: ['run.failed', 'step.failed'], secret: 'a secret of enough bytes' })
  })
  after(closeReceivers)
  const { api, visit } = livePage(
    (opened) => {
      page = opened
    },
    { settings: { notify } }
  )
  const link = () => page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Notifications' })
  const events = () => page.getByRole('list', { name: 'Events' }).getByRole('listitem')

  it('a dead letter is shown with its run and its reason, and can be delivered again or removed', async () => {
    await api.ended('failing', await api.started('failing'))
    await eventually('dead letters', () =>
      api.engine.deliveries({ state: 'dead' }, 9).deliveries.length === 4 ? true : undefined
    )
    await visit('#/runs')
    await link().click()
    await page.getByRole('heading', { name: 'Notifications' }).waitFor()
    expect(await link().getAttribute('aria-current')).to.equal('page')
    await page.getByText('0 waiting, 2 dead letters').first().waitFor()
    expect(await events().count()).to.equal(4)
    expect(await events().first().textContent()).to.match(
      /(run|step)\.failed to .* of failing.*Dead letter, 1 failed attempt.*it answered 410/s
    )
    await page.getByRole('combobox', { name: 'Target' }).selectOption('ops')
    await eventually('those of one target', async () => ((await events().count()) === 2 ? true : undefined))
    await events()
      .first()
      .getByRole('button', { name: /^Remove/ })
      .click()
    await page.getByText('1 dead letter removed.').waitFor()
    hook.answers(accepts)
    const before = hook.told.length
    await page.getByRole('button', { name: 'Deliver all again to ops' }).click()
    await page.getByText('1 dead letter delivered again.').waitFor()
    await page.getByText('Nothing waits, and there are no dead letters.').waitFor()
    expect(hook.told.length).to.equal(before + 1)
  })

  for (const [width, theme] of onlyLast([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'light'],
    [390, 'dark']
  ] as const))
    it(`at ${width} px, ${theme}: everybody can read it, and nothing is cut off`, async () => {
      await page.setViewportSize({ width, height: 800 })
      await page.emulateMedia({ colorScheme: theme })
      await visit('#/notifications')
      await events().first().waitFor()
      expect(await seriousFindings(page)).to.deep.equal([])
      expect(await cutText(page)).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).to.equal(true)
      await keepPicture(page, `notifications-${width}-${theme}`)
    })
})

describe('page › notifications › without targets', function () {
  this.timeout(120_000)
  let page: Page
  const { visit } = livePage((opened) => {
    page = opened
  })
  it('they are not in the navigation, and the view says what there could be', async () => {
    await visit('#/notifications')
    await page.getByText('The configuration has no targets').waitFor()
    expect(await page.getByRole('link', { name: 'Notifications' }).count()).to.equal(0)
    expect(await seriousFindings(page)).to.deep.equal([])
  })
})
