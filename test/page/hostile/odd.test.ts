/** Logs and names as nobody would write them: lines of a megabyte, control characters, writing from right to left. Source: docs/page.md "Logs". */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong, ofAll } from '../../support/long.ts'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { cutText } from '../../support/page/cut-text.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'

const MEGABYTE = 1_000_000
const MOST_SIGNS = 20_000
const MOST_OF_ROW = 4_000
/** Everything before and after is written from the right as long as nothing ends it. */
const OVERRIDE = '\u202e'
const HEBREW = '\u05e9\u05dc\u05d5\u05dd'
const STEP = `${HEBREW} ${OVERRIDE}gnp.exe`

/** Runs in the page: its own words, without any sign from right to left, that are drawn from the right all the same. */
const REVERSED = `(() => {
  const found = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const leftOf = (node, at) => {
    const range = document.createRange()
    range.setStart(node, at)
    range.setEnd(node, at + 1)
    return range.getBoundingClientRect()
  }
  while (walker.nextNode()) {
    const node = walker.currentNode
    const word = /[a-z]{3,}/i.exec(node.data)
    if (!word || /[\\u0590-\\u05ff\\u202e]/.test(node.data) || node.parentElement.closest('.unseen')) continue
    if (!node.parentElement.checkVisibility()) continue
    const [first, last] = [leftOf(node, word.index), leftOf(node, word.index + word[0].length - 1)]
    if (first.width > 0 && first.top === last.top && first.left > last.left) found.push(node.data)
  }
  return found
})()`

describe('page › logs and names as nobody would write them', () => {
  let page: Page
  const { api, visit, button } = livePage((opened) => {
    page = opened
  })
  let dagRunId: string
  let whole: Buffer

  before(async () => {
    const file = join(api.engine.config.dagsDir, 'odd.log')
    const controls = Array.from({ length: 32 }, (_, at) => at).filter((code) => ![10, 13, 27].includes(code))
    whole = Buffer.concat([
      Buffer.from('begin\n'),
      Buffer.from('<i>&amp;'.repeat(MEGABYTE / 8)),
      Buffer.from('\nbetween\nraw:'),
      Buffer.from([...controls, 0x7f, 0xff, 0xfe]),
      Buffer.from(`:raw\n${HEBREW} ${OVERRIDE}gnp.exe\nplain after it\n`)
    ])
    writeFileSync(file, whole)
    api.write(
      'odd',
      `description: ${JSON.stringify(`${HEBREW} ${OVERRIDE}desrever`)}
tags: [${JSON.stringify(`${OVERRIDE}gat`)}]
steps:
  - name: talk
    command: cat ${file}
  - name: ${JSON.stringify(STEP)}
    description: ${JSON.stringify(`${OVERRIDE}desrever`)}
    command: ${JSON.stringify(`echo '${OVERRIDE}desrever' >&2; exit 3`)}
    retryPolicy: {limit: 1, intervalSec: 1}
`
    )
    dagRunId = await api.started('odd')
    await api.ended('odd', dagRunId)
  })

  it('a line of a megabyte does not hide those around it; the download has all of it', async () => {
    await visit(runAddress('odd', dagRunId, '?step=talk&side=out'))
    const log = page.getByRole('log')
    await log.getByText('plain after it').waitFor()
    const lengths = (await page.locator('.log-text').allTextContents()).map((text) => text.length)
    expect(lengths).to.have.length(6)
    expect(lengths[1]).to.be.within(MOST_SIGNS, MOST_SIGNS + 200)
    await page.getByLabel('Wrap').click()
    await log.getByText('begin', { exact: true }).waitFor()
    expect(await page.locator('.log-text :is(i, a, img)').count(), 'markup').to.equal(0)
    await keepPicture(page, 'log odd')
    const download = page.waitForEvent('download')
    await button('Download').click()
    expect(readFileSync(await (await download).path()).equals(whole)).to.equal(true)
    await visit(runAddress('odd', dagRunId, '?view=logs'))
    // In pieces, as the server has it.
    const row = page.getByRole('option', { name: /<i>&amp;/ }).first()
    await row.waitFor()
    expect((await row.textContent())?.length).to.be.at.most(MOST_OF_ROW + 100)
    await row.click()
    await page.getByRole('region', { name: 'Selected line' }).waitFor()
  })

  itLong('control characters end no line and hide nothing', async () => {
    await visit(runAddress('odd', dagRunId, '?step=talk&side=out'))
    await page.getByRole('log').getByText('plain after it').waitFor()
    const [, , between, raw, right, after] = await page.locator('.log-text').allTextContents()
    expect([between, after]).to.deep.equal(['between', 'plain after it'])
    expect(raw).to.match(/^raw:.*:raw$/s)
    expect(right).to.equal(`${HEBREW} ${OVERRIDE}gnp.exe`)
    expect(await page.evaluate(REVERSED)).to.deep.equal([])
  })

  for (const width of ofAll([390], [1440, 390]))
    it(`at ${width} px writing from right to left turns around no words but its own`, async () => {
      await page.setViewportSize({ width, height: 900 })
      const step = encodeURIComponent(STEP)
      const faults: string[] = []
      for (const view of [
        '',
        '#/runs',
        '#/definitions',
        '#/definitions/odd',
        '#/definitions/odd?tab=text',
        '#/definitions/odd?tab=grid',
        '#/definitions/odd?tab=durations',
        runAddress('odd', dagRunId),
        runAddress('odd', dagRunId, '?view=steps'),
        runAddress('odd', dagRunId, '?view=events'),
        runAddress('odd', dagRunId, '?view=messages'),
        runAddress('odd', dagRunId, '?view=logs'),
        runAddress('odd', dagRunId, `?step=${step}`),
        runAddress('odd', dagRunId, `?step=${step}&side=err`),
        runAddress('odd', dagRunId, `?step=${step}&side=chart`)
      ]) {
        await visit('#/machines/x')
        await visit(view)
        await page.locator('h1').first().waitFor()
        await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
        await page.waitForTimeout(200)
        // A sentence of the server about the step.
        if (view.includes('step=') && !view.includes('side='))
          await page
            .locator('.why')
            .getByText(/\ufffdgnp\.exe ended with code 3/)
            .waitFor()
        for (const fault of [...(await page.evaluate<string[]>(REVERSED)), ...(await cutText(page))])
          faults.push(`${view}: ${fault}`)
        await keepPicture(page, `right to left ${width} ${view.replace(dagRunId, '')}`)
      }
      expect(faults).to.deep.equal([])
      expect(await seriousFindings(page)).to.deep.equal([])
    })
})
