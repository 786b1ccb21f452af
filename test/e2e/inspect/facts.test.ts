/** Charts and actors over HTTP, now and as of an event. Source: docs/inspect.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import type { Json } from '../../support/api/live-api.ts'
import { watchedFlow } from '../../support/engine/watched-flow.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('facts over HTTP', () => {
  const { api, get, of } = watchedFlow()

  it('every chart is listed, and each is data: states with descriptions and tags, transitions with guards', async () => {
    const { machines } = await get('/machines')
    expect(machines.map(({ id }: Json) => id)).to.deep.equal([
      'engine',
      'scheduler',
      'restart',
      'queue',
      'run',
      'node',
      'call',
      'worker',
      'delivery'
    ])
    const node = await get('/machines/node')
    expect(node).to.include({ id: 'node', initial: 'picked' })
    const attempting = node.states.find(({ key }: Json) => key === 'attempting')
    expect(attempting).to.include({ path: 'attempting', type: 'compound', initial: 'attempting.executing' })
    const executing = attempting.states.find(({ key }: Json) => key === 'executing')
    expect(executing).to.deep.include({
      path: 'attempting.executing',
      type: 'atomic',
      tags: ['running'],
      description: 'The executor runs the step.'
    })
    expect(executing.transitions).to.deep.include({
      event: 'attempt.ended',
      targets: ['waiting'],
      guard: 'retryDue',
      actions: ['noteEnd', 'planRetry']
    })
    expect(node.actors).to.deep.include({ name: 'call', machine: 'call' })
    const waiting = node.states.find(({ key }: Json) => key === 'waiting')
    expect(waiting.invokes).to.deep.equal([{ id: 'alarm' }])
    for (const { id } of machines)
      for (const state of (await get(`/machines/${id}`)).states)
        expect(state.description, `${id}.${state.key}`).to.not.equal('')
  })
  it("a chart as Mermaid text, and as the config of a machine for Stately's editor", async () => {
    const { text, headers } = await api.call('GET', '/machines/run?format=mermaid')
    expect(headers['content-type']).to.equal('text/plain; charset=utf-8')
    expect(text.startsWith('stateDiagram-v2\n')).to.equal(true)
    expect(text).to.contain('preparing --> working: run.prepared')
    const config = await get('/machines/run?format=stately')
    expect(config.states.concluding.states.choosing.always[0]).to.deep.equal({
      target: '#run.concluding.answering',
      guard: { type: 'hasOutcomeHandler' }
    })
    expect((await api.call('GET', '/machines/run?format=svg')).json).to.include({ code: 'bad_request' })
    expect((await api.call('GET', '/machines/nobody')).json).to.include({ code: 'not_found' })
  })
  it('the actors of a run now, with their contexts, and nodes with and without an actor', async () => {
    const facts = await get(of('actors'))
    expect(facts).to.include({ name: 'flow', dagRunId: 'r1', statusLabel: 'failed' })
    expect(facts.at).to.equal(facts.latest)
    expect(facts.nodes.map(({ step, statusLabel, handler }: Json) => [step, statusLabel, handler])).to.deep.equal([
      ['a', 'failed', false],
      ['b', 'succeeded', false],
      ['c', 'failed', false],
      ['d', 'canceled', false],
      ['onExit', 'succeeded', true]
    ])
    expect(facts.actors.map(({ address }: Json) => address)).to.have.members(
      ['', '/node/a', '/node/b', '/node/c', '/handler/onExit'].map((end) => `run/flow/r1${end}`)
    )
    const one = await get(of('actors?actor=run/flow/r1/node/a'))
    expect(one.actors).to.have.length(1)
    expect(one.actors[0]).to.deep.include({
      machine: 'node',
      states: ['failed'],
      tags: ['failed'],
      status: 'done',
      accepts: []
    })
    expect(one.actors[0].context).to.include({ attempt: 2, retryCount: 1, exitCode: 3 })
    expect((await get(of('actors?brief=true'))).actors).to.deep.equal([])
    expect((await api.call('GET', of('actors?actor=run/flow/r1/node/x'))).status).to.equal(404)
  })
  it('as of an event: each actor where it was, what it would take, and which guard refuses', async () => {
    const { events } = await get(of('journal'))
    const { seq } = events.find(({ to, step }: Json) => to === 'waiting' && step === 'a')
    const facts = await get(of(`actors?at=${seq}`))
    expect(facts.event).to.include({ seq, event: 'attempt.ended', to: 'waiting' })
    const waiting = facts.actors.find(({ step }: Json) => step === 'a')
    expect(waiting).to.deep.include({
      states: ['waiting'],
      status: 'active',
      seq,
      accepts: ['alarm.rang', 'attempt.late', 'node.stop', 'worker.back', 'worker.lost', 'worker.replaced'],
      refuses: []
    })
    expect(facts.nodes.find(({ step }: Json) => step === 'b').statusLabel).to.equal('not_started')
    const first = await get(of('actors?at=0'))
    expect([first.statusLabel, first.actors, first.event]).to.deep.equal(['not_started', [], null])
    expect((await api.call('GET', of(`actors?at=${facts.latest + 1}`))).json).to.include({ code: 'bad_request' })
    expect((await api.call('GET', of('actors?at=-1'))).json).to.include({ code: 'bad_request' })
    // A guard that only looks at the context says no now: the step has no onInterrupt.
    const begun = events.find(({ to, step }: Json) => to === 'attempting.executing' && step === 'b')
    const working = (await get(of(`actors?at=${begun.seq}`))).actors.find(({ step }: Json) => step === 'b')
    expect(working.refuses).to.deep.equal([{ event: 'attempt.found', guard: 'mayNotResume' }])
  })
  it('as of an event while the run is at work: the same is said of that event when it has ended', async () => {
    const folder = temporaryFolder()
    const waits = `while [ ! -e ${folder}/go ]; do sleep 0.02; done`
    const spec = `steps: [{name: a, command: "true"}, {name: b, command: '${waits}'}, {name: c, command: "true"}]`
    await api.startedInline({ spec, name: 'live', dagRunId: 'r1' })
    const state = (at: number) => get(`/dag-runs/live/r1/actors?at=${at}`)
    const latest = await eventually('b at work', async () => {
      const { actors, latest } = await get('/dag-runs/live/r1/actors')
      return actors.some(({ step }: Json) => step === 'b') ? (latest as number) : undefined
    })
    const meanwhile = await Promise.all(Array.from({ length: latest + 1 }, (_, at) => state(at)))
    expect(meanwhile.at(-1)).to.include({ statusLabel: 'running' })
    writeFileSync(join(folder, 'go'), '')
    await api.ended('live', 'r1')
    for (const [at, then] of meanwhile.entries())
      expect({ ...(await state(at)), latest: 0 }, `event ${at}`).to.deep.equal({ ...then, latest: 0 })
  })
})
