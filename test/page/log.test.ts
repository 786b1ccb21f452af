/** Logs on the page: everything that was written, as text and in its colors. Source: architecture 9. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, onlyLast } from '../support/long.ts'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { heldAnswers } from '../support/page/held-answers.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, is, runIs, button } = livePage((opened) => {
    page = opened
  })

  const texts = () => page.locator('.log-text').allTextContents()

  it('follows a growing log; its content is text, never HTML', async () => {
    const dagRunId = await api.started('slow')
    await visit(runAddress('slow', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('line 1 <script>').waitFor()
    const before = (await texts()).length
    await eventually('more lines', async () => (await texts()).length > before + 3 || undefined)
    expect(await page.title()).to.equal('slow – Troupe')
    expect(await page.locator('script:not([src])').count()).to.equal(0)
    await button('Stop').click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop the run' }).click()
    await runIs('canceled')
    await is('talk', 'canceled')
  })

  it('of a long log that grows only what is in sight is drawn; each line is found, linked to, and in the download', async () => {
    const sign = join(api.engine.config.dagsDir, 'burst.sign')
    const command = `echo begin; until test -f ${sign}; do sleep 0.1; done; seq 1 35000; sleep 1; echo end`
    api.write('burst', `steps:\n  - name: talk\n    command: ${command}\n`)
    const dagRunId = await api.started('burst')
    await visit(runAddress('burst', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('begin', { exact: true }).waitFor()
    writeFileSync(sign, '')
    await runIs('succeeded')
    await log.getByText('end', { exact: true }).waitFor()
    expect((await texts()).slice(-3)).to.deep.equal(['34999', '35000', 'end'])
    expect(await log.locator('*').count(), 'elements').to.be.below(400)

    // What has ended is searched to its end, and found whatever the case is.
    await page.getByPlaceholder('Find').fill('BEGIN')
    await page.getByText('1 line', { exact: true }).waitFor()
    await page.getByPlaceholder('Find').fill('3499')
    await page.getByText('14 lines', { exact: true }).waitFor()
    await page.getByPlaceholder('Find').press('F3')
    await page.getByText('1 of 14 lines').waitFor()
    await log.locator('.found', { hasText: '3499' }).locator('mark').waitFor()
    expect(await page.getByLabel('Follow').isChecked()).to.equal(false)
    await page.keyboard.press('Shift+F3')
    await log.locator('.found', { hasText: '34999' }).waitFor()

    await page.evaluate("document.querySelector('.log-box').scrollTop = 0")
    await log.getByText('begin', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Link to line 3', exact: true }).click()
    await page.waitForURL(/line=3(&|$)/)
    await visit('#/queues')
    await visit(runAddress('burst', dagRunId, '?step=talk&side=out&line=20001'))
    await log.locator('.chosen', { hasText: '20000' }).waitFor()
    const [line, box] = [await log.locator('.chosen').boundingBox(), await log.boundingBox()]
    expect((line?.y ?? 0) - (box?.y ?? 0)).to.be.within(0, box?.height ?? 0)

    const download = page.waitForEvent('download')
    await button('Download').click()
    const whole = readFileSync(await (await download).path(), 'utf8')
    expect(whole).to.equal(`begin\n${Array.from({ length: 35_000 }, (_, at) => at + 1).join('\n')}\nend\n`)
    for (const [width, colorScheme] of onlyLast([
      [1440, 'light'],
      [1024, 'dark'],
      [390, 'dark']
    ] as const)) {
      await page.setViewportSize({ width, height: 850 })
      await page.emulateMedia({ colorScheme })
      await log.scrollIntoViewIfNeeded()
      await keepPicture(page, `log ${width}`)
      expect(await seriousFindings(page)).to.deep.equal([])
    }
  })

  it('a regular expression is kept in the address; its lines are marked, F3 goes from one to the next, and a wrong one is said at the field', async () => {
    api.write('many', "steps:\n  - name: talk\n    command: seq -f 'line %g END' 1 2000\n")
    const dagRunId = await api.started('many')
    await api.ended('many', dagRunId)
    await visit(runAddress('many', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    const field = page.getByPlaceholder('Find')
    await log.getByText('line 2000').waitFor()
    await field.fill('line \\d9{3} end$')
    await page.getByText('Not found', { exact: true }).waitFor()
    await button('Regular expression').click()
    await page.getByText('1 line', { exact: true }).waitFor()
    await page.waitForURL(/regex=yes/)
    await field.fill('\\b[12]\\D*00\\D')
    await page.getByText('2 lines', { exact: true }).waitFor()
    await field.fill('\\b[12]\\d?00\\D')
    await page.getByText('13 lines', { exact: true }).waitFor()
    await field.press('F3')
    await page.getByText('1 of 13 lines').waitFor()
    await log.locator('.found.match', { hasText: 'line 100 END' }).waitFor()
    await page.keyboard.press('Shift+F3')
    await page.getByText('13 of 13 lines').waitFor()
    await log.locator('.found.match', { hasText: 'line 2000 END' }).waitFor()
    expect(await log.locator('.match').count(), 'of 1900 and 2000 at most').to.be.within(1, 2)
    expect(await seriousFindings(page)).to.deep.equal([])

    await field.fill('line (')
    await page.getByText(/^Invalid regular expression: .*missing closing/).waitFor()
    expect(await field.getAttribute('aria-invalid')).to.equal('true')
    expect(await page.locator('.inspector [role="alert"]').count(), 'the log itself is fine').to.equal(0)
    await log.getByText('line 2000').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'log regular expression')
    await button('Regular expression').click()
    await page.getByText('Not found', { exact: true }).waitFor()
    expect(await field.getAttribute('aria-invalid')).to.equal('false')
    expect(page.url()).to.not.contain('regex')

    await visit('#/queues')
    await visit(runAddress('many', dagRunId, '?step=talk&side=out&regex=yes'))
    await log.getByText('line 2000').waitFor()
    expect(await button('Regular expression').getAttribute('aria-pressed')).to.equal('true')
  })

  itLong('follows the log of a step that begins later, of a large run too', async () => {
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

  itLong('after a retry the log is that of the new attempt', async () => {
    const command = 'test -f $DAG_RUN_ID.again && echo second && exit; touch $DAG_RUN_ID.again; seq 1 10; exit 1'
    api.write('again', `steps:\n  - name: talk\n    command: ${command}\n`)
    const dagRunId = await api.started('again')
    await visit(runAddress('again', dagRunId, '?step=talk&side=out'))
    await runIs('failed')
    const log = page.getByRole('log')
    await log.locator('.log-text', { hasText: '10' }).waitFor()
    await button('Retry').click()
    await log.getByText('second').waitFor()
    expect(await texts()).to.deep.equal(['second'])
  })

  /** The details of a run, which say that a step writes to another file. */
  const detailsOf = (name: string, dagRunId: string) => new RegExp(`/dag-runs/${name}/${dagRunId}$`)

  it('no line of an attempt stands among those of another one, however late the page hears of the retry', async () => {
    const sign = join(api.engine.config.dagsDir, 'mixed.sign')
    const command = `test -f $DAG_RUN_ID.again && seq -f 'new %g' 1 12 && until test -f ${sign}; do sleep 0.1; done && exit; touch $DAG_RUN_ID.again; seq 1 10; exit 1`
    api.write('mixed', `steps:\n  - name: talk\n    command: ${command}\n`)
    const dagRunId = await api.started('mixed')
    await visit(runAddress('mixed', dagRunId, '?step=talk&side=out'))
    await runIs('failed')
    await page.getByRole('log').locator('.log-text', { hasText: '10' }).waitFor()
    const held = await heldAnswers(page, detailsOf('mixed', dagRunId))
    await button('Retry').click()
    await held.asked
    await is('talk', 'running')
    for (let looks = 0; looks < 3; looks++) await page.waitForResponse(/steps\/talk\/log\?/)
    const shown = await texts()
    expect(new Set(shown.map((text) => text.startsWith('new'))).size, shown.join()).to.be.below(2)
    await held.release()
    await page.getByRole('log').getByText('new 12').waitFor()
    writeFileSync(sign, '')
    await runIs('succeeded')
    expect(await texts()).to.deep.equal(Array.from({ length: 12 }, (_, at) => `new ${at + 1}`))
  })

  itLong('what a log of a new attempt shows stays in sight when the page hears which file it is', async () => {
    const [sign, end] = ['steady.sign', 'steady.end'].map((name) => join(api.engine.config.dagsDir, name))
    const gate = `test -f $DAG_RUN_ID.gate && until test -f ${sign}; do sleep 0.1; done && exit; touch $DAG_RUN_ID.gate; exit 1`
    const talk = `test -f $DAG_RUN_ID.talk && echo second && until test -f ${end}; do sleep 0.1; done && exit; touch $DAG_RUN_ID.talk; echo first; exit 1`
    api.write(
      'steady',
      `type: graph\nsteps:\n  - {name: gate, command: "${gate}", continueOn: {failure: true}}\n  - {name: talk, command: "${talk}", depends: gate}\n`
    )
    const dagRunId = await api.started('steady')
    await visit(runAddress('steady', dagRunId, '?step=talk&side=out'))
    await runIs('failed')
    await page.getByRole('log').getByText('first').waitFor()
    await button('Retry').click()
    await page.getByText('The log is empty.').waitFor()
    const held = await heldAnswers(page, detailsOf('steady', dagRunId))
    writeFileSync(sign ?? '', '')
    await held.asked
    await page.getByRole('log').getByText('second').waitFor()
    await page.evaluate(`(() => {
      window.gone = 0
      new MutationObserver(() => { if (!document.body.textContent.includes('second')) window.gone++ })
        .observe(document.body, { childList: true, subtree: true, characterData: true })
    })()`)
    const heard = page.waitForResponse(detailsOf('steady', dagRunId))
    await held.release()
    await heard
    writeFileSync(end ?? '', '')
    await runIs('succeeded')
    expect(await page.evaluate('window.gone')).to.equal(0)
    expect(await texts()).to.deep.equal(['second'])
  })

  it('a log has the colors of its program, none of its escape sequences, and of a progress bar the last state', async () => {
    const command =
      "printf '\\033[1;31mbroken\\033[0m <b>fine</b>\\n10 %%\\r100 %%\\n\\033[38;2;9;9;200mother\\033[0;43mground\\033[m'"
    api.write('colourful', `steps:\n  - name: talk\n    command: |\n      ${command}\n`)
    const dagRunId = await api.started('colourful')
    await api.ended('colourful', dagRunId)
    await visit(runAddress('colourful', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.locator('.ink-red').waitFor()
    expect(await texts()).to.deep.equal(['broken <b>fine</b>', '100 %', 'otherground'])
    expect(await log.locator('.ink-red.strong').textContent()).to.equal('broken')
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect(await seriousFindings(page), `its colours, ${colorScheme}`).to.deep.equal([])
    }
    await keepPicture(page, 'log colours')
  })
})
