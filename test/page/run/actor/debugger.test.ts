/** The chart as a debugger: words on every transition, what an event would do, what one changed, breakpoints, lanes. Source: docs/page.md "Charts". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { chart } from '../../../../src/inspect/charts.ts'
import { all, transitionText } from '../../../../src/page/chart/chart-shape.ts'
import { itLong, onlyLast } from '../../../support/long.ts'
import { seriousFindings } from '../../../support/page/browser.ts'
import { livePage, runAddress } from '../../../support/page/live-page.ts'

interface Told {
  seq: number
  actor: string
  event: string
  to: string
}

describe('page › the chart as a debugger', () => {
  let page: Page
  const { api, visit, lit, button } = livePage((opened) => {
    page = opened
  })
  let dagRunId: string
  let events: Told[]

  before(async () => {
    dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    events = (await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json.events
  })
  const seqOf = (actor: string, to: string) =>
    events.find((event) => event.actor.endsWith(actor) && event.to === to)?.seq ?? expect.fail(`no ${actor} ${to}`)
  const of = (query: string) => runAddress('report', dagRunId, query)
  const seqInAddress = () => Number(/[?&]at=(\d+)/.exec(page.url())?.[1])

  it('each transition of a step to another state has its event and its guard in the drawing; what stays in its state is in the list below', async () => {
    await visit('#/machines/node')
    await page.getByRole('group', { name: 'Chart of node' }).waitFor()
    const words = await page.locator('.transition-words tspan, .chart-always tspan').allTextContents()
    const node = chart('node') ?? expect.fail()
    const inner = all(node.states).flatMap(({ transitions }) => transitions)
    const wanted = node.transitions.map(transitionText)
    // A guard stands below its event.
    for (const one of inner.filter(({ targets }) => targets.length > 0))
      wanted.push(...transitionText(one).replace(' [', '\n[').split('\n'))
    expect(wanted.length).to.be.greaterThan(80)
    expect(wanted.filter((text) => text !== '' && !words.includes(text))).to.deep.equal([])
    const staying = all(node.states).find(({ transitions }) => transitions.some(({ targets }) => targets.length === 0))
    await page.locator(`.state[data-state="${staying?.path}"]`).press('Enter')
    await page
      .getByRole('region', { name: `State ${staying?.path}` })
      .getByText('→ stays')
      .first()
      .waitFor()
  })

  itLong(
    'words that would cover something are hidden; those around a selected state are shown where they have room',
    async () => {
      await visit('#/machines/node')
      const line = page.locator('.line:not(.roomy, .near, .latest):has(.line-reach):has(.transition-words)').first()
      await line.waitFor({ state: 'attached' })
      expect(await line.locator('text').isVisible()).to.equal(false)
      const state = page.locator('.state[data-state="waiting"]')
      await state.focus()
      await page.keyboard.press('Enter')
      const shown = page.locator('.line.near:not(.crowded) .transition-words tspan').first()
      await shown.waitFor()
      const { height } = (await shown.boundingBox()) ?? { height: 0 }
      expect(height).to.be.at.least(11)
    }
  )

  for (const width of onlyLast([1440, 390]))
    it(`the chart of a step has the states that it can reach, fits at ${width} px, and shows all when asked`, async () => {
      await page.setViewportSize({ width, height: 900 })
      await visit(of('?step=check&side=chart'))
      await lit('succeeded')
      const states = page.locator('.state')
      expect(await states.evaluateAll((all) => all.map((one) => one.getAttribute('data-state')).sort())).to.deep.equal([
        'attempting',
        'attempting.executing',
        'attempting.stopping',
        'attempting.stopping.asked',
        'attempting.stopping.killed',
        'canceled',
        'failed',
        'picked',
        'succeeded',
        'waiting'
      ])
      expect(await page.locator('.way-number').allTextContents()).to.have.members(['1', '2', '3', '4'])
      const canvas = (await page.locator('.chart svg').first().boundingBox()) ?? expect.fail()
      for (const state of await states.all()) {
        const box = (await state.boundingBox()) ?? expect.fail()
        expect(box.x).to.be.at.least(canvas.x)
        expect(box.x + box.width).to.be.at.most(canvas.x + canvas.width)
        expect(box.y + box.height).to.be.at.most(canvas.y + canvas.height)
      }
      expect(await seriousFindings(page)).to.deep.equal([])
      await page.getByLabel('All states').check()
      await page.locator('.state[data-state="placing"]').waitFor()
      expect(await states.count()).to.be.above(25)
    })

  it('an accepted event is tried on a copy: its state, its effects and its changes are shown, and the run stays', async () => {
    const at = seqOf('/node/check', 'attempting.executing')
    await visit(of(`?step=check&side=chart&at=${at}`))
    await lit('attempting.executing')
    await button('attempt.ended').click()
    const outcome = page.getByRole('region', { name: 'What attempt.ended would do' })
    await outcome.getByText('waiting', { exact: true }).waitFor()
    await outcome.getByText('retryCount').waitFor()
    await page.locator('.state.would[data-state="waiting"]').waitFor()
    await page.getByLabel('Event', { exact: true }).fill('{"type":"attempt.ended","exitCode":0}')
    await page.keyboard.press('Enter')
    await outcome.getByText('succeeded', { exact: true }).waitFor()
    await lit('attempting.executing')
    expect((await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json.events).to.have.length(events.length)
    expect(await seriousFindings(page)).to.deep.equal([])
  })

  it('the context is a tree, and what the event changed is marked with what was there before', async () => {
    await visit(of(`?step=check&side=chart&at=${seqOf('/node/check', 'waiting')}`))
    const context = page.getByRole('region', { name: 'Context' })
    await context.locator('.changed', { hasText: 'retryCount' }).getByText('was 0').waitFor()
    expect(await context.locator('.changed', { hasText: 'attempt ' }).count()).to.equal(0)
  })

  it('playing stops when an actor enters a state that was chosen in its chart', async () => {
    await visit(of('?step=check&side=chart&at=1'))
    await page.locator('.state[data-state="waiting"]').click()
    await button('Stop playing when it enters this state').click()
    await page.getByText('Stop when node/check enters waiting').waitFor()
    await button(/^Play$/).click()
    await lit('waiting')
    await button(/^Play$/).waitFor()
    expect(seqInAddress()).to.equal(seqOf('/node/check', 'waiting'))
    await button('Remove: node/check enters waiting').click()
    await page.waitForURL((url) => !url.href.includes('break='))
  })

  itLong('the actors of a run are a tree with the state of each; choosing one shows its chart', async () => {
    await visit(of('?side=chart'))
    await lit('succeeded')
    await page.getByText(/^\d+ actors$/).click()
    const tree = page.getByRole('listbox', { name: 'Actors' })
    await tree.getByRole('option', { name: 'node/check' }).click()
    await page.waitForURL(/step=check/)
    await page.getByRole('group', { name: 'Chart of node' }).waitFor()
  })

  it('messages are arrows between lanes: pressing one travels there, by pointer and by keys', async () => {
    await visit(of('?view=messages'))
    const messages = page.getByRole('listbox', { name: 'Messages' })
    await messages
      .getByRole('option', { name: / to node\/check/ })
      .first()
      .click()
    await page.waitForURL(/at=\d+/)
    const at = seqInAddress()
    expect(events.find(({ seq }) => seq === at)?.actor).to.match(/node\/check$/)
    await messages.press('ArrowDown')
    await page.waitForURL((url) => !url.href.includes(`at=${at}`))
    expect(seqInAddress()).to.be.greaterThan(at)
    expect(await seriousFindings(page)).to.deep.equal([])
  })
})
