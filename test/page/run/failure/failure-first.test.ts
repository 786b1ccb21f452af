/** A run that failed is opened at its first failure; the flag leads to each of them. Source: docs/page.md "Failures". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../../../support/long.ts'
import { keepPicture, seriousFindings } from '../../../support/page/browser.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'
import { eventually } from '../../../support/waiting.ts'

const goesOn = 'continueOn: {failure: true}'
const THRICE = `steps:
  - {name: fine, command: "true"}
  - {name: one, command: 'echo "one is lost" >&2; exit 1', ${goesOn}}
  - {name: two, command: 'echo "two is said"; exit 2', ${goesOn}}
  - {name: three, command: 'echo "three is lost" >&2; exit 3'}
`

describe('page › failure first', () => {
  let page: Page
  const { api, visit, box, is, runIs, button } = livePage((opened) => {
    page = opened
  })
  const ended = async (name: string, text?: string) => {
    if (text !== undefined) api.write(name, text)
    const dagRunId = await api.started(name)
    await api.ended(name, dagRunId)
    return dagRunId
  }
  const panel = (name: string) => page.getByRole('complementary', { name, exact: true })
  const card = (name: string) => page.getByRole('region', { name, exact: true })
  const stepOf = () => new URLSearchParams(page.url().split('?')[1]).get('step')
  const stepIs = (step: string | null) => page.waitForURL(() => stepOf() === step)

  it('a run that failed is opened with its first failed step: its card, and its address; the heading keeps the focus', async () => {
    const dagRunId = await ended('thrice', THRICE)
    await visit('#/runs')
    await page
      .getByRole('row', { name: new RegExp(dagRunId) })
      .getByRole('link')
      .first()
      .click()
    await panel('Step one').waitFor()
    await card('First failure').getByText('one is lost').waitFor()
    await card('First failure').getByRole('button', { name: 'Rerun from here' }).waitFor()
    await page.locator('h1:focus', { hasText: 'thrice' }).waitFor()
    expect(stepOf()).to.equal('one')
    expect(await page.getByRole('region', { name: 'Actions on the step' }).count()).to.equal(1)
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'failure first')
    await page.goBack()
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor()
  })

  itLong('a link with a step, a moment, or the log of the run wins, and so does a run that did not fail', async () => {
    const dagRunId = await ended('thrice', THRICE)
    for (const [query, shown] of [
      ['?step=two', 'Step two'],
      ['?at=2', 'Run'],
      ['?side=out', 'Run'],
      ['?side=chart&actor=x', 'Run']
    ] as const) {
      await visit('#/queues')
      await visit(runAddress('thrice', dagRunId, query))
      await box('one').waitFor()
      await panel(shown).waitFor()
      expect(new URL(page.url()).hash, query).to.equal(runAddress('thrice', dagRunId, query))
    }
    await visit(runAddress('report', await ended('report')))
    await runIs('succeeded')
    await panel('Run').waitFor()
  })

  it('once it was closed the run is shown, when one comes back, too; and nothing is selected when a run fails that is looked at', async () => {
    const dagRunId = await ended('thrice', THRICE)
    await visit(runAddress('thrice', dagRunId))
    await panel('Step one').waitFor()
    await button('Close: show the run').click()
    await panel('Run').waitFor()
    await card('First failure').getByText('one is lost').waitFor()
    await page.getByRole('link', { name: 'Queues' }).click()
    await page.getByRole('heading', { name: 'Queues' }).waitFor()
    await page.goBack()
    await card('First failure').getByText('one is lost').waitFor()
    await panel('Run').waitFor()
    expect(stepOf()).to.equal(null)
    await page.goBack()
    await panel('Step one').waitFor()

    api.write('fails-later', 'steps: [{name: breaks, command: sleep 3; exit 1}]')
    await visit(runAddress('fails-later', await api.started('fails-later')))
    await is('breaks', 'running')
    await runIs('failed')
    await card('First failure').waitFor()
    expect(stepOf()).to.equal(null)
  })

  it('the flag goes from failure to failure, by its button and by F8, says which it is, and the card follows', async () => {
    const dagRunId = await ended('thrice', THRICE)
    await visit(runAddress('thrice', dagRunId, '?step=fine'))
    await panel('Step fine').waitFor()
    const place = page.locator('.failure-place')
    await button('First failure').click()
    await place.getByText('1 of 3').waitFor()
    await card('First failure').getByText('one is lost').waitFor()
    await button('Next failure in time').click()
    await place.getByText('2 of 3').waitFor()
    await panel('Step two').waitFor()
    await card('Failure').getByText('two is said').waitFor()
    await is('three', 'not_started')
    await page.keyboard.press('F8')
    await place.getByText('3 of 3').waitFor()
    await card('Failure').getByText('three is lost').waitFor()
    expect(stepOf()).to.equal('three')
    await page.keyboard.press('F8')
    await place.getByText('1 of 3').waitFor()
    await panel('Step one').waitFor()
    await page.keyboard.press('Shift+F8')
    await place.getByText('3 of 3').waitFor()
    await panel('Step three').waitFor()
    await button(/^Now$/).click()
    await page.waitForURL(/^[^?]*\?step=three$/)
    expect(await place.textContent()).to.equal('')
    expect(await seriousFindings(page)).to.deep.equal([])
  })

  itLong(
    'of a step that has been retried since, an earlier failure has no card: its log is that of the new attempt',
    async () => {
      const command = 'test -f $DAG_RUN_ID.again && exit; touch $DAG_RUN_ID.again; echo "lost at first" >&2; exit 1'
      const dagRunId = await ended('heals', `steps: [{name: x, command: '${command}'}]`)
      await visit(runAddress('heals', dagRunId))
      await card('First failure').getByText('lost at first').waitFor()
      await button('Retry').click()
      await runIs('succeeded')
      await card('First failure').waitFor({ state: 'detached' })
      await button('First failure').click()
      await panel('Step x').locator('.status.s-failed').waitFor()
      await page.locator('.failure-place').getByText('1 of 1').waitFor()
      expect(await card('First failure').count()).to.equal(0)
    }
  )

  itLong('the graph has the failure in its middle', async () => {
    const steps = Array.from({ length: 30 }, (_, at) => {
      const command = at === 15 ? 'exit 1' : 'true'
      return `  - {name: step-${at}, command: "${command}"${at === 0 ? '' : `, depends: step-${at - 1}`}}\n`
    })
    const dagRunId = await ended('chain', `type: graph\nsteps:\n${steps.join('')}`)
    await visit(runAddress('chain', dagRunId))
    await panel('Step step-15').waitFor()
    await eventually('the failure in the middle', async () => {
      const [one, all] = [
        await box('step-15').boundingBox(),
        await page.getByRole('group', { name: /^Graph/ }).boundingBox()
      ]
      const isNear = (side: 'x' | 'y', length: 'width' | 'height') =>
        one && all && Math.abs(one[side] + one[length] / 2 - all[side] - all[length] / 2) < 40
      return (isNear('x', 'width') && isNear('y', 'height')) || undefined
    })
  })

  itLong(
    'at 390 px it is selected, too, below the graph: nothing scrolls, and the heading keeps the focus',
    async () => {
      await page.setViewportSize({ width: 390, height: 760 })
      const dagRunId = await ended('thrice', THRICE)
      await visit('#/runs')
      await page
        .getByRole('row', { name: new RegExp(dagRunId) })
        .getByRole('link')
        .first()
        .click()
      await stepIs('one')
      await card('First failure').getByText('one is lost').waitFor()
      await page.locator('h1:focus', { hasText: 'thrice' }).waitFor()
      expect(await page.evaluate('scrollY')).to.equal(0)
      await keepPicture(page, 'failure first 390')
    }
  )
})
