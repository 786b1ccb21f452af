/** When mail is sent. Source: execution-semantics 14.3, 5.6.9. */
import { expect } from 'chai'
import type { Plan } from '../../../machines/vocabulary.ts'
import { driveRun, type RunDrive, workingRun } from '../../support/charts/charts.ts'
import { chain, plan, retry, type StepWish, step } from '../../support/charts/plans.ts'
import { START } from '../../support/charts/stage.ts'
import { restartedRun, storedRun } from '../../support/engine/restart.ts'

const target = { from: 'a@x.test', to: ['b@x.test'], prefix: '', attachLogs: false }
const both: Partial<Plan> = { mailOn: { failure: true, success: true }, errorMail: target, infoMail: target }
const received = (run: RunDrive) => run.mails().map(({ mail, status, place }) => [mail, status, place])

describe('run machine › mailOn', () => {
  it('14.3.1 run failed + mailOn.failure + errorMail: error mail', () => {
    const run = workingRun(plan([step('a')], both))
    run.ends('a', 1)
    expect(run.state()).to.equal('notifying')
    expect(received(run)).to.deep.equal([['error', 'failed', undefined]])
    run.mailed()
    expect(run.outcome()).to.equal('failed')
  })
  it('14.3.1 run succeeded + mailOn.success + infoMail: info mail', () => {
    const run = workingRun(plan([step('a')], both))
    run.ends('a')
    expect(received(run)).to.deep.equal([['info', 'succeeded', undefined]])
    run.mailed()
    expect(run.outcome()).to.equal('succeeded')
  })
  it('14.3.1 run partially_succeeded: info mail', () => {
    const run = workingRun(plan([step('a', { continueOn: { failure: true } }), step('b')], both))
    run.ends('a', 1)
    run.ends('b')
    expect(received(run)).to.deep.equal([['info', 'partially_succeeded', undefined]])
  })
  it('14.3.1 canceled: no mail', () => {
    const run = workingRun(plan([step('a')], both))
    run.stop()
    run.obeys()
    expect([run.outcome(), run.stage.invoked.filter(({ slot }) => slot === 'notification')]).to.deep.equal([
      'canceled',
      []
    ])
  })
  it('5.6.9 preconditions of the DAG not met: no mail', () => {
    const run = driveRun(plan([step('a')], { ...both, preconditions: [{ condition: 'false' }] }))
    run.prepared()
    run.checked(false)
    expect([run.outcome(), run.mails()]).to.deep.equal(['canceled', []])
  })
  it('8.4 a run that never got going sends none, as its handlers do not run', () => {
    const run = driveRun(plan([step('a')], both))
    run.unprepared('no such file')
    expect([run.outcome(), run.mails()]).to.deep.equal(['failed', []])
  })
  for (const [what, wish, exitCode] of [
    ['failed without mailOn.failure', { ...both, mailOn: { failure: false, success: true } }, 1],
    ['failed without errorMail', { mailOn: { failure: true, success: true }, infoMail: target }, 1],
    ['succeeded without mailOn.success', { ...both, mailOn: { failure: true, success: false } }, 0],
    ['succeeded without infoMail', { mailOn: { failure: true, success: true }, errorMail: target }, 0]
  ] as const)
    it(`14.3.1 ${what}: no mail`, () => {
      const run = workingRun(plan([step('a')], wish))
      run.ends('a', exitCode)
      expect([run.outcome(), run.mails()]).to.deep.equal([exitCode === 0 ? 'succeeded' : 'failed', []])
    })
  it('14.3.1 after handlers; a handler that failed counts', () => {
    const run = workingRun(plan([step('a')], { ...both, handlers: { exit: step('onExit') } }))
    run.ends('a')
    expect(run.mails()).to.deep.equal([])
    run.ends('onExit', 1)
    expect(received(run)).to.deep.equal([['error', 'failed', undefined]])
  })
  it('7.1 a run that ran out of time has failed: error mail', () => {
    const run = workingRun(plan([step('a')], { ...both, timeoutMs: 1_000 }))
    run.stage.advance(1_000)
    run.obeys()
    expect(received(run)).to.deep.equal([['error', 'failed', undefined]])
  })
  it('8.11 the run has ended when its last handler did, however long the mail takes', () => {
    const run = workingRun(plan([step('a')], both))
    run.ends('a')
    run.stage.advance(30_000)
    run.mailed()
    expect(run.actor.getSnapshot().output?.at).to.equal(START)
  })
  it('7.3.6 a stop has no effect any more, force abandons the mail; the status stays as it is', () => {
    const run = workingRun(plan([step('a')], both))
    run.ends('a')
    const stub = run.stage.the('notification')
    run.stop()
    expect([run.outcome(), stub.received]).to.deep.equal([undefined, []])
    run.actor.send({ type: 'run.force', at: run.stage.now })
    expect([run.outcome(), stub.received.map(({ type }) => type), stub.over]).to.deep.equal([
      'succeeded',
      ['notification.stop'],
      true
    ])
  })
  it('7.1.6 a server that shuts down does not wait for mail', () => {
    const run = workingRun(plan([step('a')], both))
    run.ends('a')
    const stub = run.stage.the('notification')
    run.actor.send({ type: 'handlers.limited', at: run.stage.now })
    expect([run.outcome(), stub.received.map(({ type }) => type)]).to.deep.equal(['succeeded', ['notification.stop']])
  })
  it('14.3.6 a mail that throws changes nothing', () => {
    const run = driveRun(plan([step('a', { mailOnError: true }), step('b')], both))
    run.stage.breaks('notification')
    run.prepared()
    run.ends('a', 1)
    run.ends('b')
    expect([run.outcome(), run.fault()]).to.deep.equal(['failed', undefined])
  })
})

