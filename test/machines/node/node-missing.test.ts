/** A step whose function or executor the engine lacks. Source: execution-semantics 13.5; docs/executors/function.md. */
import { expect } from 'chai'
import { driveNode } from '../../support/charts/charts.ts'
import { repeat, type StepWish, step } from '../../support/charts/plans.ts'

const restarted = (node: ReturnType<typeof driveNode>, wish: StepWish = {}) =>
  driveNode(step('a', wish), { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })
const wish = { retry: { limit: 2, interval: 1_000 }, timeoutMs: 5_000 } satisfies StepWish

describe('node › an engine that lacks the code of a step never ends it', () => {
  it('it waits, running, however long; no retry is counted and no time limit runs', () => {
    const node = driveNode(step('a', wish))
    node.missing()
    node.stage.advance(86_400_000)
    expect([node.state(), node.status()]).to.deep.equal(['missing', 'running'])
    expect([node.attempts(), node.context().retryCount, node.signals()]).to.deep.equal([[1], 0, []])
    expect(node.context().missing).to.deep.equal({ kind: 'executor', name: 'gate', step: 'a' })
  })
  it('it goes on, as the same attempt, when an engine has the code, after any number of engines that do not', () => {
    let node = driveNode(step('a', wish))
    node.missing()
    for (let restarts = 0; restarts < 3; restarts++) {
      node = restarted(node, wish)
      expect(node.state()).to.equal('missing')
    }
    node.registered()
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    expect(node.attempts()).to.deep.equal([1])
    expect(node.stage.the('attempt').input).not.to.have.property('resumed')
    node.began()
    node.ends(0)
    expect([node.status(), node.context().attempt, node.context().retryCount]).to.deep.equal(['succeeded', 1, 0])
  })
  it('an execution that a crash of the application interrupted is left as it was; onInterrupt decides at home', () => {
    const at = driveNode(step('a', wish), { onInterrupt: 'fail' })
    at.began()
    const foreign = restarted(at, wish)
    foreign.missing(true)
    expect(foreign.state()).to.equal('missing')
    const home = restarted(foreign, wish)
    home.registered()
    expect(home.stage.the('attempt').input).to.deep.include({ attempt: 1, resumed: true })
    home.found()
    expect(home.state()).to.deep.equal({ attempting: 'interrupting' })
  })
  it('a time limit that ran when the application crashed ends nothing meanwhile', () => {
    const at = driveNode(step('a', wish))
    at.began()
    const foreign = restarted(at, wish)
    foreign.missing(true)
    foreign.stage.advance(60_000)
    expect(foreign.state()).to.equal('missing')
  })
  it('a retry that falls due waits, as that attempt', () => {
    const node = driveNode(step('a', wish))
    node.ends(1)
    node.stage.advance(1_000)
    node.missing()
    expect([node.state(), node.attempts(), node.context().retryCount]).to.deep.equal(['missing', [1, 2], 1])
    node.registered()
    expect(node.attempts()).to.deep.equal([1, 2, 2])
    node.ends(1)
    node.stage.advance(1_000)
    expect(node.attempts()).to.deep.equal([1, 2, 2, 3])
  })
  it('a function that answers for it is waited for before the first attempt, and then it is prepared', () => {
    const node = driveNode(step('a', { preconditions: [{ condition: 'test -f x' }] }))
    node.lacking()
    expect([node.state(), node.attempts()]).to.deep.equal(['missing', []])
    node.registered()
    expect([node.state(), node.context().missing]).to.deep.equal(['preparing', undefined])
    node.prepared()
    expect(node.attempts()).to.deep.equal([1])
  })
  it('one that was being killed after a restart waits with the others', () => {
    const at = driveNode(step('a', wish), { onInterrupt: 'rerun' })
    at.began()
    const back = restarted(at, wish)
    back.found()
    const foreign = restarted(back, wish)
    expect(foreign.state()).to.deep.equal({ attempting: 'interrupting' })
    foreign.missing(true)
    expect(foreign.state()).to.equal('missing')
  })
  it('the last pass of a step that was asked to stop is given up', () => {
    const at = driveNode(step('a', { repeat: repeat() }), { onInterrupt: 'rerun' })
    at.began()
    at.stop()
    const foreign = restarted(at, { repeat: repeat() })
    expect(foreign.state()).to.deep.equal({ attempting: 'finishing' })
    foreign.missing(true)
    expect(foreign.state()).to.equal('canceled')
  })
  it('a stop ends it, one that repeats too', () => {
    for (const given of [wish, { repeat: repeat() }]) {
      const node = driveNode(step('a', given))
      node.missing()
      node.stop()
      expect([node.status(), node.state()]).to.deep.equal(['canceled', 'canceled'])
    }
  })
})

describe('node › onMissing: fail', () => {
  const failing = { ...wish, onMissing: 'fail' } satisfies StepWish
  it('ends the step that lacks its code, without a retry', () => {
    const node = driveNode(step('a', failing))
    node.missing()
    expect([node.state(), node.attempts()]).to.deep.equal(['failed', [1]])
    expect(node.context().error).to.equal('the executor "gate" is not registered with this engine (onMissing: fail)')
  })
  it('ends it before its first attempt when a function that answers for it is missing', () => {
    const node = driveNode(step('a', { ...failing, preconditions: [{ condition: 'true' }] }))
    node.lacking()
    expect(node.state()).to.equal('failed')
  })
  it('a step whose run waits for the code of another one waits', () => {
    const node = driveNode(step('a', failing))
    node.missing(false, { kind: 'function', name: 'charge', step: 'b' })
    expect(node.state()).to.equal('missing')
  })
})

describe('node › an executor that the configuration does not allow', () => {
  const code = { kind: 'executor', name: 'shell', step: 'a', refused: 'the executor shell is not allowed' } as const
  it('fails the step by name, whatever onMissing says and without a retry: nobody would come who may', () => {
    const node = driveNode(step('a', wish))
    node.missing(false, code)
    expect([node.state(), node.attempts(), node.context().retryCount]).to.deep.equal(['failed', [1], 0])
    expect(node.context().error).to.equal(code.refused)
  })
})

describe('node › an end that forbids a retry', () => {
  it('is not tried again, whatever retryPolicy says', () => {
    const node = driveNode(step('a', wish))
    node.ends(1, { isFinal: true, thrown: { name: 'NonRetryable', message: 'no such card' } })
    expect([node.state(), node.context().thrown?.name]).to.deep.equal(['failed', 'NonRetryable'])
  })
  it('what an attempt has thrown is forgotten when the next one begins', () => {
    const node = driveNode(step('a', wish))
    node.ends(1, { thrown: { name: 'Error', message: 'busy' } })
    expect(node.context().thrown?.message).to.equal('busy')
    node.stage.advance(1_000)
    expect(node.context().thrown).to.equal(undefined)
  })
})
