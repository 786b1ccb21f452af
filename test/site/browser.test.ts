/** The documentation in a real browser: read, searched and looked at in every size and both themes, by everybody. Source: docs/README.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { livePage } from '../support/page/live-page.ts'

/** One of each kind: the first page, text with code, wide tables, a reference of the API, sections without pages between, a page that there is not. */
const PATHS = ['', 'tutorial.html', 'errors.html', 'api/events.html', 'decisions/loading.html', 'no/such.html']
const SIZES = [
  [1440, 'light'],
  [1440, 'dark'],
  [1024, 'light'],
  [390, 'light'],
  [390, 'dark']
] as const

describe('page › the documentation in a real browser', function () {
  this.timeout(120_000)
  let page: Page
  const { visit } = livePage((opened) => {
    page = opened
  })
  const read = async (path: string) => {
    await visit(`docs/${path}`)
    await page.locator('h1').waitFor()
  }
  const found = () => page.locator('.found a')

  for (const [width, colorScheme] of SIZES)
    it(`at ${width} px, ${colorScheme}: no serious findings, nothing wider than the window, nothing from elsewhere`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      for (const path of PATHS) {
        await read(path)
        await keepPicture(page, `docs ${width} ${colorScheme} ${path}`)
        expect(await seriousFindings(page), path).to.deep.equal([])
        expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), path).to.equal(0)
      }
    })

  it('the search finds a setting, a command and a term by keys alone, and Enter goes to the section', async () => {
    await read('executors/docker.html')
    for (const [text, title, address] of [
      ['skipIfSuccessful', /^skipIfSuccessful$/, /definition-format\.html#fields-of-a-definition$/],
      ['troupe retry', /troupe retry/, /cli\.html#troupe-retry$/],
      ['dead letters', /^Dead letters$/, /notifications\.html#dead-letters$/]
    ] as const) {
      await page.keyboard.press('/')
      await page.keyboard.type(text)
      await found().first().waitFor()
      const titles = await page.locator('.found .name').allTextContents()
      expect(
        titles.some((one) => title.test(one)),
        `${text}: ${titles}`
      ).to.equal(true)
      await keepPicture(page, `docs search ${text}`)
      expect(await seriousFindings(page), text).to.deep.equal([])
      await page.keyboard.press('Enter')
      await page.waitForURL(address)
      await page.locator('h1').waitFor()
    }
  })
  itLong('it finds what is mistyped, says when there is nothing, and Escape ends it', async () => {
    await read('')
    const field = page.getByRole('combobox')
    await field.fill('shedule')
    await found()
      .filter({ hasText: /schedul/i })
      .first()
      .waitFor()
    await page.keyboard.press('ArrowDown')
    expect(await field.getAttribute('aria-activedescendant')).to.equal('found-1')
    await field.fill('xyzzyplugh')
    await page.getByText('Nothing found').waitFor()
    await page.keyboard.press('Escape')
    expect(await field.inputValue()).to.equal('')
    await page
      .getByText('Nothing found')
      .waitFor({ state: 'detached' })
      .catch(() => {})
    expect(await page.locator('.found').isHidden()).to.equal(true)
  })
  it('at 390 px the menu leads to every page, and is gone on the next one', async () => {
    await page.setViewportSize({ width: 390, height: 840 })
    await read('tutorial.html')
    expect(await page.locator('#contents').isVisible()).to.equal(false)
    await page.getByRole('link', { name: 'Menu' }).click()
    await page.locator('#contents').waitFor()
    await keepPicture(page, 'docs 390 menu')
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.locator('#contents').getByRole('link', { name: 'Scheduling' }).click()
    await page.waitForURL(/scheduling\.html$/)
    expect(await page.locator('#contents').isVisible()).to.equal(false)
  })
  itLong('the page that is read is in sight in the list of pages', async () => {
    await page.setViewportSize({ width: 1440, height: 600 })
    await read('glossary.html')
    const { y = -1, height = 0 } = (await page.locator('#contents [aria-current]').boundingBox()) ?? {}
    expect(y).to.be.within(60, 600 - height)
  })
  itLong('the theme is that of the page, and is kept', async () => {
    await visit('#/runs')
    await page.getByRole('button', { name: 'Theme: system' }).click()
    await page.getByRole('button', { name: 'Theme: light' }).click()
    await read('')
    await page.getByRole('button', { name: 'Theme: dark' }).waitFor()
    expect(await page.evaluate('document.documentElement.dataset.theme')).to.equal('dark')
    await page.getByRole('button', { name: 'Theme: dark' }).click()
    await page.reload()
    await page.getByRole('button', { name: 'Theme: system' }).waitFor()
  })
  it('code is copied as it is', async () => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await read('tutorial.html')
    const box = page.locator('.code').filter({ hasText: 'troupe version' })
    await box.hover()
    await box.getByRole('button', { name: 'Copy' }).click()
    await box.getByRole('button', { name: 'Copied' }).waitFor()
    expect(await page.evaluate('navigator.clipboard.readText()')).to.equal('troupe version\n')
  })
  it('the page has a link to it, and so has the palette', async () => {
    await visit('#/runs')
    const link = page.getByRole('link', { name: 'Documentation' })
    const [opened] = await Promise.all([page.context().waitForEvent('page'), link.click()])
    await opened.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
    await opened.close()
    await page.keyboard.press('Control+k')
    await page.keyboard.type('docu')
    const [again] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Enter')])
    await again.getByRole('heading', { name: 'Documentation', level: 1 }).waitFor()
  })
})
