/** Signals and approvals over HTTP. Source: embedding 2.5; docs/http-api.md. */
import { expect } from 'chai'
import { liveApi } from '../../../support/api/live-api.ts'
import { eventually } from '../../../support/waiting.ts'

const CHILD = `
name: parent
steps: [{name: calls, call: kid}]
---
name: kid
steps: [{name: ok, executor: {type: approval, config: {ask: Shall we?}}}]
`
const PAID = `
name: pay
type: graph
steps:
  - name: paid
    timeoutSec: 3600
    executor: {type: signal, config: {payloadSchema: {type: object, required: [amount], properties: {amount: {type: number}}}}}
`

describe('API › steps that wait', () => {
  const api = liveApi()
  const waiting = (name: string) =>
    eventually(`${name} waits`, async () => {
      const { waiting } = (await api.call('GET', `/waiting?name=${name}`)).json
      return waiting[0]
    })

  it('a signal: 200 once, 409 for a second one, 400 with all issues, 404 for what is not there', async () => {
    const id = await api.startedInline({ spec: PAID })
    const found = await waiting('pay')
    expect(found).to.include({ name: 'pay', dagRunId: id, rootDAGRunId: id, step: 'paid' })
    expect(found.waitingFor).to.deep.include({ for: 'signal', ask: '' })
    expect(Date.parse(found.waitingFor.until) - Date.parse(found.waitingFor.since)).to.equal(3_600_000)
    const path = `/dag-runs/pay/${id}/steps/paid/signal`
    const bad = await api.call('POST', path, { body: { payload: { amount: 'x' } } })
    expect([bad.status, bad.json.code, bad.json.details.errors]).to.deep.equal([
      400,
      'bad_request',
      ['/amount: must be number']
    ])
    expect(await api.codeOf('POST', path.replace('paid', 'pade'), {})).to.deep.equal([404, 'not_found'])
    expect(await api.codeOf('POST', path.replace(id, 'latest'), {})).to.deep.equal([404, 'not_found'])
    // Nobody can say who they are.
    const given = { payload: { amount: 3 }, id: 'p1', by: 'the boss' }
    expect(await api.codeOf('POST', path, given)).to.deep.equal([200, undefined])
    expect(await api.codeOf('POST', path, given)).to.deep.equal([200, undefined])
    expect(await api.codeOf('POST', path, { payload: { amount: 4 } })).to.deep.equal([409, 'already_given'])
    const { nodes } = await api.ended('pay', id)
    expect(nodes[0].given).to.deep.include({ by: '', payload: '{"amount":3}' })
    expect(await api.codeOf('POST', path, { payload: { amount: 4 } })).to.deep.equal([409, 'already_given'])
  })

  it('a step of a sub DAG run is answered below its root run', async () => {
    const id = await api.startedInline({ spec: CHILD })
    const { dagRunId } = await waiting('kid')
    const path = `/dag-runs/parent/${id}/sub-dag-runs/${dagRunId}/steps/ok/signal`
    expect(await api.codeOf('POST', path, { payload: { approved: 'x' } })).to.deep.equal([400, 'bad_request'])
    expect(await api.codeOf('POST', path, { payload: { approved: true } })).to.deep.equal([200, undefined])
    expect((await api.ended('parent', id)).statusLabel).to.equal('succeeded')
    expect(
      await api.codeOf('POST', path.replace('sub-dag-runs', 'children'), { payload: { approved: true } })
    ).to.deep.equal([409, 'already_given'])
  })

  it('a run that waits says for what and until when, in lists and alone; `waitingFor` picks it; its status stays running', async () => {
    const id = await api.startedInline({ spec: PAID.replace('name: pay', 'name: says') })
    const { until } = (await waiting('says')).waitingFor
    const row = async (query: string) => (await api.get(`/dag-runs?name=says&${query}`)).dagRuns[0]
    expect(await row('')).to.deep.include({ statusLabel: 'running', waitingFor: { for: 'signal', until } })
    expect((await api.get(`/dag-runs/says/${id}`)).dagRun.waitingFor).to.deep.equal({ for: 'signal', until })
    expect(await row('waitingFor=signal')).to.include({ dagRunId: id })
    expect(await row('waitingFor=sleep&waitingFor=signal&status=1')).to.include({ dagRunId: id })
    for (const query of ['waitingFor=approval', 'waitingFor=signal&status=2'])
      expect(await row(query)).to.equal(undefined)
    expect(await api.codeOf('GET', '/dag-runs?waitingFor=godot')).to.deep.equal([400, 'bad_request'])
    const { queues } = await api.get('/queues')
    const queue = queues.find(({ name }: { name: string }) => name === 'says')
    expect(queue.running[0].waitingFor).to.deep.equal({ for: 'signal', until })
    await api.call('POST', `/dag-runs/says/${id}/steps/paid/signal`, { body: { payload: { amount: 1 } } })
    await api.ended('says', id)
    expect(await row(''))
      .to.include({ statusLabel: 'succeeded' })
      .and.not.have.any.keys('waitingFor')
    expect(await row('waitingFor=signal')).to.equal(undefined)
  })

  it('a run waits for what a run that it has called waits for, and the called run is listed with it', async () => {
    const id = await api.startedInline({ spec: CHILD.replaceAll('parent', 'above').replaceAll('kid', 'below') })
    const { dagRunId } = await waiting('below')
    const [root] = (await api.get('/dag-runs?waitingFor=approval')).dagRuns
    expect([root.name, root.dagRunId, root.waitingFor]).to.deep.equal(['above', id, { for: 'approval', until: '' }])
    const { nodes } = (await api.get(`/dag-runs/above/${id}`)).dagRun
    expect(nodes[0].subRuns[0]).to.deep.include({ dagRunId, waitingFor: { for: 'approval', until: '' } })
    await api.call('POST', `/dag-runs/above/${id}/stop`)
    await api.ended('above', id)
  })

  it('a run that sleeps waits for the time only while nothing else of it is at work', async () => {
    const spec = (beside: string) =>
      `type: graph\nsteps:\n  - {name: nap, executor: {type: sleep, config: {for: PT1H}}}\n${beside}`
    const alone = await api.startedInline({ name: 'alone', spec: spec('') })
    const busy = await api.startedInline({ name: 'busy', spec: spec('  - {name: works, command: sleep 60}\n') })
    const rowOf = async (name: string) => (await api.get(`/dag-runs/${name}`)).dagRuns[0]
    const slept = await eventually('it sleeps', async () => (await rowOf('alone')).waitingFor)
    expect(slept.for).to.equal('sleep')
    const sleeping = await eventually('both steps are at work', async () => {
      const { nodes } = (await api.get(`/dag-runs/busy/${busy}`)).dagRun
      return nodes[0].waitingFor && nodes[1].statusLabel === 'running' ? nodes[0].waitingFor : undefined
    })
    expect(sleeping.for).to.equal('sleep')
    expect(await rowOf('busy')).not.to.have.any.keys('waitingFor')
    expect(Date.parse(slept.until) - Date.parse((await rowOf('alone')).startedAt)).to.be.within(3_590_000, 3_610_000)
    for (const [name, id] of [
      ['alone', alone],
      ['busy', busy]
    ]) {
      await api.call('POST', `/dag-runs/${name}/${id}/stop`)
      await api.ended(name ?? '', id ?? '')
    }
  })

  it('GET /waiting comes in parts', async () => {
    const ids = await Promise.all(['a', 'b', 'c'].map((name) => api.startedInline({ spec: PAID.replace('pay', name) })))
    for (const name of ['a', 'b', 'c']) await waiting(name)
    const seen: string[] = []
    let cursor = ''
    do {
      const part = await api.get(`/waiting?step=paid&limit=1${cursor && `&cursor=${cursor}`}`)
      for (const { name } of part.waiting) seen.push(name)
      cursor = part.nextCursor ?? ''
    } while (cursor)
    expect(seen).to.deep.equal(['a', 'b', 'c'])
    expect(await api.codeOf('GET', '/waiting?cursor=x')).to.deep.equal([400, 'bad_request'])
    for (const [at, name] of ['a', 'b', 'c'].entries()) await api.call('POST', `/dag-runs/${name}/${ids[at]}/stop`)
    for (const [at, name] of ['a', 'b', 'c'].entries()) await api.ended(name, ids[at] ?? '')
    expect(
      await api.codeOf('POST', `/dag-runs/a/${ids[0]}/steps/paid/signal`, { payload: { amount: 1 } })
    ).to.deep.equal([409, 'ended'])
  })
})
