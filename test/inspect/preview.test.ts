/** What an event would do to an actor, tried on a copy: `GET .../preview`. Source: docs/inspect.md. */
import { expect } from 'chai'
import type { Preview } from '../../src/index.ts'
import { liveApi } from '../support/api/live-api.ts'

describe('facts › what an event would do', () => {
  const api = liveApi()
  let path: string
  let actor: string

  before(async () => {
    api.write(
      'retries',
      'steps: [{name: x, command: "exit 3", retryPolicy: {limit: 2, intervalSec: 3600}}, {name: y, command: "true"}]'
    )
    const dagRunId = await api.started('retries')
    path = `/dag-runs/retries/${dagRunId}`
    actor = `run/retries/${dagRunId}/node/x`
    for (let states: string[] = []; states.at(-1) !== 'waiting'; ) {
      const { json } = await api.call('GET', `${path}/actors`)
      states = json.actors.find(({ address }: { address: string }) => address === actor)?.states ?? []
    }
  })

  const preview = async (event: string | object, at?: number) => {
    const text = typeof event === 'string' ? event : JSON.stringify(event)
    const query = new URLSearchParams({ actor, event: text, ...(at === undefined ? {} : { at: String(at) }) })
    return api.call('GET', `${path}/preview?${query}`)
  }
  const previewed = async (event: string | object, at?: number): Promise<Preview> => {
    const { status, json } = await preview(event, at)
    expect(status, JSON.stringify(json)).to.equal(200)
    return json
  }
  const executing = async () => {
    const { json } = await api.call('GET', `${path}/journal`)
    const found = json.events.find(
      (one: { actor: string; to: string }) => one.actor === actor && one.to.endsWith('executing')
    )
    return Number(found.seq)
  }

  it('says the state, the context and what would be started, and nothing happens to the run', async () => {
    const before = (await api.call('GET', `${path}/actors`)).json
    const { states, isTaken, effects } = await previewed('alarm.rang')
    expect([states, isTaken]).to.deep.equal([['attempting', 'attempting.executing'], true])
    expect(effects).to.deep.include({ kind: 'starts', what: 'attempt', to: '' })
    expect((await api.call('GET', `${path}/actors`)).json).to.deep.equal(before)
  })
  it('as of an earlier event, and by the members of the event', async () => {
    const at = await executing()
    const failed = await previewed({ type: 'attempt.ended', exitCode: 1 }, at)
    expect([failed.states, failed.context.retryCount]).to.deep.equal([['waiting'], 1])
    expect((await previewed({ type: 'attempt.ended', exitCode: 0 }, at)).states).to.deep.equal(['succeeded'])
    const stopped = await previewed('node.stop', at)
    expect(stopped.states.at(-1)).to.equal('attempting.stopping.asked')
    expect(stopped.effects).to.deep.include({ kind: 'sends', what: 'attempt.stop', to: 'attempt' })
  })
  it('an event that the state does not list has no effect, and the answer says so', async () => {
    const { isTaken, states, effects } = await previewed('attempt.began')
    expect([isTaken, states, effects]).to.deep.equal([false, ['waiting'], []])
  })
  it('every actor of the run can be tried, the run itself too', async () => {
    const run = actor.replace('/node/x', '')
    const query = new URLSearchParams({ actor: run, event: 'run.stop' })
    const { status, json } = await api.call('GET', `${path}/preview?${query}`)
    expect([status, json.states?.at(0)]).to.deep.equal([200, 'stopping'])
    expect(json.effects).to.deep.include({ kind: 'sends', what: 'node.stop', to: 'node/x' })
  })
  it('the context has neither the plan nor the step', async () => {
    const { context } = await previewed('node.stop')
    expect(context).not.to.have.any.keys('plan', 'step', 'run', 'key', 'runState')
  })
  it('what cannot be tried is refused by name', async () => {
    expect((await preview('colour.red')).json.message).to.contain('the chart node has no event "colour.red"')
    expect((await preview('{"type": 3}')).json.message).to.contain("'event': wanted a type")
    expect((await preview('{')).status).to.equal(400)
    expect((await preview('node.stop', 99_999)).json.message).to.contain('at: wanted the number of an event')
    const query = new URLSearchParams({ actor: `${actor}s`, event: 'node.stop' })
    expect((await api.call('GET', `${path}/preview?${query}`)).status).to.equal(404)
  })
  it('messages come in parts: `after` goes on where the one before ended, with the same senders', async () => {
    const whole = (await api.call('GET', `${path}/sequence`)).json
    const first = (await api.call('GET', `${path}/sequence?limit=4`)).json
    const rest = (await api.call('GET', `${path}/sequence?after=${first.messages.at(-1).seq}`)).json
    expect([...first.messages, ...rest.messages]).to.deep.equal(whole.messages)
    expect([first.omitted, rest.omitted]).to.deep.equal([whole.messages.length - 4, 0])
  })
})
