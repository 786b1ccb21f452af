/** The attempts of a step that failed are side by side in its card. Source: docs/page.md "Failures". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../../../support/long.ts'
import { keepPicture, seriousFindings } from '../../../support/page/browser.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

const HOSTILE = '<img src=x onerror=alert(1)><script>document.title=1</script>'
const COUNT = 'n=$(cat $DAG_RUN_ID.n 2>/dev/null || echo 0); n=$((n+1)); echo $n > $DAG_RUN_ID.n'
/** The third attempt writes to the other stream. */
const FLAKY = `steps:
  - name: load
    retryPolicy: {limit: 2}
    command: |
      ${COUNT}
      [ $n -eq 3 ] && echo "said $n" && exit 13
      echo "connecting to db-1" >&2; echo "table orders, batch $n: ${HOSTILE}" >&2; echo "no room left" >&2
      exit $((n + 10))
`
const MANY = `steps:
  - name: load
    retryPolicy: {limit: 9}
    command: |
      ${COUNT}
      echo "this is number $n" >&2; exit 1
`
const ONCE = `steps:
  - name: load
    command: |
      ${COUNT}
      echo "in run $n" >&2; exit 3
`

describe('page › attempts side by side', () => {
  let page: Page
  const { api, visit, button, runIs } = livePage((opened) => {
    page = opened
  })
  const ended = async (name: string, text: string) => {
    api.write(name, text)
    const dagRunId = await api.started(name)
    await api.ended(name, dagRunId)
    return dagRunId
  }
  const card = () => page.getByRole('region', { name: 'First failure', exact: true })
  const columns = () => card().getByRole('list', { name: 'Attempts of load' }).getByRole('listitem')
  const names = () => columns().getByRole('heading').allInnerTexts()
  const column = (name: string) => columns().filter({ has: page.getByRole('heading', { name, exact: true }) })
  const linesOf = (name: string) => column(name).locator('pre > *').allTextContents()
  const query = () => new URLSearchParams(page.url().split('?')[1])

  it('each has its number, how it ended, how long it took, and its own last lines; what the one before did not have is marked', async () => {
    await visit(runAddress('flaky', await ended('flaky', FLAKY)))
    await column('Attempt 3').getByText('said 3').waitFor()
    await column('Attempt 2').locator('ins').waitFor()
    expect(await names()).to.deep.equal(['Attempt 1', 'Attempt 2', 'Attempt 3'])
    const lines = (n: number) => ['connecting to db-1', `table orders, batch ${n}: ${HOSTILE}`, 'no room left']
    expect(await linesOf('Attempt 1')).to.deep.equal(lines(1))
    expect(await linesOf('Attempt 2')).to.deep.equal(lines(2))
    expect(await linesOf('Attempt 3')).to.deep.equal(['said 3'])
    expect(await columns().locator('ins').allTextContents()).to.deep.equal([lines(2)[1]])
    for (const n of [1, 2, 3]) {
      await column(`Attempt ${n}`)
        .getByText(`exit status ${n + 10}`)
        .waitFor()
      await column(`Attempt ${n}`).locator('.status.s-failed').waitFor()
      expect(await column(`Attempt ${n}`).locator('p.soft').textContent()).to.match(/^\d\d:\d\d:\d\d, \d/)
    }
    // What a log says is text, and nothing else.
    expect(await card().locator('img, script').count()).to.equal(0)
    expect(await page.title()).to.equal('flaky – Troupe')
  })

  itLong('one leads to the moment at which it ended, and to its last line in the log', async () => {
    const dagRunId = await ended('flaky', FLAKY)
    await visit(runAddress('flaky', dagRunId))
    await button('Attempt 2 in the log').click()
    await page.locator('.log-line.chosen').getByText('no room left').waitFor()
    expect([query().get('step'), query().get('side'), query().get('line')]).to.deep.equal(['load', 'err', '6'])
    await page.goBack()
    await column('Attempt 1').getByRole('button', { name: 'Attempt 1', exact: true }).click()
    await page.locator('.facts').getByText('Retry 1 of 2').waitFor()
    const { events } = await api.get(`/dag-runs/flaky/${dagRunId}/journal`)
    const first = events.find(({ step, to }: { step?: string; to: string }) => step === 'load' && to === 'waiting')
    expect(query().get('at')).to.equal(String(first.seq))
  })

  itLong('of many the last four are shown, and the others four by four; the focus goes to the earliest', async () => {
    await visit(runAddress('many', await ended('many', MANY)))
    await column('Attempt 10').getByText('this is number 10').waitFor()
    expect(await names()).to.deep.equal([7, 8, 9, 10].map((n) => `Attempt ${n}`))
    await button('Show 4 of 6 earlier attempts').focus()
    await page.keyboard.press('Enter')
    await column('Attempt 3').getByText('this is number 3').waitFor()
    await page.locator('button:focus', { hasText: 'Attempt 3' }).waitFor()
    await button('Show 2 of 2 earlier attempts').click()
    await column('Attempt 1').getByText('this is number 1').waitFor()
    expect(await names()).to.have.length(10)
    expect(await button(/earlier attempt/).count()).to.equal(0)
    // No line is in two of them.
    expect(await columns().locator('ins').count()).to.equal(0)
  })

  it('a step that was tried once has its lines alone; after a retry of its run it has both attempts, each with its log', async () => {
    const dagRunId = await ended('tried-once', ONCE)
    await visit(runAddress('tried-once', dagRunId))
    await card().getByText('in run 1').waitFor()
    expect(await page.locator('.attempts').count()).to.equal(0)
    await button('Retry').click()
    await column('Attempt 2 of the run').getByText('in run 2').waitFor()
    await runIs('failed')
    await column('Attempt 1 of the run').getByText('in run 1').waitFor()
    expect(await names()).to.deep.equal(['Attempt 1 of the run', 'Attempt 2 of the run'])
    // The view of a log is that of the latest attempt.
    expect(await button(/in the log$/).count()).to.equal(1)
  })

  it('in both themes and at 1440, 1024 and 390 px: what has no room scrolls in the row, the newest is in sight, and keys reach all', async () => {
    const dagRunId = await ended('flaky', FLAKY)
    const isNewestInSight = (where: string) =>
      eventually(`the newest in sight at ${where}`, async () => {
        const [one, row] = [
          await column('Attempt 3').boundingBox(),
          await columns().locator('..').first().boundingBox()
        ]
        return (one && row && Math.abs(one.x + one.width - row.x - row.width) <= 2) || undefined
      })
    for (const colorScheme of onlyLast(['light', 'dark'] as const))
      for (const width of onlyLast([1440, 1024, 390])) {
        const where = `${width} ${colorScheme}`
        await page.emulateMedia({ colorScheme })
        await page.setViewportSize({ width, height: 850 })
        await visit('#/queues')
        await visit(runAddress('flaky', dagRunId))
        await column('Attempt 3').getByText('said 3').waitFor()
        await column('Attempt 2').locator('ins').waitFor()
        expect(await page.evaluate('document.documentElement.scrollWidth'), where).to.equal(width)
        await isNewestInSight(where)
        expect(await seriousFindings(page), where).to.deep.equal([])
        await card().scrollIntoViewIfNeeded()
        await keepPicture(page, `attempts ${where}`)
      }
    for (const width of onlyLast([1440, 1024])) {
      await page.setViewportSize({ width, height: 850 })
      await isNewestInSight(`${width}, which it was not when it was opened`)
    }
    const stops = []
    await column('Attempt 1').getByRole('button').first().focus()
    for (let at = 0; at < 12; at++) {
      stops.push(await page.evaluate('document.activeElement.ariaLabel ?? document.activeElement.localName'))
      if (at === 0) await page.waitForFunction('document.querySelector(".attempts > ol").scrollLeft < 20')
      await page.keyboard.press('Tab')
    }
    const each = (n: number) => ['button', 'pre', `Attempt ${n} in the log`, `Copy the last lines of attempt ${n}`]
    expect(stops).to.deep.equal([1, 2, 3].flatMap(each))
  })
})
