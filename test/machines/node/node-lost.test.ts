/** What becomes of a step whose worker is lost. Source: distribution 1 (D4, D6, D7, D13), 4. */
import { expect } from 'chai'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

type Options = NonNullable<Parameters<typeof driveNode>[1]>
type Driven = ReturnType<typeof driveNode>
const LOST = 'worker lost: wa silent for 30 s, outcome unknown'
const once = { retry: { limit: 1 } }
/** It is at work on the worker `wa`. */
function working(wish: StepWish = {}, options: Options = {}): Driven {
  const node = driveNode(step('a', wish), options)
  node.offered()
  node.answered()
  return node
}
const restarted = (node: Driven, wish: StepWish = {}) =>
  driveNode(step('a', wish), { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })
const facts = (node: Driven) => [node.state(), node.context().error]

describe('node › a step whose worker is lost', () => {
  it('fails when no further execution is possible, and says that its outcome is unknown', () => {
    const node = working()
    node.loses()
    expect(facts(node)).to.deep.equal(['failed', LOST])
    const continued = working({ continueOn: { failure: true } })
    continued.loses()
    expect(continued.context().continues).to.equal(true)
  })
  it('an unanswered offer is treated as begun', () => {
    const node = driveNode(step('a'))
    node.offered()
    node.loses()
    expect(facts(node)).to.deep.equal(['failed', LOST])
  })
  it('D4 a retry waits until the fence has ended the first execution, and counts', () => {
    const node = working({ retry: { limit: 1, interval: 5_000 } })
    node.loses()
    node.stage.advance(3_600_000)
    expect([node.state(), node.status(), node.attempts()]).to.deep.equal([{ attempting: 'fencing' }, 'running', [1]])
    node.fenced()
    expect([node.state(), node.context().retryCount]).to.deep.equal(['waiting', 1])
    node.stage.advance(5_000)
    expect([node.state(), node.attempts()]).to.deep.equal(['placing', [1]])
    node.replaced()
    expect([node.state(), node.attempts()]).to.deep.equal([{ attempting: 'executing' }, [1, 2]])
    node.ends(0)
    expect(node.status()).to.equal('succeeded')
  })
  it('each execution is noted with the worker that it was given to, and the number of that placement', () => {
    const [wa, wb] = [
      { id: 'wa', lease: 7 },
      { id: 'wb', lease: 9 }
    ]
    const node = working({ retry: { limit: 2 } }, { placement: wa })
    node.ends(1)
    node.stage.advance(0)
    expect([node.attempts(), node.context().worker]).to.deep.equal([[1, 2], wa])
    node.loses()
    node.fenced()
    node.stage.advance(0)
    expect([node.state(), node.context().worker], 'of the latest execution').to.deep.equal(['placing', wa])
    node.replaced(wb)
    expect([node.attempts(), node.context().worker]).to.deep.equal([[1, 2, 3], wb])
    const call = driveNode(step('a', { call: 'sub' }), { placement: wa })
    expect(call.context().worker, 'its sub runs have workers of their own').to.equal(undefined)
    const here = working()
    expect('worker' in here.context()).to.equal(false)
  })
  it('D4 requeue begins it anew without counting a retry, at most three times', () => {
    const node = working({}, { onWorkerLost: 'requeue' })
    for (let times = 1; times <= 3; times++) {
      node.loses()
      expect(node.state()).to.deep.equal({ attempting: 'fencing' })
      node.fenced()
      expect(node.state()).to.equal('placing')
      node.replaced()
      expect([node.context().retryCount, node.context().attempt]).to.deep.equal([0, times + 1])
    }
    node.loses()
    expect(facts(node)).to.deep.equal(['failed', LOST])
  })
  it('wait: nothing is decided until the worker is back, however long', () => {
    const node = working(once, { onWorkerLost: 'wait' })
    node.loses()
    node.fenced()
    node.stage.advance(86_400_000)
    expect([node.state(), node.status()]).to.deep.equal([{ attempting: 'lost' }, 'running'])
    node.isBack()
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    node.ends(0)
    expect([node.status(), node.attempts()]).to.deep.equal(['succeeded', [1]])
  })
  for (const [name, options] of [
    ['a retry', {}],
    ['requeue', { onWorkerLost: 'requeue' }],
    ['wait', { onWorkerLost: 'wait' }]
  ] satisfies [string, Options][])
    it(`D7 a worker that is back in time goes on with it, nothing is run again: ${name}`, () => {
      const node = working(once, options)
      node.loses()
      node.isBack()
      expect([node.state(), node.context().loss]).to.deep.equal([{ attempting: 'executing' }, undefined])
      node.ends(0)
      expect([node.status(), node.attempts()]).to.deep.equal(['succeeded', [1]])
    })
  it('D4 what its worker says of it meanwhile is proof: its end counts at once', () => {
    const failed = working({ retry: { limit: 1, interval: 1_000 } })
    failed.loses()
    failed.ends(3)
    expect([failed.state(), failed.context().exitCode]).to.deep.equal(['waiting', 3])
    const done = working(once)
    done.loses()
    done.ends(0)
    expect(done.status()).to.equal('succeeded')
    const begun = working(once)
    begun.loses()
    begun.began()
    expect(begun.state()).to.deep.equal({ attempting: 'executing' })
  })
  it('what was found after a restart of the engine goes on, or is killed, as onInterrupt says', () => {
    const found = working(once)
    found.loses()
    found.found()
    expect(found.state()).to.deep.equal({ attempting: 'executing' })
    const cut = working(once, { onInterrupt: 'fail' })
    cut.loses()
    cut.found()
    expect([cut.state(), cut.signals()]).to.deep.equal([{ attempting: 'interrupting' }, ['kill']])
    cut.loses()
    expect(cut.state()).to.deep.equal({ attempting: 'fencing' })
  })
  it('D15 a restart of the engine changes nothing: the same attempt is asked for, and waits for the fence', () => {
    const node = working(once)
    node.loses()
    const again = restarted(node, once)
    expect([again.state(), again.stage.the('attempt').input]).to.deep.include({ attempting: 'fencing' })
    again.loses()
    expect(again.state()).to.deep.equal({ attempting: 'fencing' })
    again.fenced()
    expect(again.state()).to.equal('waiting')
  })
  it('D13 a stop ends it at once: nobody can reach it', () => {
    for (const options of [{}, { onWorkerLost: 'wait' }] satisfies Options[]) {
      const node = working(once, options)
      node.loses()
      node.stop()
      expect(node.state()).to.equal('canceled')
    }
    const begun = driveNode(step('a'), { onWorkerLost: 'wait', loss: { worker: 'wa', silentMs: 30_000 } })
    begun.stop()
    expect(begun.state()).to.equal('canceled')
  })
  it('D13 one that was asked to stop before ends as canceled when its worker is lost', () => {
    const node = working(once)
    node.stop()
    node.loses()
    expect(facts(node)).to.deep.equal(['canceled', LOST])
    const repeating = working({ repeat: repeat() })
    repeating.stop()
    repeating.loses()
    expect(facts(repeating)).to.deep.equal(['failed', LOST])
  })
  it('7.1.4 its time limit holds', () => {
    const timed = { timeoutMs: 5_000, ...once }
    const silent = working(timed)
    silent.began()
    silent.loses()
    silent.stage.advance(5_000)
    expect([silent.state(), silent.context().exitCode]).to.deep.equal(['failed', 124])
    const before = working(timed)
    before.began()
    before.stage.advance(5_000)
    before.loses()
    expect([before.state(), before.context().exitCode]).to.deep.equal(['failed', 124])
  })
  it('what it has at work on a third machine, or in a container of somebody else, is not begun again by itself', () => {
    for (const executor of [
      { type: 'ssh', config: {} },
      { type: 'docker', config: { containerName: 'theirs' } },
      { type: 'docker', config: { image: 'busybox', ContainerName: 'maybe-theirs' } }
    ]) {
      const node = working({ ...once, executor })
      node.loses()
      expect(node.state()).to.deep.equal({ attempting: 'fencing' })
      node.fenced()
      expect(facts(node)).to.deep.equal(['failed', LOST])
    }
    const own = working({ ...once, executor: { type: 'docker', config: { image: 'busybox' } } })
    own.loses()
    own.fenced()
    expect(own.state()).to.equal('waiting')
  })
  it('between two executions nothing of it is there: the next one begins elsewhere, or there if it is back', () => {
    for (const [back, wish] of [
      [true, { retry: { limit: 1, interval: 1_000 } }],
      [false, { retry: { limit: 1, interval: 1_000 } }],
      [false, { repeat: repeat({ limit: 2, intervalMs: 1_000 }) }]
    ] satisfies [boolean, StepWish][]) {
      const node = working(wish)
      node.ends(wish.repeat ? 0 : 1)
      node.loses()
      node.stage.advance(1_000)
      expect(node.state()).to.equal('placing')
      if (back) node.isBack()
      else node.replaced()
      expect([node.state(), node.attempts()]).to.deep.equal([{ attempting: 'executing' }, [1, 2]])
    }
  })
  it('preconditions and repeat conditions that were asked of it: they fail, are asked again, or wait', () => {
    const conditioned = { preconditions: [{ condition: 'true' }] }
    const states = ([{}, { onWorkerLost: 'requeue' }, { onWorkerLost: 'wait' }] satisfies Options[]).map((options) => {
      const node = driveNode(step('a', conditioned), options)
      node.loses()
      return node.state()
    })
    expect(states).to.deep.equal(['failed', 'placing', 'preparing'])
    const again = driveNode(step('a', conditioned), { onWorkerLost: 'requeue' })
    again.loses()
    again.replaced()
    expect(again.state()).to.equal('preparing')
    const testing = working({ repeat: repeat({ condition: { condition: 'true' } }) })
    testing.ends(0)
    testing.loses()
    expect(facts(testing)).to.deep.equal(['failed', LOST])
  })
  it('a call hears of it while its texts are evaluated there; its sub DAG runs hear for themselves', () => {
    const call = driveNode(step('a', { call: 'b' }))
    call.stage.the('resolution').answer('call.resolved', {
      items: [],
      plan: '',
      maxConcurrent: 1,
      offset: 0,
      stopped: false
    })
    call.loses()
    expect(call.state()).to.deep.equal({ attempting: 'executing' })
    const early = driveNode(step('a', { call: 'b' }))
    early.loses()
    expect(facts(early)).to.deep.equal(['failed', LOST])
  })
})

