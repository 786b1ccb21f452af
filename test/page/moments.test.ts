/** What is shown belongs to its address: an answer about another moment, run, step, filter or log is never shown in its place. Source: docs/page.md "Time". */
import { expect } from 'chai'
import type { Page } from 'playwright-core'
import { itLong } from '../support/long.ts'
import { heldAnswers } from '../support/page/held-answers.ts'
import { livePage, runAddress } from '../support/page/live-page.ts'

describe('page › each value belongs to its address', () => {
  let page: Page
  const { api, visit, box, is, lit, button } = livePage((opened) => {
    page = opened
  })
  const hold = (pattern: RegExp) => heldAnswers(page, pattern)
  const report = async () => {
    const dagRunId = await api.started('report')
    await api.ended('report', dagRunId)
    return dagRunId
  }
  const labelled = () => page.locator('.dag-node[class*="s-"]').count()

  it('the chart of a step that did not exist at that moment has no active state', async () => {
    const dagRunId = await report()
    const missing: string[] = []
    page.on('response', (answer) => answer.status() === 404 && missing.push(answer.url()))
    await visit(runAddress('report', dagRunId, '?step=publish&side=chart'))
    await lit('succeeded')
    await button('First event').click()
    await page.getByText('There was no such actor at that moment').waitFor()
    expect(await page.locator('.state.lit').count()).to.equal(0)
    expect(await page.locator('.actor-facts').count()).to.equal(0)
    await button('Next event').click()
    await page.getByText('There was no such actor at that moment').waitFor()
    await button(/^Now$/).click()
    await lit('succeeded')
    expect(
      missing.filter((address) => address.includes('/actors')),
      'asked for what was not there'
    ).to.deep.equal([])
  })

  it('of a step that was skipped by a rule, and so had no actor, none is asked for', async () => {
    api.write(
      'rules',
      'type: graph\nsteps: [{name: a, command: "true", preconditions: [{condition: "false"}]}, {name: b, command: "true", depends: a}]'
    )
    const dagRunId = await api.started('rules')
    await api.ended('rules', dagRunId)
    const missing: string[] = []
    page.on('response', (answer) => answer.status() === 404 && missing.push(answer.url()))
    await visit(runAddress('rules', dagRunId, '?step=b&side=chart'))
    await page.getByText('There is no such actor').waitFor()
    expect(missing.filter((address) => address.includes('/actors'))).to.deep.equal([])
  })

  it('until the states of a moment are known, none is shown: neither current ones nor those of the previous moment', async () => {
    const dagRunId = await report()
    await visit(runAddress('report', dagRunId, '?step=check&side=chart'))
    await lit('succeeded')
    const answers = await hold(/actors\?.*at=1\b/)
    await button('First event').click()
    await answers.asked
    await page.locator('.dag-node', { hasText: '…' }).first().waitFor()
    expect(await labelled(), 'steps with a state').to.equal(0)
    expect(await page.locator('.state.lit').count(), 'lit states').to.equal(0)
    expect(await page.locator('.run-head .status, .inspector .status').count(), 'statuses').to.equal(0)
    await answers.release()
    await is('check', 'not_started')
    await page.locator('.run-head .status').waitFor()
  })

  it('a late answer about a moment does not replace the one that is shown', async () => {
    const dagRunId = await report()
    const { events } = (await api.call('GET', `/dag-runs/report/${dagRunId}/journal`)).json
    const waits = events.find(({ step, to }: { step?: string; to: string }) => step === 'check' && to === 'waiting')
    await visit(runAddress('report', dagRunId, '?step=check&side=chart'))
    await lit('succeeded')
    const answers = await hold(/actors\?.*at=1\b/)
    await button('First event').click()
    await answers.asked
    await page.evaluate(
      `location.hash = ${JSON.stringify(runAddress('report', dagRunId, `?step=check&side=chart&at=${waits.seq}`))}`
    )
    await lit('waiting')
    await answers.release()
    await page.waitForTimeout(300)
    await lit('waiting')
    await is('check', 'running')
  })

  itLong('a moment that the run never had shows no state, and says why', async () => {
    const dagRunId = await report()
    await visit(runAddress('report', dagRunId, '?at=99999'))
    await page.getByText('at: wanted the number of an event').waitFor()
    await box('check').waitFor()
    expect(await labelled()).to.equal(0)
  })

  it('nothing of the previous run is shown for another run', async () => {
    const [first, second] = [await report(), await api.started('failing')]
    await api.ended('failing', second)
    await visit(runAddress('report', first, '?step=check'))
    await is('check', 'succeeded')
    const answers = await hold(new RegExp(`/dag-runs/failing/${second}`))
    await page.evaluate(`location.hash = ${JSON.stringify(runAddress('failing', second))}`)
    await answers.asked
    expect(await page.locator('.dag-node, .status, .inspector').count()).to.equal(0)
    await answers.release()
    await is('breaks', 'failed')
    expect(await page.getByText(first).count()).to.equal(0)
  })

  itLong('the reasons and the log of another step are never those of the previous step', async () => {
    const dagRunId = await api.started('failing')
    await api.ended('failing', dagRunId)
    await visit(runAddress('failing', dagRunId, '?step=breaks'))
    await page.locator('.why').getByText('breaks ended with code 2').waitFor()
    const reasons = await hold(/explain\?step=after/)
    await box('after').click()
    await reasons.asked
    expect(await page.locator('.why').count()).to.equal(0)
    await reasons.release()
    await page.locator('.why').getByText('after').first().waitFor()
    await visit(runAddress('failing', dagRunId, '?step=works&side=out'))
    await page.getByRole('log').getByText('fine').waitFor()
    const logs = await hold(/steps\/breaks\/log/)
    await page.evaluate(`location.hash = ${JSON.stringify(runAddress('failing', dagRunId, '?step=breaks&side=err'))}`)
    await logs.asked
    expect(await page.getByRole('log').count()).to.equal(0)
    await logs.release()
    await page.getByRole('log').getByText('row 17 has no id').waitFor()
  })

  itLong('a list shows what its filter finds, not what another one found', async () => {
    const dagRunId = await report()
    await visit('#/runs')
    await page.getByRole('row', { name: new RegExp(dagRunId) }).waitFor()
    const answers = await hold(/dag-runs\?.*name=nothing-like-it/)
    await page.getByLabel('Name').fill('nothing-like-it')
    await answers.asked
    expect(await page.getByRole('row').count(), 'runs').to.equal(0)
    await answers.release()
    await page.getByText('No matching runs.').waitFor()
    await visit('#/definitions')
    await page.getByRole('link', { name: 'report' }).waitFor()
    const tagged = await hold(/dags\?.*tag=reports/)
    await page.getByLabel('Tag').selectOption('reports')
    await tagged.asked
    expect(await page.getByRole('row').count(), 'definitions').to.equal(0)
    await tagged.release()
    await page.getByRole('link', { name: 'report' }).waitFor()
    expect(await page.getByRole('link', { name: 'failing' }).count()).to.equal(0)
  })

  itLong('the chart of a machine is not replaced by a late answer about another one', async () => {
    await visit('#/machines')
    const chart = (name: string) => page.getByRole('group', { name: `Chart of ${name}` })
    await chart('node').waitFor()
    const answers = await hold(/machines\/run$/)
    await page.getByRole('link', { name: 'run', exact: true }).click()
    await answers.asked
    expect(await page.getByRole('group', { name: /^Chart of/ }).count()).to.equal(0)
    await page.getByRole('link', { name: 'queue', exact: true }).click()
    await chart('queue').waitFor()
    await answers.release()
    await page.waitForTimeout(300)
    await chart('queue').waitFor()
  })

  itLong('outputs are those of the latest attempt', async () => {
    const command = 'test -f $DAG_RUN_ID.told && echo second && exit; touch $DAG_RUN_ID.told; echo first'
    api.write('twice', `steps:\n  - {name: tell, command: "${command}", output: TOLD}\n`)
    const dagRunId = await api.started('twice')
    await visit(runAddress('twice', dagRunId))
    const facts = page.getByRole('complementary', { name: 'Run' })
    await facts.getByText('first').waitFor()
    await api.call('POST', `/dag-runs/twice/${dagRunId}/retry`, { body: { dagRunId, stepName: 'tell' } })
    await facts.getByText('second').waitFor()
  })

  it('back in time nothing of a step is shown that came later: sub runs, results of preconditions', async () => {
    api.write('inner', 'steps: [{name: a, command: "true"}]')
    api.write(
      'outer',
      'steps: [{name: first, command: "true"}, {name: calls, call: inner, preconditions: [{condition: "1", expected: "1"}]}]'
    )
    const dagRunId = await api.started('outer')
    await api.ended('outer', dagRunId)
    await visit(runAddress('outer', dagRunId, '?step=calls'))
    const panel = page.getByRole('complementary', { name: 'Step calls' })
    await panel.getByText('Sub runs').waitFor()
    await panel.getByText('Met', { exact: true }).waitFor()
    await visit(runAddress('outer', dagRunId, '?step=calls&at=2'))
    await is('calls', 'not_started')
    expect(await panel.getByText('Sub runs').count()).to.equal(0)
    expect(await panel.getByText('Met', { exact: true }).count()).to.equal(0)
  })
})
