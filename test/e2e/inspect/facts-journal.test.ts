/** Journal, reasons and messages of a run over HTTP, after a retry too, and that none holds a secret. Source: docs/inspect.md. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { type Json, liveApi } from '../../support/api/live-api.ts'
import { watchedFlow } from '../../support/engine/watched-flow.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

describe('facts over HTTP', () => {
  const { api, get, of } = watchedFlow()

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
  it('a retry with a new id begins with what it keeps of the other run', async () => {
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
  it('a retry begins again, and what was before it can still be looked at', async () => {
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
