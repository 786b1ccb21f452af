/** Charts, actors, journal, explanations and sequences over HTTP. Source: issue "Watchable"; docs/inspect.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../support/homes.ts'
import { type Json, liveApi } from '../support/live-api.ts'
import { eventually } from '../support/waiting.ts'
import { flow } from '../support/watched-flow.ts'

describe('facts over HTTP', () => {
  const api = liveApi()
  const get = async (path: string): Promise<Json> => {
    const { status, json, text } = await api.call('GET', path)
    expect(status, text).to.equal(200)
    return json
  }
  const of = (part: string) => `/dag-runs/flow/r1/${part}`
  before(async () => {
    await api.startedInline({ spec: flow, name: 'flow', dagRunId: 'r1' })
    await api.ended('flow', 'r1')
  })

  it('every chart is listed, and each is data: states with descriptions and tags, transitions with guards', async () => {
    const { machines } = await get('/machines')
    expect(machines.map(({ id }: Json) => id)).to.deep.equal([
      'engine',
      'scheduler',
      'restart',
      'queue',
      'run',
      'node',
      'call'
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
      accepts: ['alarm.rang', 'node.stop'],
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
  it('every event of the stream is in the journal with the same words; causes lead back to the beginning', async () => {
    const { text } = await api.call('GET', of('events?follow=false'))
    const stream = [...text.matchAll(/^data: (.*)$/gm)].map(([, data = '']) => JSON.parse(data))
    const { events, next } = await get(of('journal'))
    expect([events, next]).to.deep.equal([stream, null])
    const { events: caused } = await get(of('journal?causes=true'))
    const done = caused.at(-1)
    expect(done.causes[0].seq).to.equal(done.cause)
    expect(done.causes.at(-1).actor).to.match(/^run\/flow\/r1/)
    const part = await get(of('journal?after=2&limit=3'))
    expect([part.events.map(({ seq }: Json) => seq), part.next]).to.deep.equal([[3, 4, 5], 5])
  })
  it('why it ended so, for the run and for one step', async () => {
    const { subject, reasons } = await get(of('explain'))
    expect(subject).to.include({ kind: 'run', name: 'flow', statusLabel: 'failed' })
    expect(reasons.map(({ about, cause }: Json) => [about.name, cause])).to.deep.equal([
      ['flow', 'steps_failed'],
      ['a', 'retries_used_up'],
      ['c', 'exit_code'],
      ['d', 'upstream_failed']
    ])
    const one = await get(of('explain?step=d'))
    expect(one.reasons).to.have.length(1)
    expect(one.reasons[0]).to.deep.include({
      about: { kind: 'node', name: 'd' },
      waiting: false,
      blockedBy: [{ kind: 'step', name: 'c' }]
    })
    expect((await api.call('GET', of('explain?step=x'))).status).to.equal(404)
    api.write('plain', 'steps: [echo a]')
    expect((await get('/dags/plain/explain')).reasons[0]).to.include({ cause: 'no_schedule' })
    expect((await api.call('GET', '/dags/nobody/explain')).status).to.equal(404)
  })
  it('the messages between actors, as JSON and as a diagram', async () => {
    const { participants, messages, mermaid, omitted } = await get(of('sequence'))
    expect(participants.slice(0, 2)).to.deep.equal(['caller', 'queue/flow'])
    expect(messages[0]).to.include({ from: 'caller', to: 'queue/flow', event: 'start.requested' })
    expect(messages).to.deep.include.members([
      {
        ...messages.find(({ event, to }: Json) => event === 'alarm.rang' && to.endsWith('/a')),
        from: 'clock',
        state: 'attempting.executing'
      }
    ])
    const done = messages.find(({ event, from }: Json) => event === 'done' && from.endsWith('/node/b'))
    expect(done).to.include({ to: 'run/flow/r1' })
    expect(omitted).to.equal(0)
    expect((await api.call('GET', of('sequence?format=mermaid'))).text).to.equal(mermaid)
    for (const limit of [2, 5, messages.length]) {
      const part = await get(of(`sequence?limit=${limit}`))
      expect(part).to.deep.include({ messages: messages.slice(0, limit), omitted: messages.length - limit })
    }
  })
  it('nobody can look at a run that is not there', async () => {
    for (const part of ['actors', 'journal', 'explain', 'sequence'])
      expect((await api.call('GET', `/dag-runs/flow/nobody/${part}`)).status, part).to.equal(404)
  })
  it('a retry under an id of its own begins with what it keeps of the other run', async () => {
    await api.call('POST', of('retry'), { body: { dagRunId: 'r2' } })
    await api.ended('flow', 'r2')
    const { events } = await get('/dag-runs/flow/r2/journal')
    const born = events.find(({ event, actor }: Json) => event === 'xstate.init' && actor === 'run/flow/r2')
    const first = await get(`/dag-runs/flow/r2/actors?at=${born.seq}`)
    expect(first.actors.map(({ address, states }: Json) => [address, states])).to.deep.equal([
      ['run/flow/r2', ['preparing']]
    ])
    // All of them are redone here: what failed, what was canceled, and what follows a step that failed.
    expect(first.nodes.map(({ statusLabel }: Json) => statusLabel)).to.deep.equal(Array(5).fill('not_started'))
    await api.startedInline({
      spec: 'type: graph\nsteps: [{name: a, command: echo a}, {name: b, command: exit 1, depends: a}]',
      name: 'half',
      dagRunId: 'r1'
    })
    await api.ended('half', 'r1')
    await api.call('POST', '/dag-runs/half/r1/retry', { body: { dagRunId: 'r2' } })
    await api.ended('half', 'r2')
    const kept = await get('/dag-runs/half/r2/actors?at=2')
    expect(kept.nodes.map(({ statusLabel }: Json) => statusLabel)).to.deep.equal(['succeeded', 'not_started'])
    expect(kept.nodes[0]).to.include({ doneCount: 1, exitCode: 0 })
  })
  it('a retry begins anew, and what was before it can still be looked at', async () => {
    const before = await get(of('actors'))
    await api.call('POST', of('retry'), { body: { dagRunId: 'r1' } })
    await eventually('the end of the retry', async () => {
      const run = (await api.call('GET', '/dag-runs/flow/r1')).json.dagRun
      return run.attempt === 2 && run.finishedAt !== '' ? true : undefined
    })
    const then = await get(of(`actors?at=${before.latest}`))
    expect({ ...then, latest: before.latest }).to.deep.equal(before)
    const now = await get(of('actors'))
    expect(now.nodes.find(({ step }: Json) => step === 'b').statusLabel).to.equal('succeeded')
    expect(now.latest).to.be.greaterThan(before.latest)
  })
})

describe('facts hold no secret', () => {
  const api = liveApi()
  it('contexts, errors, events and reasons are masked, now and at every event', async () => {
    const folder = temporaryFolder()
    writeFileSync(join(folder, 'token'), 'sesame-4711-open')
    const spec = `
secrets: [{name: TOKEN, provider: file, key: ${folder}/token}]
steps:
  - name: kids
    parallel: {items: ["$TOKEN"], maxConcurrent: 1}
    run: kid
    params: "T=$TOKEN"
    continueOn: {failure: true}
  - {name: leak, command: 'echo "$TOKEN" >&2; exit 3', output: X, retryPolicy: {limit: 1, intervalSec: 1}}
---
name: kid
steps: [{name: k, command: exit 1}]
`
    await api.startedInline({ spec, name: 'secretive', dagRunId: 'r1' })
    await api.ended('secretive', 'r1')
    const texts: string[] = []
    const base = '/dag-runs/secretive/r1'
    const look = async (path: string) => {
      const { status, text } = await api.call('GET', path)
      expect(status, path).to.equal(200)
      texts.push(text)
    }
    const { latest } = (await api.call('GET', `${base}/actors`)).json
    for (let at = 0; at <= latest; at++) await look(`${base}/actors?at=${at}`)
    for (const part of ['journal?causes=true', 'explain', 'sequence']) await look(`${base}/${part}`)
    texts.push(JSON.stringify(api.engine.journal({ name: 'secretive', dagRunId: 'r1' }, 0, 1_000)))
    expect(texts.join('\n')).to.contain('exit status 3').and.not.contain('sesame')
  }).timeout(15_000)
})
