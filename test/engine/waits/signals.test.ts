/** Signals, approvals and sleeps with a real engine: what callers are told, what is stored, what a restart keeps. Source: embedding 2.5. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { createEngine, type Engine, type RunView, SignalRefused } from '../../../src/index.ts'
import { temporaryFolder } from '../../support/homes.ts'
import { eventually } from '../../support/waiting.ts'

const PAID = `
type: graph
steps:
  - name: paid
    id: paid
    executor:
      type: signal
      config:
        ask: Has it been paid?
        payloadSchema:
          type: object
          required: [amount]
          properties: {amount: {type: number, minimum: 1.0}, currency: {type: string, default: EUR}}
    output: PAID
  - name: book
    depends: paid
    executor: {type: jq}
    command: '.'
    script: '$PAID'
    output: BOOKED
`
const LATER = `
type: graph
steps:
  - {name: first, executor: {type: approval}}
  - {name: second, depends: first, executor: {type: signal}, output: SECOND}
`
const nodeOf = (view: RunView | undefined, name: string) => view?.nodes.find(({ node }) => node.step === name)
const refusal = async (answer: Promise<unknown>): Promise<SignalRefused> => {
  const error: unknown = await answer.then(
    () => new Error('it was taken'),
    (thrown) => thrown
  )
  if (error instanceof SignalRefused) return error
  throw error
}
const waits = (engine: Engine, step: string) => eventually(`${step} waits`, () => engine.waiting({ step })[0])

describe('signals', () => {
  let home = ''
  let engine: Engine
  before(async () => {
    home = temporaryFolder()
    writeFileSync(join(home, 'config.yaml'), 'queues: {config: [{name: narrow, maxConcurrency: 1}]}\n')
    engine = await createEngine({ home })
  })
  after(() => engine.close())
  const restart = async () => {
    await engine.close()
    engine = await createEngine({ home })
  }

  it('a payload is checked by the schema, and stored as the output of its step', async () => {
    const key = await engine.start({ spec: PAID, name: 'pay' })
    await waits(engine, 'paid')
    const [waiting] = engine.waiting({ dag: 'pay' })
    expect(waiting).to.deep.include({ run: key, step: 'paid', for: 'signal', ask: 'Has it been paid?' })
    expect(waiting?.payloadSchema).to.deep.include({ required: ['amount'] })
    const bad = await refusal(engine.signal({ ...key, step: 'paid' }, { amount: 0.5, currency: 3 }))
    expect([bad.code, bad.issues]).to.deep.equal([
      'bad_request',
      ['/amount: must be >= 1', '/currency: must be string']
    ])
    await engine.signal({ ...key, step: 'paid' }, { amount: 3 }, { by: 'anna', id: 'p1' })
    const view = await engine.result(key)
    expect(view.run.status).to.equal('succeeded')
    expect(nodeOf(view, 'paid')?.node).to.deep.include({ output: '{"amount":3,"currency":"EUR"}' })
    expect(nodeOf(view, 'paid')?.node.given).to.deep.include({ by: 'anna', id: 'p1' })
    expect(nodeOf(view, 'book')?.node.output?.replace(/\s/g, '')).to.equal('{"amount":3,"currency":"EUR"}')
  })
  it('the same id again is answered like the first, also after the end; a second one is refused', async () => {
    const key = await engine.start({ spec: PAID, name: 'again' })
    const step = { ...key, step: 'paid' }
    await engine.signal(step, { amount: 3 }, { id: 'p1' })
    await engine.signal(step, { amount: 3 }, { id: 'p1' })
    expect((await refusal(engine.signal(step, { amount: 4 }))).code).to.equal('already_given')
    await engine.result(key)
    await engine.signal(step, { amount: 3 }, { id: 'p1' })
    expect((await refusal(engine.signal(step, { amount: 4 }, { id: 'p2' }))).code).to.equal('already_given')
  })
  it('refuses by name: no such run, no such step, a step that waits for nothing, a payload that is no answer', async () => {
    const key = await engine.start({ spec: LATER, name: 'names' })
    const said = async (step: string, payload?: unknown, run = key) => {
      const { code, message } = await refusal(engine.signal({ ...run, step }, payload))
      return [code, message]
    }
    expect(await said('first', null, { name: 'names', dagRunId: 'nope' })).to.deep.equal([
      'not_found',
      'there is no run nope of names'
    ])
    expect((await said('frist'))[1]).to.contain('did you mean first?')
    expect(await said('first', { approved: 'yes', note: 4, x: 1 })).to.deep.equal([
      'bad_request',
      'the payload for step first is not valid: approved: wanted true or false; ' +
        'note: wanted a text of at most 2000 characters; "x": there is no such member'
    ])
    expect((await said('first', { approved: true, note: 'x'.repeat(300_000) }))[1]).to.contain('larger than 256 KiB')
    await engine.stop(key)
    await engine.result(key)
    expect((await said('second', 1))[0]).to.equal('ended')
    const shell = await engine.start({
      spec: 'steps: [{name: a, executor: {type: sleep, config: {for: PT0S}}}]',
      name: 's'
    })
    expect(await said('a', 1, shell)).to.deep.equal([
      'bad_request',
      'step a waits for no signal: it is a step of the type sleep'
    ])
  })
  it('outlives a restart: the wait, an early payload, and what was given; a refused approval is asked again by a retry', async () => {
    const key = await engine.start({ spec: LATER, name: 'kept' })
    await waits(engine, 'first')
    await engine.signal({ ...key, step: 'second' }, { n: 1 }, { id: 'early' })
    await restart()
    await waits(engine, 'first')
    await engine.signal({ ...key, step: 'second' }, { n: 1 }, { id: 'early' })
    await engine.signal({ ...key, step: 'first' }, { approved: false, note: 'not yet' }, { by: 'bob' })
    const failed = await engine.result(key)
    expect([failed.run.status, nodeOf(failed, 'first')?.node.error]).to.deep.equal([
      'failed',
      'refused by bob: not yet'
    ])
    await restart()
    await engine.retry(key)
    await waits(engine, 'first')
    await restart()
    await engine.signal({ ...key, step: 'first' }, { approved: true })
    const view = await engine.result(key)
    expect([view.run.status, nodeOf(view, 'second')?.node.output]).to.deep.equal(['succeeded', '{"n":1}'])
  })
  it('a queued run takes none, and says so', async () => {
    const spec = 'maxActiveRuns: -1\nqueue: narrow\nsteps: [{name: q, executor: {type: approval}}]'
    const first = await engine.start({ spec, name: 'queued' })
    const second = await engine.enqueue({ spec, name: 'queued' })
    const { code, message } = await refusal(engine.signal({ ...second, step: 'q' }, { approved: true }))
    expect([code, message]).to.deep.equal([
      'not_running',
      `step q of run ${second.dagRunId} of queued takes no signal yet: its run is queued`
    ])
    await engine.signal({ ...first, step: 'q' }, { approved: true })
    await eventually('the second waits', () =>
      engine.waiting({ step: 'q' }).find(({ run }) => run.dagRunId === second.dagRunId)
    )
    await engine.signal({ ...second, step: 'q' }, { approved: true })
    expect((await engine.result(second)).run.status).to.equal('succeeded')
  })
  it('a payload that comes before the variables of its run are known waits for its secrets, and is stored masked', async () => {
    const go = join(home, 'go')
    const spec = `
env: [{TOKEN: tulip-4711}, {GO: "\`until [ -f ${go} ]; do sleep 0.05; done; echo 1\`"}]
secrets: [{name: KEY, provider: env, key: TOKEN}]
steps: [{name: a, executor: {type: signal}}]`
    const key = await engine.start({ spec, name: 'masked' })
    let isGiven = false
    const given = engine.signal({ ...key, step: 'a' }, { said: 'it is tulip-4711' }).then(() => {
      isGiven = true
    })
    await eventually('a turn of the engine', () => engine.record(key)?.status === 'running' || undefined)
    expect(isGiven).to.equal(false)
    writeFileSync(go, '')
    await given
    const view = await engine.result(key)
    expect([view.run.status, nodeOf(view, 'a')?.node.output]).to.deep.equal(['succeeded', '{"said":"it is *******"}'])
    expect(JSON.stringify(engine.journal(key, 0, 1_000))).not.to.contain('tulip')
  })
  it('a run that fails before its variables are known has ended for a signal that waits for its secrets', async () => {
    const spec = `
env: [{GO: "\`exit 3\`"}]
secrets: [{name: KEY, provider: env, key: NOBODY_HAS_THIS}]
steps: [{name: a, executor: {type: signal}}]`
    const key = await engine.start({ spec, name: 'unprepared' })
    expect((await refusal(engine.signal({ ...key, step: 'a' }, 1))).code).to.equal('ended')
  })
  it('explains what is waited for, since when and until when', async () => {
    const spec = 'steps: [{name: a, timeoutSec: 3600, executor: {type: approval, config: {ask: "Ship ${WHAT}?"}}}]'
    const key = await engine.start({ spec: `params: {WHAT: 12 boxes}\n${spec}`, name: 'why' })
    await waits(engine, 'a')
    const reasons = engine.facts.explain(key).reasons
    const reason = reasons.find(({ cause }) => cause === 'approval_wait')
    expect(reason?.text).to.contain('a waits for an approval').and.contain('Ship 12 boxes?')
    expect((reason?.until ?? 0) - (reason?.since ?? 0)).to.equal(3_600_000)
    expect(engine.run(key)?.nodes[0]?.wait).to.deep.include({ for: 'approval', ask: 'Ship 12 boxes?' })
    await engine.stop(key)
    expect((await engine.result(key)).run.status).to.equal('canceled')
    expect(engine.waiting()).to.deep.equal([])
  })
})
