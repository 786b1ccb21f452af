/** Up to four logs side by side. Source: docs/page.md "Logs". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../../../support/long.ts'
import { keepPicture, seriousFindings } from '../../../support/page/browser.ts'
import { cutText } from '../../../support/page/cut-text.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

const NAMES = ['web', 'mail', 'search', 'billing']
const CHATTY = `type: graph
maxActiveSteps: 4
steps:
${NAMES.map((name) => `  - {name: ${name}, command: "i=0; while :; do i=$((i+1)); echo ${name} line $i; echo ${name} warns $i >&2; sleep 0.2; done"}\n`).join('')}`
/** A line a second; `beside` ends between the second and the third. */
const TALKS = `type: graph
steps:
  - {name: talks, command: "for i in 1 2 3 4; do echo line $i; sleep 1.1; done"}
  - {name: beside, command: "echo soon; sleep 2.4; echo late"}
`

describe('page › logs side by side', () => {
  let page: Page
  let dagRunId: string
  // Before the server is closed.
  after(async () => {
    await api.call('POST', `/dag-runs/chatty/${dagRunId}/stop`)
    await api.ended('chatty', dagRunId)
  })
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })
  before(async () => {
    api.write('chatty', CHATTY)
    dagRunId = await api.started('chatty')
  })
  const open = (query: string) => visit(runAddress('chatty', dagRunId, `?view=logs${query}`))
  const pane = (name: string) => page.getByRole('region', { name, exact: true })
  const lastOf = async (name: string) =>
    Number((await pane(name).locator('.log-text').last().textContent())?.split(' ').at(-1))
  const follows = async (name: string) => {
    await pane(name).locator('.log-text').first().waitFor()
    // The last line may not be loaded yet.
    const before = await eventually(`a line of ${name}`, async () => (await lastOf(name)) || undefined)
    await eventually(`more of ${name}`, async () => (await lastOf(name)) > before || undefined)
  }
  const inAddress = () => new URLSearchParams(page.url().split('?')[1]).getAll('pane')

  it('each follows its step; the address opens the same elsewhere', async () => {
    await open('')
    await page.getByLabel('Side by side').check()
    for (const name of NAMES) await follows(`Output of ${name}`)
    expect(inAddress()).to.deep.equal(NAMES.map((name) => `out:${name}`))
    expect(await button('Add a log').count(), 'there is no room for a fifth').to.equal(0)
    const other = await page.context().newPage()
    await other.goto(page.url())
    for (const name of NAMES)
      await other
        .getByRole('region', { name: `Output of ${name}`, exact: true })
        .getByText(/line 1$/)
        .waitFor()
    await other.close()
  })

  it('steps and streams are chosen, closed and added by keys alone; Back undoes it', async () => {
    await open('&pane=out:web&pane=out:mail')
    await pane('Output of mail').locator('.log-text').first().waitFor()
    await page.getByLabel('Step of log 2').focus()
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.labels[0].textContent')).to.contain('Stream of log 2')
    await page.keyboard.press('End')
    await pane('Errors of mail')
      .getByText(/mail warns/)
      .first()
      .waitFor()
    expect(inAddress()).to.deep.equal(['out:web', 'err:mail'])
    await follows('Errors of mail')
    // Everything of the pane is a stop: its tools, and the log itself.
    await page.getByLabel('Stream of log 2').focus()
    const stops: string[] = []
    for (let stop = 0; stop < 9; stop++) {
      await page.keyboard.press('Tab')
      stops.push(
        await page.evaluate<string>(
          '(({ labels, ariaLabel, textContent }) => labels?.[0]?.textContent || ariaLabel || textContent)(document.activeElement)'
        )
      )
    }
    expect(stops).to.deep.equal([
      'Close log 2',
      'Find in the log',
      'Regular expression',
      'Follow',
      'Wrap',
      'Copy',
      'Download',
      'Full screen',
      'Errors of mail'
    ])
    await button('Add a log').press('Enter')
    await pane('Output of mail').waitFor()
    await button('Close log 1').press('Enter')
    await page.waitForURL((url) => !url.href.includes('web'))
    expect(inAddress()).to.deep.equal(['err:mail', 'out:mail'])
    await page.locator('.pane select:focus').waitFor()
    await page.goBack()
    await pane('Output of web').waitFor()
    await page.getByLabel('By time').check()
    await page.getByRole('listbox', { name: 'Lines by time' }).waitFor()
    expect(inAddress()).to.deep.equal([])
  })

  itLong('a line is linked to with its log; travelling puts each log at its last line before the moment', async () => {
    api.write('talks', TALKS)
    const talks = await api.started('talks')
    await api.ended('talks', talks)
    await visit(runAddress('talks', talks, '?view=logs&pane=out:talks&pane=out:beside'))
    await pane('Output of talks').getByText('line 4').waitFor()
    await pane('Output of talks').getByRole('button', { name: 'Link to line 2' }).click()
    await page.waitForURL(/line=2/)
    expect(page.url())
      .to.match(/at=\d+/)
      .and.contain('of=out%3Atalks')
    await pane('Output of talks').locator('.chosen', { hasText: 'line 2' }).waitFor()
    await pane('Output of beside').locator('.chosen', { hasText: 'soon' }).waitFor()
    await page.reload()
    await pane('Output of talks').locator('.chosen', { hasText: 'line 2' }).waitFor()
    await button('First event').click()
    await page.waitForURL((url) => !url.href.includes('line='))
    await page.getByRole('slider').press('End')
    await page.waitForURL((url) => !url.href.includes('at='))
  })

  itLong('a step that the run does not have is named, and can be replaced', async () => {
    await open('&pane=out:nobody')
    await page.getByText('The run has no step nobody.').waitFor()
    await page.getByLabel('Step of log 1').selectOption('web')
    await follows('Output of web')
  })

  for (const [width, colorScheme] of onlyLast([
    [1440, 'light'],
    [1024, 'dark'],
    [390, 'dark']
  ] as const))
    it(`at ${width} px, ${colorScheme}: ${width < 900 ? 'one below the other' : 'beside each other'}, without findings`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await open(NAMES.map((name) => `&pane=out:${name}`).join(''))
      for (const name of NAMES) await pane(`Output of ${name}`).locator('.log-text').first().waitFor()
      const [first, second] = [await pane('Output of web').boundingBox(), await pane('Output of mail').boundingBox()]
      if (width < 900) expect(second?.y).to.be.greaterThan((first?.y ?? 0) + (first?.height ?? 0) - 1)
      else expect(second?.x).to.be.greaterThan((first?.x ?? 0) + (first?.width ?? 0) - 1)
      await keepPicture(page, `panes ${width}`)
      expect([...(await cutText(page)), ...(await seriousFindings(page))]).to.deep.equal([])
    })
})
