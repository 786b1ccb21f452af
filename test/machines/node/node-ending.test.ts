/** How an execution is ended: by its time limit, by a stop. Source: execution-semantics 7.1.4, 7.3. */
import { expect } from 'chai'
import { driveNode } from '../../support/charts/charts.ts'
import { type StepWish, step } from '../../support/charts/plans.ts'

const timed = (wish: StepWish = {}, cleanUpMs = 5_000) =>
  driveNode(step('a', { timeoutMs: 30_000, ...wish }), { cleanUpMs })
const restarted = (node: ReturnType<typeof driveNode>) =>
  driveNode(step('a'), { snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot())) })

describe('node › 7.1.4 step timeoutSec', () => {
  it('counts from the start of the execution, not from the pick-up', () => {
    const node = timed()
    node.stage.advance(20_000)
    node.began()
    node.stage.advance(29_999)
    expect(node.signals()).to.deep.equal([])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['SIGTERM'])
  })
  it('is per execution: each retry starts a new clock', () => {
    const node = timed({ retry: { limit: 1, interval: 60_000 } })
    node.began()
    node.stage.advance(20_000)
    node.ends(1)
    node.stage.advance(59_999)
    expect(node.state()).to.equal('waiting')
    node.stage.advance(1)
    node.began()
    node.stage.advance(29_999)
    expect(node.signals()).to.deep.equal([])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['SIGTERM'])
  })
  it('on expiry: failed, exit code 124, error "step timed out after <t> (timeout: <n>s)"', () => {
    const node = timed()
    node.began()
    node.stage.advance(31_500)
    expect(node.status()).to.equal('running')
    node.ends(-1, { signal: 'terminated', error: 'signal: terminated' })
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ exitCode: 124, error: 'step timed out after 31.5s (timeout: 30s)' })
  })
  it('fails the step even when it ends with 0 after the expiry', () => {
    const node = timed()
    node.began()
    node.stage.advance(30_000)
    node.ends(0)
    expect(node.actor.getSnapshot().output).to.include({ status: 'failed' })
  })
  it('dependents by continueOn: failure includes the step timeout, exitCode 124 names it', () => {
    for (const [continueOn, continues] of [
      [{ failure: true }, true],
      [{ exitCodes: [124] }, true],
      [{ exitCodes: [1] }, false],
      [{}, false]
    ] as const) {
      const node = timed({ continueOn: { exitCodes: [], ...continueOn } as StepWish['continueOn'] & object })
      node.began()
      node.stage.advance(30_000)
      node.ends(-1)
      expect(node.actor.getSnapshot().output).to.deep.include({ status: 'failed', continues })
    }
  })
  it("3.4.4 a failed step's captured output is set: one that timed out has it, with what its masks stand for", () => {
    const node = timed({ output: 'OUT' })
    node.began()
    node.stage.advance(30_000)
    const outputMarks = [{ at: 0, secret: 'S' }]
    node.ends(-1, { output: '*******', outputMarks })
    expect(node.context()).to.deep.include({ output: '*******', outputMarks })
  })
  it('5.4 output: a step that timed out failed, so a line of its stdout log may match', () => {
    const node = timed({ continueOn: { outputs: ['partial'] } })
    node.began()
    node.stage.advance(30_000)
    node.ends(-1, { outputMatched: true })
    expect(node.actor.getSnapshot().output).to.deep.include({ status: 'failed', continues: true })
  })
  it('5.4 markSuccess: a failure match that holds for a step timeout makes the node succeeded', () => {
    const node = timed({ continueOn: { failure: true, markSuccess: true } })
    node.began()
    node.stage.advance(30_000)
    node.ends(-1)
    expect(node.actor.getSnapshot().output).to.include({ status: 'succeeded' })
  })
  it('7.1.2 steps are ended by signalOnStop, and by SIGKILL after maxCleanUpTimeSec', () => {
    const node = timed({ signalOnStop: 'SIGINT' }, 12_000)
    node.began()
    node.stage.advance(30_000)
    expect(node.signals()).to.deep.equal(['SIGINT'])
    node.stage.advance(12_000)
    expect(node.signals()).to.deep.equal(['SIGINT', 'SIGTERM', 'SIGTERM', 'kill'])
  })
  it('a stop while it expires leaves the node canceled', () => {
    const node = timed()
    node.began()
    node.stage.advance(32_000)
    node.stop()
    expect(node.status()).to.equal('canceled')
    node.stage.advance(3_000)
    expect(node.signals().at(-1)).to.equal('kill')
    node.ends(-1)
    expect(node.actor.getSnapshot().output).to.include({ status: 'canceled' })
  })
  it('is armed once: the attempt that is found again after a restart says again when it began', () => {
    const node = timed({ retry: { limit: 1, interval: 100_000 } })
    node.began()
    const again = restarted(node)
    again.began()
    expect(again.stage.live('alarm')).to.have.length(1)
    again.stage.advance(10_000)
    again.ends(1)
    again.stage.advance(99_999)
    expect(again.state()).to.equal('waiting')
  })
  it('13.5.2 does not hold for an end in time that a restart finds on record after it was over', () => {
    const end = (seconds: number, code: number) => {
      const node = timed({ retry: { limit: 1, interval: 60_000, exitCodes: [3] } })
      node.began()
      const again = restarted(node)
      again.stage.advance(40_000)
      const { now } = again.stage
      again.ends(code, { at: now - 40_000 + seconds * 1_000, heardAt: now })
      return again
    }
    const inTime = end(29, 0)
    expect(inTime.status()).to.equal('succeeded')
    expect(inTime.context()).to.include({ exitCode: 0, doneCount: 1 })
    expect(end(29, 2).context()).to.include({ exitCode: 2, error: 'exit status 2' })
    expect(end(29, 3).state()).to.equal('waiting')
    expect(end(31, 0).context()).to.include({ exitCode: 124, error: 'step timed out after 31s (timeout: 30s)' })
  })
  it('keeps its instant across a restart', () => {
    const node = timed()
    node.began()
    const again = restarted(node)
    again.stage.advance(30_000)
    expect(again.signals()).to.deep.equal(['SIGTERM'])
  })
})