describe('node › a handler whose worker is lost', () => {
  const loss = { worker: 'wa', silentMs: 30_000, fencedAt: 0 }
  it('goes to another one', () => {
    const node = driveNode(step('onExit'), { place: 'onExit', loss: { ...loss, fencedAt: openedAt() + 20_000 } })
    expect(node.state()).to.equal('placing')
    node.fenced()
    node.replaced()
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
  })
  it('fails when none takes it within `lostAfter` of the fence, and says so', () => {
    const node = driveNode(step('onExit'), { place: 'onExit', loss: { ...loss, fencedAt: openedAt() + 20_000 } })
    node.stage.advance(49_999)
    expect(node.state()).to.equal('placing')
    node.stage.advance(1)
    expect(facts(node)).to.deep.equal(['failed', 'no worker took it within 30 s: wa is lost'])
  })
  it('D13 does not wait for it, whatever onWorkerLost says: a run that was stopped would never end', () => {
    const late = driveNode(step('onExit'), { place: 'onExit', onWorkerLost: 'wait', loss })
    expect(late.state()).to.equal('placing')
    const working = driveNode(step('onExit'), { place: 'onExit', onWorkerLost: 'wait' })
    working.offered()
    working.loses()
    expect(facts(working)).to.deep.equal(['failed', LOST])
    const preparing = driveNode(step('onExit', { preconditions: [{ condition: 'true' }] }), {
      place: 'onExit',
      onWorkerLost: 'wait'
    })
    preparing.loses()
    expect(preparing.state()).to.equal('failed')
  })
  it('a step waits as long as it takes, and can be stopped', () => {
    const node = driveNode(step('a'), { loss })
    node.stage.advance(86_400_000)
    expect(node.state()).to.equal('placing')
    node.stop()
    expect(node.state()).to.equal('canceled')
  })
})

/** When nodes are picked up. */
const openedAt = () => driveNode(step('a')).stage.now