describe('run machine › mailOnError', () => {
  const failing = (wish: StepWish, also: Partial<Plan> = { errorMail: target }) =>
    workingRun(plan([step('a', { mailOnError: true, ...wish })], also))

  it('14.3.2 error mail when the node becomes failed; needs errorMail, not mailOn', () => {
    const run = failing({})
    run.ends('a', 1)
    expect(received(run)).to.deep.equal([['error', 'running', 0]])
    expect([run.state(), run.outcome()]).to.deep.equal(['notifying', undefined])
    run.mailed()
    expect(run.outcome()).to.equal('failed')
  })
  it('14.3.2 without errorMail: none', () => {
    const run = failing({}, both.mailOn ? { mailOn: both.mailOn, infoMail: target } : {})
    run.ends('a', 1)
    expect([run.outcome(), run.mails()]).to.deep.equal(['failed', []])
  })
  it('14.3.2 after retries', () => {
    const run = failing({ retry: retry({ limit: 1, interval: 1_000 }) })
    run.ends('a', 1)
    expect(run.mails()).to.deep.equal([])
    run.stage.advance(1_000)
    run.ends('a', 1)
    expect(received(run)).to.deep.equal([['error', 'running', 0]])
  })
  it('14.3.2 a retry that succeeds: none', () => {
    const run = failing({ retry: retry({ limit: 1 }) })
    run.ends('a', 1)
    run.stage.advance(1)
    run.ends('a')
    expect([run.outcome(), run.mails()]).to.deep.equal(['succeeded', []])
  })
  it('14.3.2 failed with continueOn too, and dependents do not wait for the mail', () => {
    const steps = chain(step('a', { mailOnError: true, continueOn: { failure: true } }), step('b'))
    const run = workingRun(plan(steps, { errorMail: target }))
    run.ends('a', 1)
    expect([run.mails().length, run.running()]).to.deep.equal([1, ['b']])
    run.ends('b')
    expect([run.state(), run.outcome()]).to.deep.equal(['notifying', undefined])
    run.mailed()
    expect(run.outcome()).to.equal('partially_succeeded')
  })
  it('14.3.2 not when markSuccess turned it', () => {
    const run = failing({ continueOn: { failure: true, markSuccess: true } })
    run.ends('a', 1)
    expect([run.outcome(), run.mails()]).to.deep.equal(['succeeded', []])
  })
  it('14.3.2 not for a step that is canceled because another one failed', () => {
    const steps = chain(step('a'), step('b', { mailOnError: true }))
    const run = workingRun(plan(steps, { errorMail: target }))
    run.ends('a', 1)
    expect([run.outcome(), run.mails()]).to.deep.equal(['failed', []])
  })
  it('14.3.2 a node that throws has failed for good', () => {
    const run = driveRun(plan([step('a', { mailOnError: true })], { errorMail: target }))
    run.stage.breaks('attempt')
    run.prepared()
    expect(received(run)).to.deep.equal([['error', 'running', 0]])
  })
  it('8.8 works on a handler, with the status that handlers get', () => {
    const handlers = { exit: step('onExit', { mailOnError: true }) }
    const run = workingRun(plan([step('a')], { errorMail: target, handlers }))
    run.ends('a')
    run.ends('onExit', 1)
    expect(received(run)).to.deep.equal([['error', 'failed', 'onExit']])
    run.mailed()
    expect(run.outcome()).to.equal('failed')
  })
  it('the end of the run waits for mails of steps, and for its own', () => {
    const run = workingRun(plan([step('a', { mailOnError: true }), step('b', { mailOnError: true })], both))
    run.ends('a', 1)
    run.ends('b', 1)
    expect(received(run).map(([, , place]) => place)).to.deep.equal([0, 1, undefined])
    run.mailed()
    run.mailed()
    expect(run.outcome()).to.equal(undefined)
    run.mailed()
    expect(run.outcome()).to.equal('failed')
  })
  it('a mail that was sent is no child of the run any more', () => {
    const run = workingRun(plan([step('a', { mailOnError: true }), step('b')], { errorMail: target }))
    run.ends('a', 1)
    run.mailed()
    expect(Object.keys(run.actor.getSnapshot().children)).to.deep.equal(['node/b'])
  })
})

describe('run machine › mail and restarts', () => {
  it('a restart loses no mail: what was being sent is sent again', () => {
    const run = workingRun(plan([step('a', { mailOnError: true }), step('b')], both))
    run.ends('a', 1)
    const before = run.mails()
    const again = restartedRun(run, storedRun(run))
    expect(again.mails()).to.deep.equal(before)
    again.ends('b')
    const later = restartedRun(again, storedRun(again))
    expect([later.state(), received(later)]).to.deep.equal([
      'notifying',
      [
        ['error', 'running', 0],
        ['error', 'failed', undefined]
      ]
    ])
    later.mailed()
    later.mailed()
    expect(later.outcome()).to.equal('failed')
  })
  it('a mail that was sent is not sent again', () => {
    const run = workingRun(plan([step('a', { mailOnError: true }), step('b')], { errorMail: target }))
    run.ends('a', 1)
    run.mailed()
    const again = restartedRun(run, storedRun(run))
    expect(again.mails()).to.deep.equal([])
    again.ends('b')
    expect(again.outcome()).to.equal('failed')
  })
})
