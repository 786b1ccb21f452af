/** A step that waits for a signal, an approval or an instant. Source: embedding 2.5; docs/executors/signal.md. */
import { expect } from 'chai'
import { wakeAt } from '../../../machines/policy/waits.ts'
import type { Wait } from '../../../machines/vocabulary.ts'
import { driveNode, driveRun, workingRun } from '../../support/charts/charts.ts'
import { chain, plan, type StepWish, step } from '../../support/charts/plans.ts'
import { START } from '../../support/charts/stage.ts'

const DAY = 86_400_000
const waits = (wait: Wait, wish: StepWish = {}) => step('a', { wait, ...wish })
const given = (facts: object = {}) => ({
  type: 'signal.given' as const,
  step: 'a',
  at: START + 5,
  output: '{"amount":3}',
  ...facts
})
const restarted = (node: ReturnType<typeof driveNode>, of: ReturnType<typeof step>) =>
  driveNode(of, { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })

describe('node › a signal', () => {
  it('is waited for however long, without an execution; its payload is the output of the step', () => {
    const node = driveNode(waits({ kind: 'signal' }))
    node.stage.advance(400 * DAY)
    expect([node.state(), node.status(), node.stage.invoked.length]).to.deep.equal(['awaiting', 'running', 0])
    node.actor.send(given({ at: node.stage.now, by: 'anna', id: 'p1' }))
    expect(node.state()).to.equal('succeeded')
    expect(node.context()).to.deep.include({
      output: '{"amount":3}',
      exitCode: 0,
      finishedAt: node.stage.now,
      given: { at: node.stage.now, by: 'anna', id: 'p1' }
    })
  })
  for (const [onTimeout, end, exitCode] of [
    ['fail', 'failed', 124],
    ['skip', 'skipped', undefined],
    ['succeed', 'succeeded', 0]
  ] as const)
    it(`timeoutSec is over: ${onTimeout}`, () => {
      const node = driveNode(waits({ kind: 'signal', onTimeout }, { timeoutMs: 60_000 }))
      node.stage.advance(59_999)
      expect(node.state()).to.equal('awaiting')
      node.stage.advance(1)
      expect([node.state(), node.context().exitCode]).to.deep.equal([end, exitCode])
      if (end !== 'succeeded') expect(node.context().error).to.equal('step timed out: no signal came within 60s')
    })
  it('a deadline is an instant: a restart does not move it', () => {
    const wait = waits({ kind: 'signal' }, { timeoutMs: 60_000 })
    const before = driveNode(wait)
    before.stage.advance(50_000)
    const node = restarted(before, wait)
    expect(node.stage.the('alarm').input).to.deep.include({ dueAt: START + 60_000 })
  })
  it('one that comes in the turn of the deadline, before the alarm, wins; after it, it is too late', () => {
    const wait = waits({ kind: 'signal' }, { timeoutMs: 60_000 })
    const early = driveNode(wait)
    early.actor.send(given({ at: START + 60_000 }))
    early.actor.send({ type: 'alarm.rang', at: START + 60_000 })
    expect(early.state()).to.equal('succeeded')
    const late = driveNode(wait)
    late.actor.send({ type: 'alarm.rang', at: START + 60_000 })
    late.actor.send(given({ at: START + 60_000 }))
    expect([late.state(), late.context().output]).to.deep.equal(['failed', undefined])
  })
  it('is taken by a step whose preconditions are still being checked, once they hold', () => {
    const node = driveNode(waits({ kind: 'signal' }, { preconditions: [{ condition: 'true' }] }))
    node.actor.send(given())
    expect(node.state()).to.equal('preparing')
    node.prepared()
    expect([node.state(), node.context().output]).to.deep.equal(['succeeded', '{"amount":3}'])
  })
  it('continueOn of a wait that failed', () => {
    const lets = driveNode(waits({ kind: 'signal' }, { timeoutMs: 1, continueOn: { exitCodes: [124] } }))
    lets.stage.advance(1)
    expect([lets.state(), lets.context().continues]).to.deep.equal(['failed', true])
    const marks = driveNode(
      waits({ kind: 'signal' }, { timeoutMs: 1, continueOn: { failure: true, markSuccess: true } })
    )
    marks.stage.advance(1)
    expect(marks.state()).to.equal('succeeded')
  })
  it('a stop cancels it', () => {
    const node = driveNode(waits({ kind: 'signal' }))
    node.stop()
    expect(node.state()).to.equal('canceled')
  })
})

