/** The delivery of one event to one target. Source: docs/notifications.md "When a target does not accept". */
import { expect } from 'chai'
import { createActor } from 'xstate'
import { deliveryMachine } from '../../machines/delivery.ts'
import type { PostOutcome } from '../../machines/policy/delivery.ts'
import { invokedActors, onStage, openStage, START } from '../support/charts/stage.ts'

const delivery = deliveryMachine.provide({ actors: invokedActors('post') })

function given({ maxAttempts = 25, giveUpAfterMs = 86_400_000 } = {}) {
  const stage = openStage()
  const actor = onStage(stage, createActor(delivery, { input: { at: START, maxAttempts, giveUpAfterMs } })).start()
  const now = () => ({ at: stage.now })
  return {
    stage,
    actor,
    state: () => actor.getSnapshot().value,
    context: () => actor.getSnapshot().context,
    due: () => actor.send({ type: 'delivery.due', ...now() }),
    /** One attempt, at its time. */
    attempt(outcome: PostOutcome, random = 0) {
      stage.now = Math.max(stage.now, actor.getSnapshot().context.dueAt)
      actor.send({ type: 'delivery.due', ...now() })
      stage.the('post').answer('post.ended', { outcome, random })
    },
    send: actor.send
  }
}

describe('delivery › an event on its way to a target', () => {
  it('waits until it is woken, is sent once, and is delivered when its target accepts it', () => {
    const { stage, actor, state, due } = given()
    expect(state()).to.equal('waiting')
    expect(stage.live('post')).to.have.length(0)
    due()
    expect(state()).to.equal('sending')
    stage.the('post').answer('post.ended', { outcome: { status: 204 }, random: 0 })
    expect([state(), actor.getSnapshot().status]).to.deep.equal(['delivered', 'done'])
  })

  it('is tried again after 5 s, 10 s, 20 s and so on, at most an hour; half of each is left to chance', () => {
    const least = given()
    const most = given()
    const waits = (one: ReturnType<typeof given>, random: number) =>
      Array.from({ length: 12 }, () => {
        one.attempt({ status: 500 }, random)
        return (one.context().dueAt - one.stage.now) / 1_000
      })
    expect(waits(least, 0)).to.deep.equal([2.5, 5, 10, 20, 40, 80, 160, 320, 640, 1_280, 1_800, 1_800])
    expect(waits(most, 1)).to.deep.equal([5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600])
    expect(most.context()).to.include({ attempts: 12, error: 'it answered 500' })
  })

  it('Retry-After counts where it is longer, for at most a day', () => {
    const { attempt, context, stage } = given({ giveUpAfterMs: 30 * 86_400_000 })
    attempt({ status: 503, retryAfterMs: 1_000 })
    expect(context().dueAt - stage.now).to.equal(2_500)
    attempt({ status: 429, retryAfterMs: 120_000 })
    expect(context().dueAt - stage.now).to.equal(120_000)
    attempt({ status: 503, retryAfterMs: 400 * 86_400_000 })
    expect(context().dueAt - stage.now).to.equal(86_400_000)
  })

  it('410 Gone, and what says that the event itself cannot be accepted, make it a dead letter at once', () => {
    for (const status of [400, 405, 410, 413, 415, 422, 501]) {
      const { attempt, state, context } = given()
      attempt({ status })
      expect([state(), context().error]).to.deep.equal(['dead', `it answered ${status}`])
    }
  })

  it('other answers, no answer, and a redirect, which is not followed, are tried again', () => {
    for (const outcome of [{ status: 401 }, { status: 404 }, { status: 408 }, { status: 429 }, { status: 500 }]) {
      const { attempt, state } = given()
      attempt(outcome)
      expect(state(), JSON.stringify(outcome)).to.equal('waiting')
    }
    const { attempt, context, state } = given()
    attempt({ error: 'no answer within 10 s' })
    expect([state(), context().error]).to.deep.equal(['waiting', 'no answer within 10 s'])
    attempt({ status: 302 })
    expect([state(), context().error]).to.deep.equal(['waiting', 'it answered 302 (a redirect is not followed)'])
  })

  it('is a dead letter after maxAttempts', () => {
    const { attempt, state, context } = given({ maxAttempts: 3 })
    attempt({ status: 500 })
    attempt({ status: 500 })
    expect(state()).to.equal('waiting')
    attempt({ status: 502 })
    expect([state(), context().attempts, context().error]).to.deep.equal(['dead', 3, 'it answered 502'])
  })

  it('is a dead letter when the next attempt would come after giveUpAfter', () => {
    const { attempt, state, context } = given({ giveUpAfterMs: 60_000 })
    for (const _ of [1, 2, 3]) attempt({ status: 500 }, 1)
    expect([state(), context().dueAt - START]).to.deep.equal(['waiting', 35_000])
    attempt({ status: 500 }, 1) // 40 s later would be too late
    expect([state(), context().attempts]).to.deep.equal(['dead', 4])
  })

  it('one that had to wait behind others for too long is given up, unless it was never tried', () => {
    const tried = given({ giveUpAfterMs: 60_000 })
    tried.attempt({ status: 500 })
    tried.stage.now = START + 60_001
    tried.due()
    expect(tried.state()).to.equal('dead')
    const untried = given({ giveUpAfterMs: 60_000 })
    untried.stage.now = START + 60_001
    untried.due()
    expect(untried.state()).to.equal('sending')
  })

  it('the oldest of too many gives way, and keeps what was wrong with it before', () => {
    const { attempt, send, stage, state, context } = given()
    attempt({ status: 500 })
    send({ type: 'delivery.displaced', at: stage.now, most: 10 })
    expect([state(), context().error]).to.deep.equal([
      'dead',
      'more than 10 were waiting for this target, and this was the oldest; before: it answered 500'
    ])
  })

  it('a target that is not configured any more leaves dead letters', () => {
    const { send, stage, state, context } = given()
    send({ type: 'target.gone', at: stage.now })
    expect([state(), context().error]).to.deep.equal(['dead', 'notify has no target of this name any more'])
  })

  it('a dead letter that is asked for again begins anew, with all its attempts and all its time', () => {
    const { attempt, send, stage, state, context, due } = given({ maxAttempts: 1, giveUpAfterMs: 60_000 })
    attempt({ status: 500 })
    expect(state()).to.equal('dead')
    due()
    expect(state(), 'by itself it is not tried').to.equal('dead')
    stage.advance(3_600_000)
    send({ type: 'delivery.retried', at: stage.now })
    expect([state(), context().attempts, context().dueAt, context().giveUpAt - stage.now]).to.deep.equal([
      'waiting',
      0,
      stage.now,
      60_000
    ])
    attempt({ status: 200 })
    expect(state()).to.equal('delivered')
  })
})
