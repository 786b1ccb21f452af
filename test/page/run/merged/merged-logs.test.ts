/** The logs of several steps as one, by time. Source: docs/page.md "Logs". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../../../support/long.ts'
import { keepPicture, seriousFindings } from '../../../support/page/browser.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

/** More than are kept. */
const MANY = 25_000
const KEPT = 20_000

const PAIR = `type: graph
steps:
  - {name: first, command: "echo begin; sleep 1.2; echo \\"\\\\033[31mred\\\\033[0m end\\""}
  - {name: second, command: "echo oops >&2; exit 1", depends: [first]}
`

describe('page › the logs of several steps as one', () => {
  let page: Page
  let dagRunId: string
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })
  before(async () => {
    api.write('pair', PAIR)
    dagRunId = await api.started('pair')
    await api.ended('pair', dagRunId)
  })
  const open = (query = '') => visit(runAddress('pair', dagRunId, `?view=logs${query}`))
  const texts = () => page.locator('.merged-row .log-text').allTextContents()
  const shows = (wanted: string[]) =>
    eventually(wanted.join(), async () => (await texts()).join() === wanted.join() || undefined)

  it('has the lines of all steps and of both streams by time; steps, streams and a text choose among them', async () => {
    await open()
    await shows(['begin', 'red end', 'oops'])
    await page.locator('.merged-row .ink-red', { hasText: 'red' }).waitFor()
    await page.getByRole('option', { name: /second errors oops/ }).waitFor()
    await page.getByLabel('Lines with').fill('EN')
    await shows(['red end'])
    await page.getByText('1 of 3 lines').waitFor()
    await page.getByLabel('Lines with').fill('')
    await page.getByRole('button', { name: 'All steps' }).click()
    await page.getByRole('checkbox', { name: 'first', exact: true }).check()
    await shows(['begin', 'red end'])
    expect(page.url()).to.contain('log=first')
    await page.goBack()
    await page.getByLabel('Streams').selectOption('stderr')
    await shows(['oops'])
    expect(page.url()).to.contain('stream=stderr')
  })

  it('a line leads to its moment and to the log of its step; a moment to its last line', async () => {
    await open()
    const lines = page.getByRole('listbox', { name: 'Lines by time' })
    await lines.focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('ArrowDown')
    const line = page.getByRole('region', { name: 'Selected line' })
    await line.getByText('red end').waitFor()
    await page.keyboard.press('ArrowDown')
    await line.getByText('oops').waitFor()
    await line.getByRole('button', { name: 'Travel to this moment' }).click()
    await page.waitForURL(/at=\d+/)
    await button('First event').click()
    await page.waitForURL(/at=1\b/)
    await line.getByText('oops').waitFor({ state: 'detached' })
    await page.getByRole('option', { name: /oops/ }).click()
    await line.getByRole('button', { name: 'Show its log' }).click()
    await page.waitForURL(({ href }) => /step=second\b/.test(href) && /side=err\b/.test(href))
    await page.getByRole('log').getByText('oops').waitFor()
  })

  for (const [width, colorScheme] of onlyLast([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'dark'],
    [390, 'light']
  ] as const))
    it(`at ${width} px, ${colorScheme}: there are no serious accessibility findings, and nothing is wider`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await open()
      await page.getByRole('option', { name: /oops/ }).click()
      expect(await seriousFindings(page)).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.equal(0)
      await keepPicture(page, `logs ${width} ${colorScheme}`)
    })

  itLong('of very many lines the latest are kept, and those in sight are drawn', async () => {
    api.write('verbose', `steps:\n  - {name: talk, command: "seq 1 ${MANY}"}\n`)
    const many = await api.started('verbose')
    await api.ended('verbose', many)
    await visit(runAddress('verbose', many, '?view=logs'))
    await page.getByText(`${KEPT} lines; the ${MANY - KEPT} before them are in the logs of the steps`).waitFor()
    await page.getByRole('option', { name: new RegExp(`talk.*${MANY}`) }).waitFor()
    expect(await page.locator('.merged-row').count()).to.be.below(200)
  })

  itLong('a retry has other logs: those of the latest attempt are shown', async () => {
    await open()
    await shows(['begin', 'red end', 'oops'])
    await button(/^Retry$/).click()
    await eventually('the end of another attempt', async () => {
      const { attempt, statusLabel } = (await api.get(`/dag-runs/pair/${dagRunId}`)).dagRun
      return (attempt === 2 && statusLabel === 'failed') || undefined
    })
    await eventually('each line once', async () => {
      const all = await texts()
      return all.filter((text) => text === 'oops').length === 1 || undefined
    })
  })
})