describe('node › 7.3 stop', () => {
  const stopped = (cleanUpMs: number, wish: StepWish = {}) => {
    const node = driveNode(step('a', wish), { cleanUpMs })
    node.stop()
    return node
  }
  it('7.3.1 the running node gets SIGTERM, or its signalOnStop', () => {
    expect(stopped(5_000).signals()).to.deep.equal(['SIGTERM'])
    expect(stopped(5_000, { signalOnStop: 'SIGUSR1' }).signals()).to.deep.equal(['SIGUSR1'])
  })
  it('one that is killed before that is killed again after as long, not by an earlier alarm that was still on its way', () => {
    const node = stopped(3_000)
    node.stage.advance(1_000)
    node.actor.send({ type: 'node.kill', at: node.stage.now })
    node.actor.send({ type: 'alarm.rang', at: node.stage.now })
    node.stage.advance(2_999)
    expect(node.signals()).to.deep.equal(['SIGTERM', 'kill'])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['SIGTERM', 'kill', 'kill'])
  })
  it('7.3.2 every 5 s the plain SIGTERM is sent again (signalOnStop no longer applies)', () => {
    const node = stopped(17_000, { signalOnStop: 'SIGINT' })
    node.stage.advance(4_999)
    expect(node.signals()).to.deep.equal(['SIGINT'])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['SIGINT', 'SIGTERM'])
    node.stage.advance(10_000)
    expect(node.signals()).to.deep.equal(['SIGINT', 'SIGTERM', 'SIGTERM', 'SIGTERM'])
  })
  it('7.3.3 maxCleanUpTimeSec after the request: SIGKILL', () => {
    for (const cleanUpMs of [1_000, 5_000, 12_000]) {
      const node = stopped(cleanUpMs)
      node.stage.advance(cleanUpMs - 1)
      expect(node.signals()).not.to.include('kill')
      node.stage.advance(1)
      expect(node.signals().at(-1), `${cleanUpMs} ms`).to.equal('kill')
      const asked = node.signals().filter((signal) => signal !== 'kill').length
      node.stage.advance(60_000)
      expect(node.signals().filter((signal) => signal !== 'kill')).to.have.length(asked)
    }
  })
  it('7.3.3 the grace period keeps its end across a restart', () => {
    const node = stopped(12_000)
    node.stage.advance(4_000)
    const again = restarted(node)
    expect(again.status()).to.equal('canceled')
    again.stage.advance(12_000)
    expect(again.signals()).to.deep.equal(['SIGTERM', 'SIGTERM', 'kill'])
  })
  it('7.3.3 SIGKILL reaches a step although the engine ended between deciding on it and sending it', () => {
    const node = stopped(5_000)
    node.stage.advance(5_000)
    const again = restarted(node)
    again.stage.advance(15_000)
    expect(again.signals()).to.include('kill')
  })
  it('7.3.4 the node is there until its process is gone', () => {
    const node = stopped(5_000)
    node.stage.advance(60_000)
    expect(node.actor.getSnapshot().status).to.equal('active')
    node.ends(-1)
    expect(node.actor.getSnapshot().status).to.equal('done')
  })
  it('7.3.7 node error after a stop is the name of the signal that ended it', () => {
    const node = stopped(5_000)
    node.ends(-1, { signal: 'terminated', error: 'signal: terminated' })
    expect(node.context()).to.include({ error: 'signal: terminated', signal: 'terminated', exitCode: -1 })
  })
  it('13.5.2 a step that had ended well before the stop, as a restart finds on record, has succeeded', () => {
    const ended = (seconds: number, code: number) => {
      const node = restarted(driveNode(step('a'), { cleanUpMs: 5_000 }))
      node.stage.advance(10_000)
      node.stop()
      node.ends(code, { at: node.stage.now - 10_000 + seconds * 1_000, heardAt: node.stage.now })
      return node.status()
    }
    expect([ended(9, 0), ended(10, 0), ended(9, 1)]).to.deep.equal(['succeeded', 'canceled', 'canceled'])
  })
  it('a second stop changes nothing', () => {
    const node = stopped(5_000)
    node.stage.advance(3_000)
    node.stop()
    expect(node.signals()).to.deep.equal(['SIGTERM'])
    node.stage.advance(2_000)
    expect(node.signals()).to.deep.equal(['SIGTERM', 'kill'])
  })
})
