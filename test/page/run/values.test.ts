/** Questions about values: what a step had, its attempts, two runs beside each other, who wrote to whom. Source: docs/page.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { keepPicture, seriousFindings } from '../../support/page/browser.ts'
import { countClicks } from '../../support/page/clicks.ts'
import { livePage, runAddress } from '../../support/page/live-page.ts'

const STAGED = `type: graph
params: STAGE=test
env: [HOST: "db.\${STAGE:-x}"]
secrets: [{name: TOKEN, provider: file, key: token.txt}]
steps:
  - {name: rows, command: echo "rows-1", output: ROWS}
  - name: load
    depends: rows
    env: [TARGET: "\${STAGE}/\${ROWS}"]
    command: test -n "$TOKEN" && test "$TARGET" = "test/rows-1"
  - {name: tell, depends: load, command: "true"}
`
const SECRET = 'unspeakable-value'
const FLAKY = `steps:
  - name: load
    retryPolicy: {limit: 3}
    command: |
      n=$(cat $DAG_RUN_ID.n 2>/dev/null || echo 0); n=$((n+1)); echo $n > $DAG_RUN_ID.n
      echo "this is number $n" >&2; [ $n -eq 3 ]
`
const STEPS = 60
const WIDE = `type: graph
maxActiveSteps: 8
steps:
${Array.from({ length: STEPS }, (_, at) => `  - {name: s${at}, command: "true", depends: []}\n`).join('')}`

describe('page › values', () => {
  let page: Page
  const { api, visit, box, button, runIs } = livePage((opened) => {
    page = opened
  })
  const ended = async (name: string, body: object = {}) => {
    const dagRunId = await api.started(name, body)
    await api.ended(name, dagRunId)
    return dagRunId
  }
  let bad = ''
  before(async () => {
    api.write('staged', STAGED)
    writeFileSync(join(api.engine.config.dagsDir, 'token.txt'), SECRET)
    await ended('staged')
    bad = await ended('staged', { params: 'STAGE=prod' })
  })
  const values = () => page.getByRole('region', { name: 'Values of load' })
  const row = (name: string) =>
    values()
      .getByRole('row')
      .filter({ has: page.getByText(name, { exact: true }) })

  it('which variable was wrong: one press from the run that failed', async () => {
    await visit(runAddress('staged', bad))
    await runIs('failed')
    const clicks = await countClicks(page)
    await button('Values').click()
    await values().getByText('2 values differ').waitFor()
    expect(await clicks.count()).to.be.at.most(2)
    const first = values().getByRole('row').first()
    expect(await first.textContent()).to.match(/STAGE[\s\S]*parameter[\s\S]*≠ Changed prod[\s\S]*was test/)
    expect(await row('TARGET').textContent()).to.match(
      /env of the step[\s\S]*≠ Changed prod\/rows-1[\s\S]*was test\/rows-1/
    )
    expect(await row('ROWS').textContent()).to.match(/output of rows[\s\S]*rows-1/)
    expect(await row('TOKEN').textContent()).to.match(/secret[\s\S]*hidden/)
    expect(await page.content()).to.not.include(SECRET)
    const command = values().getByRole('region', { name: 'Command' })
    await command.getByText('test "prod/rows-1" = "test/rows-1"').waitFor()
    await command.getByText('test "$TARGET" = "test/rows-1"').waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'values of a step')
  })

  it('at a moment of the past they are those of then', async () => {
    await visit(runAddress('staged', bad, '?step=load&side=values&at=3'))
    await values().getByText(/STAGE/).first().waitFor()
    expect(await row('ROWS').count()).to.equal(1)
    expect(await row('ROWS').textContent()).to.match(/Absent[\s\S]*was rows-1/)
  })

  it('the logs of attempts 1 and 3 of a step that succeeded at last: one press', async () => {
    api.write('flaky', FLAKY)
    await visit(runAddress('flaky', await ended('flaky')))
    await runIs('succeeded')
    const clicks = await countClicks(page)
    await box('load').press('Enter')
    const attempts = page.getByRole('list', { name: 'Attempts of load' }).getByRole('listitem')
    await attempts.nth(0).getByText('this is number 1').waitFor()
    await attempts.nth(2).getByText('this is number 3').waitFor()
    expect(await clicks.count()).to.be.at.most(2)
    expect(await attempts.locator('.status').allInnerTexts()).to.deep.equal(['Failed', 'Failed', 'Succeeded'])
    // However long the words of one are.
    for (const part of ['p.soft', 'pre'])
      expect(new Set(await attempts.locator(part).evaluateAll(topsOf)), part).to.have.length(1)
    expect(await seriousFindings(page)).to.deep.equal([])
  })

  it('two runs: what came out otherwise first, then what took another path; equal steps behind their number', async () => {
    // How long steps took is a matter of the machine.
    await page.route(/\/diff\?/, async (route) => {
      const answer = await route.fetch()
      const alike = (await answer.text()).replace(/"ms":\d+/g, '"ms":100')
      await route.fulfill({ response: answer, body: alike })
    })
    await visit(runAddress('staged', bad, '?view=compare'))
    const steps = page.getByRole('region', { name: 'Steps' })
    await steps.getByRole('row', { name: /^load/ }).waitFor()
    expect(await steps.getByRole('rowheader').allInnerTexts()).to.deep.equal(['load', 'tell'])
    await button('Show 1 equal step').click()
    expect(await steps.getByRole('rowheader').allInnerTexts()).to.deep.equal(['load', 'tell', 'rows'])
    const regions = await page
      .locator('.compare section')
      .evaluateAll((all) => all.map((it) => it.getAttribute('aria-label')))
    expect(regions[0]).to.equal('Steps')
    expect(await seriousFindings(page)).to.deep.equal([])
  })

  it('messages of more than 60 actors: families in a few lanes that are in sight at once, unfolded by a press; heads stay', async () => {
    api.write('wide', WIDE)
    await visit(runAddress('wide', await ended('wide'), '?view=messages'))
    const heads = page.locator('.lane-names span')
    await heads.filter({ hasText: `Steps: ${STEPS}` }).waitFor()
    expect(await heads.count()).to.be.at.most(5)
    await keepPicture(page, 'messages of 60 actors')
    const list = page.getByRole('listbox', { name: 'Messages' })
    await list.press('End')
    const [head, place] = [await heads.first().boundingBox(), await list.boundingBox()]
    expect(Math.abs((head?.y ?? 0) - (place?.y ?? 99))).to.be.below(4)
    await button(`Steps: ${STEPS}`).click()
    await heads
      .filter({ hasText: /^s\d+$/ })
      .first()
      .waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
  })
})

/** Runs in the page. */
const topsOf = (all: { getBoundingClientRect(): { top: number } }[]): number[] =>
  all.map((it) => Math.round(it.getBoundingClientRect().top))
