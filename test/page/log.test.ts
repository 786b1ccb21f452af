/** Logs on the page: everything that was written, as text and in its colors. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { seriousFindings } from '../support/page/browser.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, is, runIs, button } = livePage((opened) => {
    page = opened
  })

  it('follows a growing log; its content is text, never HTML', async () => {
    const dagRunId = await api.started('slow')
    await visit(runAddress('slow', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('line 1 <script>').waitFor()
    const before = (await log.textContent())?.split('\n').length ?? 0
    await eventually(
      'more lines',
      async () => ((await log.textContent())?.split('\n').length ?? 0) > before + 3 || undefined
    )
    expect(await page.title()).to.equal('slow – Troupe')
    expect(await page.locator('script:not([src])').count()).to.equal(0)
    await button('Stop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click()
    await runIs('canceled')
    await is('talk', 'canceled')
  })

  it('a log that grows by more than one answer holds has every line, and the right count of earlier ones', async () => {
    api.write('burst', 'steps:\n  - name: talk\n    command: echo begin; sleep 3; seq 1 35000; sleep 2; echo end\n')
    const dagRunId = await api.started('burst')
    await visit(runAddress('burst', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('begin').waitFor()
    await runIs('succeeded')
    await page.getByText('Last 20000 lines; 15002 earlier lines are not shown.').waitFor()
    const lines = (await log.textContent())?.split('\n') ?? []
    expect(lines).to.deep.equal([...Array.from({ length: 19_999 }, (_, at) => String(15_002 + at)), 'end'])
  })

  it('follows the log of a step that begins later, of a large run too', async () => {
    const others = Array.from({ length: 110 }, (_, at) => `  - {name: s${at}, command: 'true'}\n`).join('')
    const talk =
      '  - {name: wait, command: sleep 4}\n  - {name: talk, command: echo begins; sleep 600, depends: wait}\n'
    api.write('wide', `type: graph\nsteps:\n${others}${talk}`)
    const dagRunId = await api.started('wide')
    await visit(runAddress('wide', dagRunId, '?step=talk&side=out'))
    await page.getByText('The log is empty.').waitFor()
    await page.getByRole('log').getByText('begins').waitFor()
    await api.call('POST', `/dag-runs/wide/${dagRunId}/stop`)
    await runIs('canceled')
  })

  it('after a retry the log is that of the new attempt', async () => {
    const command = 'test -f $DAG_RUN_ID.again && echo second && exit; touch $DAG_RUN_ID.again; seq 1 10; exit 1'
    api.write('again', `steps:\n  - name: talk\n    command: ${command}\n`)
    const dagRunId = await api.started('again')
    await visit(runAddress('again', dagRunId, '?step=talk&side=out'))
    await runIs('failed')
    const log = page.getByRole('log')
    await log.getByText('10').waitFor()
    await button('Retry').click()
    await log.getByText('second').waitFor()
    expect(await log.textContent()).to.equal('second')
  })

  it('a log has the colors of its program, and none of its escape sequences', async () => {
    const command = "printf '\\033[1;31mbroken\\033[0m <b>fine</b>'"
    api.write('colourful', `steps:\n  - name: talk\n    command: |\n      ${command}\n`)
    const dagRunId = await api.started('colourful')
    await api.ended('colourful', dagRunId)
    await visit(runAddress('colourful', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.locator('.ink-red').waitFor()
    expect(await log.textContent()).to.equal('broken <b>fine</b>')
    expect(await log.locator('.ink-red.strong').textContent()).to.equal('broken')
    expect(await seriousFindings(page), 'its colours').to.deep.equal([])
  })
})
