/** A run on the page: now, at any past instant, and why. Source: architecture 9. */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../support/long.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'
import { eventually } from '../support/waiting.ts'

describe('page › a real browser on a real engine', () => {
  let page: Page
  const { api, visit, box, is, runIs, lit, button } = livePage((opened) => {
    page = opened
  })

  it('starts a run with parameters, and shows a node go through an attempt, a retry wait and success', async () => {
    await visit('#/definitions')
    await button('Start report').click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Parameters').fill('DAY=sunday')
    await dialog.getByRole('button', { name: 'Start', exact: true }).click()
    await page.waitForURL(/#\/runs\/report\//)
    await box('check').click()
    await page.getByRole('tab', { name: 'Chart' }).click()
    await lit('waiting')
    await lit('succeeded')
    await is('check', 'succeeded')
    await page.getByRole('button', { name: 'check, Succeeded, 2 attempts' }).waitFor()
    await is('publish', 'succeeded')
    await runIs('succeeded')
    await box('fetch').click()
    await page.getByRole('tab', { name: 'Output' }).click()
    await page.getByRole('log').getByText('for sunday').waitFor()
  })

  it('travels back: graph, chart and table show the state at that instant, and now again', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    const { events } = (await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json
    const waits = events.find(({ step, to }: { step?: string; to: string }) => step === 'check' && to === 'waiting')
    await visit(runAddress('report', dagRunId, '?step=check&side=chart'))
    await lit('succeeded')
    const slider = page.getByRole('slider')
    await slider.focus()
    await page.keyboard.press('Home')
    await page.waitForURL(/at=1\b/)
    await is('check', 'not_started')
    await visit(runAddress('report', dagRunId, `?step=check&side=chart&at=${waits.seq}`))
    await lit('waiting')
    const next = page.locator('.actor-facts .chip')
    const taken = ['alarm.rang', 'attempt.late', 'node.stop', 'worker.back', 'worker.lost', 'worker.replaced']
    expect(await next.allTextContents()).to.deep.equal(taken)
    await is('check', 'running')
    await is('publish', 'not_started')
    await page.getByRole('tab', { name: 'Steps' }).click()
    await page.getByRole('row', { name: /^publish Not started/ }).waitFor()
    await button(/^Now$/).click()
    await page.getByRole('row', { name: /^publish Succeeded/ }).waitFor()
    await lit('succeeded')
    expect(page.url()).to.not.contain('at=')
  })

  itLong('each attempt is a bar with its result, and so is the wait between them', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    await visit(runAddress('report', dagRunId, '?view=steps'))
    const drawing = page.getByRole('row', { name: /^check/ }).getByRole('img')
    await page
      .getByRole('img', { name: /Attempt 1 failed: .*, Waiting for a retry: \d\.\d s, Attempt 2 succeeded: / })
      .waitFor()
    for (const bar of ['work.s-failed', 'wait', 'work.s-succeeded'])
      expect(await drawing.locator(`rect.${bar}`).count(), bar).to.equal(1)
    const { events } = (await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json
    const waits = events.find(({ step, to }: { step?: string; to: string }) => step === 'check' && to === 'waiting')
    await visit(runAddress('report', dagRunId, `?view=steps&at=${waits.seq}`))
    await page.getByRole('row', { name: /^check Running/ }).waitFor()
    await page.getByRole('img', { name: /Attempt 1 failed: [^,]*, Waiting for a retry: [^,]*$/ }).waitFor()
  })

  it('plays a run from its first event to its end, moves one event forward and back, and shows which guards refuse', async () => {
    api.write('short', 'steps: ["true"]')
    const dagRunId = await api.started('short')
    await api.ended('short', dagRunId)
    const { events } = (await api.call('GET', `/dag-runs/short/${dagRunId}/journal`)).json
    const begun = events.find(({ to }: { to: string }) => to === 'attempting.executing')
    await visit(runAddress('short', dagRunId, `?step=${begun.step}&side=chart&at=${begun.seq}`))
    await page.getByTitle('Refused by the guard mayNotResume').waitFor()
    await button('Previous event').click()
    await page.waitForURL(({ href }) => href.includes(`at=${begun.seq - 1}`))
    await button('Next event').click()
    await page.waitForURL(({ href }) => href.includes(`at=${begun.seq}`))
    await button('First event').click()
    await page.waitForURL(/at=1\b/)
    await button('Play').click()
    const seen = new Set<string>()
    await eventually('the end', async () => {
      const at = new URLSearchParams(page.url().split('?')[1]).get('at')
      if (at) seen.add(at)
      return at === null || undefined
    })
    expect([...seen]).to.include.members(events.slice(1, -1).map(({ seq }: { seq: number }) => String(seq)))
    await lit('succeeded')
  })

  it('back in time nothing is shown that was known only later: neither the end nor outputs', async () => {
    api.write('tells', 'steps: [{name: a, command: echo 42, output: FOUND}, {name: b, command: "true"}]')
    const dagRunId = await api.started('tells')
    await api.ended('tells', dagRunId)
    await visit(runAddress('tells', dagRunId))
    const facts = page.getByRole('complementary', { name: 'Run' })
    await facts.getByText('FOUND').waitFor()
    await facts.getByText('Ended').waitFor()
    await page.getByRole('slider').focus()
    await page.keyboard.press('Home')
    await facts.getByText('FOUND').waitFor({ state: 'detached' })
    expect(await facts.getByText('Ended').count()).to.equal(0)
  })

  itLong('at every event of a run, the graph says what the engine says', async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    const { latest } = (await api.call('GET', `/dag-runs/report/${dagRunId}/actors?brief=true`)).json
    for (let at = 1; at < latest; at++) {
      const { nodes } = (await api.call('GET', `/dag-runs/report/${dagRunId}/actors?brief=true&at=${at}`)).json
      await visit(runAddress('report', dagRunId, `?at=${at}`))
      for (const { step, statusLabel } of nodes) await is(step, statusLabel)
    }
  })

  it('explains why a node is waiting, why one failed and why one never began', async () => {
    const waiting = await api.started('report')
    await visit(runAddress('report', waiting, '?step=check'))
    await page
      .locator('.why .waits')
      .getByText(/waits .* for retry 1 of 2/)
      .waitFor()
    const failed = await api.started('failing')
    await visit(runAddress('failing', failed, '?step=after'))
    await page
      .locator('.why')
      .getByText(/breaks/)
      .waitFor()
    await runIs('failed')
    await button('First failure').click()
    await is('breaks', 'failed')
    await is('after', 'not_started')
    await api.ended('report', waiting)
  })
})
