/** Versions of a definition: compared, and restored by the editor. Source: docs/page.md "Editing". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { onlyLast } from '../../support/long.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { livePage } from '../../support/page/live-page.ts'

describe('page › versions of a definition', () => {
  let page: Page
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })
  const text = (word: string) => `steps:\n  - name: say\n    command: echo ${word}\n`

  before(async () => {
    await api.call('POST', '/dags', { body: { name: 'changing', spec: text('first') } })
    await api.ended('changing', await api.started('changing'))
    for (const word of ['second', 'third']) await api.call('PUT', '/dags/changing/spec', { body: { spec: text(word) } })
  })

  it('are listed with their runs, any two are compared, and one is restored by saving it', async () => {
    await visit('#/definitions/changing?tab=versions')
    const rows = page.locator('.versions tbody tr')
    await rows.nth(2).waitFor()
    expect(await rows.count()).to.equal(3)
    await rows.nth(0).getByText('Current').waitFor()
    expect(await rows.getByRole('rowheader').allInnerTexts()).to.deep.equal(['3 Current', '2', '1'])
    await rows
      .nth(2)
      .getByRole('link', { name: /^Succeeded, / })
      .waitFor()
    const difference = page.getByRole('region', { name: 'What is different' })
    await difference.getByText('echo third').waitFor()
    await rows
      .nth(1)
      .getByRole('button', { name: /^What changed/ })
      .click()
    await difference.getByText('echo first').waitFor()
    await page.waitForURL(/before=.*after=|after=.*before=/)
    await page.getByLabel('To').selectOption({ index: 0 })
    await difference.getByText('echo third').waitFor()
    for (const [width, colorScheme] of onlyLast([
      [1440, 'light'],
      [1024, 'dark'],
      [390, 'light']
    ] as const)) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      expect(await seriousFindings(page), `${width}`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth'), `${width}`).to.be.at.most(0)
      await keepPicture(page, `versions ${width} ${colorScheme}`)
    }
    await page.setViewportSize({ width: 1280, height: 900 })

    await rows
      .nth(2)
      .getByRole('link', { name: /^Restore/ })
      .click()
    await page.locator('.cm-content').getByText('echo first').waitFor()
    await button('Save').click()
    await page.getByRole('dialog').getByText('echo third').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText('changing is saved.').waitFor()
    await visit('#/queues')
    await visit('#/definitions/changing?tab=versions')
    await rows.nth(3).waitFor()
    expect((await api.call('GET', '/dags/changing/spec')).json.spec).to.equal(text('first'))
  })

  it('an earlier text is not stored over one that somebody else has saved meanwhile', async () => {
    const { versions } = (await api.call('GET', '/dags/changing/versions')).json
    await visit(`#/definitions/changing/edit?version=${versions.at(-2).revision}`)
    await page.locator('.cm-content').getByText('echo second').waitFor()
    await api.call('PUT', '/dags/changing/spec', { body: { spec: text('theirs') } })
    await button('Save').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: /Somebody has changed changing meanwhile/ }).waitFor()
    expect((await api.call('GET', '/dags/changing/spec')).json.spec).to.equal(text('theirs'))
  })
})
