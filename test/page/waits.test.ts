/** A step that waits, answered on the page. Source: embedding 2.5; docs/executors/signal.md. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { keepPicture, seriousFindings } from '../support/page/browser.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

const ORDER = `type: graph
steps:
  - name: paid
    executor:
      type: signal
      config:
        ask: Has it been paid?
        payloadSchema:
          type: object
          required: [amount]
          properties:
            amount: {type: number, minimum: 1}
            currency: {enum: [EUR, USD]}
            gift: {type: boolean}
  - name: ship
    depends: paid
    executor: {type: approval, config: {ask: "Ship it?"}}
`

const DEPLOY = `params: "VERSION=4.0"
steps:
  - name: approve
    timeoutSec: 3600
    executor: {type: approval, config: {ask: "Deploy \${VERSION} to production?"}}
`
const LOOKS = [
  [1440, 'light'],
  [390, 'dark']
] as const

describe('page › a step that waits', () => {
  let page: Page
  const { api, visit, is, button } = livePage((opened) => {
    page = opened
  })

  const isTitled = (title: string) => eventually(title, async () => (await page.title()) === title || undefined)

  it('has a form made of its schema, and buttons to approve and refuse; what is refused is said in words, and who did what is shown', async () => {
    api.write('order', ORDER)
    const dagRunId = await api.started('order')
    await visit(runAddress('order', dagRunId, '?step=paid'))
    await page.getByText('Has it been paid?').first().waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await page.getByLabel('amount (required)').fill('0')
    await button('Send signal').click()
    await page.getByText('/amount: must be >= 1').first().waitFor()
    await page.getByLabel('amount (required)').fill('3')
    await page.getByLabel('currency').selectOption('USD')
    await button('Send signal').click()
    await is('paid', 'succeeded')
    await page.getByText('"currency":"USD"').first().waitFor()
    await visit(runAddress('order', dagRunId, '?step=ship'))
    await page.getByLabel('Note').fill('too dear')
    await button('Refuse').click()
    await is('ship', 'failed')
    await page.getByText('refused: too dear').first().waitFor()
    const { nodes } = await api.ended('order', dagRunId)
    expect(JSON.parse(nodes[0].given.payload)).to.deep.equal({ amount: 3, currency: 'USD', gift: false })
    expect(JSON.parse(nodes[1].given.payload)).to.deep.equal({ approved: false, note: 'too dear' })
  })

  it('what waits for a person is first on Today, counted in the bar and the title, and answered in place; nothing waits: it is not there', async () => {
    await visit('')
    await page.getByRole('heading', { name: 'Needs attention' }).waitFor()
    const section = page.getByRole('region', { name: 'Waits for you' })
    expect([await section.count(), await page.title()]).to.deep.equal([0, 'Today – Troupe'])
    api.write('deploy', DEPLOY)
    api.write('order', ORDER)
    const deployed = await api.started('deploy', { params: 'VERSION=4.13.1' })
    const ordered = await api.started('order')
    const item = (name: string) => section.getByRole('listitem').filter({ hasText: name })
    await item('deploy').getByText('Deploy 4.13.1 to production?').waitFor()
    await item('deploy')
      .getByText(/approve, waiting for approval since \d\d:\d\d:\d\d, until .*\d\d:\d\d:\d\d/)
      .waitFor()
    await item('order').waitFor()
    await isTitled('(2) Today – Troupe')
    await page.getByRole('link', { name: 'Today 2 waiting for you' }).waitFor()
    const [first] = await page.locator('main section').all()
    expect(await first?.getAttribute('aria-label')).to.equal('Waits for you')
    for (const [width, colorScheme] of LOOKS) {
      await page.setViewportSize({ width, height: 900 })
      await page.emulateMedia({ colorScheme })
      await page.locator('.count:visible').getByText('2').waitFor()
      expect(await seriousFindings(page), `${width}`).to.deep.equal([])
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).to.equal(0)
      await keepPicture(page, `waits for you ${width}`)
    }
    await item('deploy').getByLabel('Note').fill('not on a Friday')
    await item('deploy').getByRole('button', { name: 'Refuse' }).click()
    await isTitled('(1) Today – Troupe')
    expect((await api.ended('deploy', deployed)).nodes[0].error).to.contain('not on a Friday')
    await item('order').getByText('Answer').click()
    await item('order').getByLabel('amount (required)').fill('3')
    await item('order').getByRole('button', { name: 'Send signal' }).click()
    await item('order').getByText('Ship it?').waitFor()
    await item('order').getByRole('button', { name: 'Approve' }).click()
    await section.waitFor({ state: 'detached' })
    expect((await api.ended('order', ordered)).statusLabel).to.equal('succeeded')
    await isTitled('Today – Troupe')
  })

  it('a run that waits says so in the list, in its head, on its step, now and then, and its panel has the answer', async () => {
    api.write('deploy', DEPLOY)
    const dagRunId = await api.started('deploy')
    await visit('#/runs')
    await page.getByRole('row', { name: /Waiting for approval/ }).waitFor()
    await keepPicture(page, 'list of runs that wait')
    await page.getByLabel('Waiting for').selectOption('Waiting for signal')
    await page.getByText('No matching runs.').waitFor()
    await page.getByLabel('Waiting for').selectOption('Waiting for approval')
    await page
      .getByRole('row', { name: /Waiting for approval/ })
      .getByRole('link')
      .click()
    await page.locator('.run-head').getByText('Waiting for approval').waitFor()
    const graph = page.getByRole('button', { name: 'approve, Waiting for approval' })
    await graph.waitFor()
    expect(await seriousFindings(page)).to.deep.equal([])
    await keepPicture(page, 'run that waits')
    const { events } = await api.get(`/dag-runs/deploy/${dagRunId}/journal`)
    const at = events.find(({ to }: { to: string }) => to === 'awaiting').seq
    const panel = page.getByRole('complementary', { name: 'Run' })
    expect(await panel.getByText('Deploy 4.0 to production?').count(), 'what is asked').to.equal(1)
    expect(await panel.textContent(), 'in a sentence').to.not.contain(`approve ${dagRunId}`)
    await panel.getByRole('heading').getByRole('link', { name: 'approve' }).click()
    await page.waitForURL(/step=approve/)
    const ofStep = page.getByRole('complementary', { name: 'Step approve' })
    await ofStep.getByRole('button', { name: 'Approve' }).waitFor()
    expect(await ofStep.getByText('Deploy 4.0 to production?').count(), 'what is asked').to.equal(1)
    await page.goBack()
    await panel.getByRole('button', { name: 'Approve' }).click()
    await page.locator('.run-head .status.s-succeeded').waitFor()
    await visit(runAddress('deploy', dagRunId, `?at=${at}`))
    await graph.waitFor()
    expect(await panel.getByRole('button', { name: 'Approve' }).count(), 'an answer in the past').to.equal(0)
  })

  it('a run that waits in one that it has called is answered below its root run, and the root run leads to it', async () => {
    api.write('above', 'steps: [{name: calls, call: below}]')
    api.write('below', 'steps: [{name: ok, executor: {type: approval, config: {ask: "Shall we?"}}}]')
    const dagRunId = await api.started('above')
    await visit(runAddress('above', dagRunId))
    await page.locator('.run-head').getByText('Waiting for approval').waitFor()
    await page.getByRole('button', { name: 'calls, Waiting for approval' }).waitFor()
    await page
      .getByRole('complementary', { name: 'Run' })
      .getByRole('link', { name: /^below/ })
      .click()
    await page.getByRole('heading', { name: 'below', level: 1 }).waitFor()
    await visit('')
    await page.getByRole('listitem').filter({ hasText: 'Shall we?' }).getByRole('button', { name: 'Approve' }).click()
    expect((await api.ended('above', dagRunId)).statusLabel).to.equal('succeeded')
  })

  it('what waits is counted, drawn and named as waiting, not as running: on Today, in the strip and the grid of a definition, with its version, in its queue', async () => {
    api.write('ask', DEPLOY)
    api.write('busy', 'steps: [sleep 600]')
    const [waiting, running] = [await api.started('ask'), await api.started('busy')]
    await visit('')
    await page.getByRole('link', { name: '1 running', exact: true }).waitFor()
    const day = page.getByRole('region', { name: 'Last 24 hours' })
    await day.getByRole('link', { name: /ask ?: 1 waiting/ }).waitFor()
    expect(await day.locator('rect.s-waiting').count()).to.equal(1)
    await page.getByRole('link', { name: '1 waiting', exact: true }).click()
    await page.waitForURL(/waitingFor=any/)
    await page.getByRole('row', { name: /ask/ }).waitFor()
    expect(await page.getByRole('row', { name: /busy/ }).count()).to.equal(0)
    await visit('#/definitions?name=ask')
    await page
      .getByRole('list', { name: 'Latest runs of ask' })
      .getByRole('link', { name: /^Waiting for approval, / })
      .waitFor()
    await visit('#/definitions/ask?tab=grid')
    await page.getByRole('columnheader', { name: /^Waiting for approval, / }).waitFor()
    await page.locator('.grid-bar.s-waiting').waitFor()
    await page.locator('.cell.s-waiting').getByText('W').waitFor()
    await visit('#/definitions/ask?tab=versions')
    await page.getByRole('link', { name: `Waiting for approval, ${waiting}` }).waitFor()
    await visit('#/queues')
    await page.getByRole('region', { name: 'Queue ask' }).getByText('0 running, 1 waiting, 0 queued').waitFor()
    for (const [name, dagRunId] of Object.entries({ ask: waiting, busy: running })) {
      await api.call('POST', `/dag-runs/${name}/${dagRunId}/stop`)
      await api.ended(name, dagRunId)
    }
  })

  it('a run that sleeps says until when', async () => {
    api.write('nap', 'steps: [{name: rest, executor: {type: sleep, config: {for: PT10M}}}]')
    const dagRunId = await api.started('nap')
    await visit('#/runs?name=nap')
    await page.getByRole('row', { name: /Waiting until .*\d\d:\d\d:\d\d/ }).waitFor()
    await visit(runAddress('nap', dagRunId))
    await page.getByRole('button', { name: /^rest, Waiting until/ }).waitFor()
    await page
      .locator('.run-head .status.s-running')
      .getByText(/Waiting until/)
      .waitFor()
    await api.call('POST', `/dag-runs/nap/${dagRunId}/stop`)
  })
})