describe('node › an approval', () => {
  const refusal = given({ output: '{"approved":false}', by: 'bob', refusal: 'too dear' })
  it('that is refused fails the step, and says who refused it and why', () => {
    const node = driveNode(waits({ kind: 'approval' }))
    node.actor.send(refusal)
    expect([node.state(), node.context().error]).to.deep.equal(['failed', 'refused by bob: too dear'])
    expect(node.context()).to.deep.include({ output: '{"approved":false}', exitCode: 1 })
  })
  it('onRefusal: succeed, the answer is the output', () => {
    const node = driveNode(waits({ kind: 'approval', onRefusal: 'succeed' }))
    node.actor.send(refusal)
    expect([node.state(), node.context().output, node.context().exitCode]).to.deep.equal([
      'succeeded',
      '{"approved":false}',
      0
    ])
  })
})

describe('node › a sleep', () => {
  it('lasts as long as `for` says, over a restart, and then succeeds', () => {
    const wait = waits({ kind: 'sleep', for: 'P1DT1H' })
    const before = driveNode(wait)
    before.stage.advance(DAY)
    expect(before.state()).to.equal('sleeping')
    const node = restarted(before, wait)
    expect(node.stage.the('alarm').input).to.deep.include({ dueAt: START + DAY + 3_600_000 })
    node.stage.the('alarm').answer('alarm.rang')
    expect(node.state()).to.equal('succeeded')
  })
  it('with variables: from when they were evaluated', () => {
    const node = driveNode(waits({ kind: 'sleep', for: '$' + '{PAUSE}' }))
    node.stage.advance(500)
    node.stage.the('preparation').answer('node.prepared', {
      retry: {},
      conditions: [],
      met: true,
      wait: { for: 'PT10S' }
    })
    expect(node.stage.the('alarm').input).to.deep.include({ dueAt: START + 10_500 })
  })
  it('ISO 8601: durations, and instants with their time zone', () => {
    const at = Date.parse('2026-03-01T00:00:00Z')
    const texts = ['PT90S', 'pt1.5s', 'P1W', 'P1DT2H3M', '2026-03-01T08:00:00+01:00', '2026-02-28 23:00Z']
    expect(texts.map((text) => ((wakeAt(text, at) ?? Number.NaN) - at) / 1_000)).to.deep.equal([
      90,
      1.5,
      7 * 86_400,
      86_400 + 2 * 3_600 + 180,
      7 * 3_600,
      -3_600
    ])
    for (const text of ['', 'P', 'PT', '90', 'P1M', 'P1Y', '2026-03-01T08:00:00', '2026-13-01T00:00Z', 'P99999999D'])
      expect(wakeAt(text, at), text).to.equal(undefined)
  })
})

describe('run › signals for its steps', () => {
  const asks = (wish: StepWish = {}) => waits({ kind: 'signal' }, wish)
  it('one that comes before its step is kept, and is taken when the step begins', () => {
    const run = workingRun(plan(chain(step('first'), asks())))
    run.actor.send(given({ by: 'anna', id: 'p1' }))
    expect(run.context().given).to.deep.equal({
      a: { at: START + 5, by: 'anna', id: 'p1', output: '{"amount":3}' }
    })
    run.ends('first')
    expect([run.outcome(), run.seen.get('node/a')?.context.output]).to.deep.equal(['succeeded', '{"amount":3}'])
    expect(run.context().given).to.deep.equal({ a: { at: START + 5, by: 'anna', id: 'p1' } })
  })
  it('outlives a restart before its step begins', () => {
    const definition = plan(chain(step('first'), asks()))
    const before = workingRun(definition)
    before.actor.send(given())
    const { given: kept } = JSON.parse(JSON.stringify(before.actor.getPersistedSnapshot())).context
    expect(kept.a.output).to.equal('{"amount":3}')
  })
  it('a second one changes nothing, whatever its id', () => {
    const run = workingRun(plan(chain(step('first'), asks())))
    for (const facts of [{ id: 'p1' }, { id: 'p1', output: '1' }, { id: 'p2', output: '2' }, { output: '3' }])
      run.actor.send(given(facts))
    expect(run.context().given?.a).to.deep.include({ id: 'p1', output: '{"amount":3}' })
  })
  it('a run that is being stopped takes none', () => {
    const run = workingRun(plan([step('first'), asks({ depends: ['first'] })]))
    run.stop()
    run.actor.send(given())
    expect(run.context().given).to.equal(undefined)
  })
  it('a retried run keeps the payload of a step that runs again', () => {
    const kept = { at: START - 9, by: 'anna', output: '7' }
    const run = driveRun(plan([asks()]), { known: [{ status: 'not_started', given: kept }] })
    run.prepared()
    expect([run.outcome(), run.seen.get('node/a')?.context.output]).to.deep.equal(['succeeded', '7'])
  })
  it('a step that waits takes no place of maxActiveSteps', () => {
    const run = workingRun(plan([step('b'), step('c'), asks(), asks({ name: 'd' } as StepWish)], { maxActiveSteps: 1 }))
    expect(run.running()).to.deep.equal(['b', 'a', 'd'])
    run.ends('b')
    expect(run.running()).to.deep.equal(['a', 'd', 'c'])
  })
})
