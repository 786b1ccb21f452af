/** One step of one run: the transitions of its node. Source: execution-semantics 5.2, 5.4, 5.6.10, 5.6.11. */
import { expect } from 'chai'
import { createActor } from 'xstate'
import { nodeMachine } from '../../machines/node.ts'
import { driveNode } from '../support/charts/charts.ts'
import { key, type StepWish, step } from '../support/charts/plans.ts'
import { START } from '../support/charts/stage.ts'

const preconditions = [{ condition: 'test -f go' }]
const conditional = (wish: StepWish = {}) => driveNode(step('a', { preconditions, ...wish }))

describe('node › 5.2 node transitions', () => {
  it('not_started, picked up, preconditions met: running; startedAt is set when the node is picked up', () => {
    const node = conditional()
    expect(node.status()).to.equal('running')
    expect(node.context().startedAt).to.equal(START)
    node.stage.advance(700)
    node.prepared()
    expect(node.status()).to.equal('running')
    expect(node.context()).to.deep.include({ startedAt: START, attempt: 1 })
    expect(node.attempts()).to.deep.equal([1])
  })
  it('a step without preconditions is executed at once', () => {
    const node = driveNode(step('a'))
    expect(node.stage.live('preparation')).to.deep.equal([])
    expect(node.attempts()).to.deep.equal([1])
  })
  it('not_started, picked up, precondition not met: skipped, finishedAt set, node error empty', () => {
    const node = conditional()
    node.stage.advance(700)
    node.prepared(false)
    expect(node.status()).to.equal('skipped')
    expect(node.context()).to.include({ finishedAt: START + 700, doneCount: 0 })
    expect(node.context().error).to.equal(undefined)
    expect(node.attempts()).to.deep.equal([])
  })
  it('not_started, picked up, precondition could not be evaluated: skipped, node error is the evaluation error', () => {
    const node = conditional()
    node.prepared(false, { error: 'backtick failed: exit status 3' })
    expect(node.status()).to.equal('skipped')
    expect(node.context().error).to.equal('backtick failed: exit status 3')
  })
  it('not_started, retry settings cannot be prepared: failed', () => {
    const node = driveNode(step('a', { retry: { limit: '${N}' } }))
    node.unprepared('retryPolicy.limit: wanted an integer from 0, found "x"')
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ doneCount: 0, error: 'retryPolicy.limit: wanted an integer from 0, found "x"' })
    expect(node.attempts()).to.deep.equal([])
  })
  it('running, exit 0 and output captured: succeeded, doneCount +1', () => {
    const node = driveNode(step('a', { output: 'OUT' }))
    node.stage.advance(50)
    node.ends(0, { output: 'hello' })
    expect(node.status()).to.equal('succeeded')
    expect(node.context()).to.include({ doneCount: 1, exitCode: 0, output: 'hello', finishedAt: START + 50 })
  })
  it('running, exit 0 but the output could not be captured: failed', () => {
    const node = driveNode(step('a', { output: 'OUT' }))
    node.ends(0, { error: 'failed to capture output' })
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ doneCount: 1, error: 'failed to capture output' })
  })
  it('running, error, retries left and exit code accepted: running, retryCount +1, waits, runs again', () => {
    const node = driveNode(step('a', { retry: { limit: 1, interval: 1_000 } }))
    node.ends(1)
    expect(node.status()).to.equal('running')
    expect(node.state()).to.equal('waiting')
    expect(node.context()).to.include({ retryCount: 1, doneCount: 0 })
    node.stage.advance(1_000)
    expect(node.attempts()).to.deep.equal([1, 2])
  })
  it('running, error, no retry: failed, doneCount +1', () => {
    const node = driveNode(step('a'))
    node.ends(3)
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ doneCount: 1, exitCode: 3, error: 'exit status 3', continues: false })
  })
  it('running, error, no retry, continueOn matches, markSuccess: succeeded, node error text is kept', () => {
    const node = driveNode(step('a', { continueOn: { failure: true, markSuccess: true } }))
    node.ends(3)
    expect(node.status()).to.equal('succeeded')
    expect(node.context()).to.include({ doneCount: 1, exitCode: 3, error: 'exit status 3' })
  })
  it('running, stop: canceled at once, before the process is gone', () => {
    const node = driveNode(step('a'))
    node.stop()
    expect(node.status()).to.equal('canceled')
    expect(node.stage.the('attempt').over).to.equal(false)
    node.ends(-1, { signal: 'terminated', error: 'signal: terminated' })
    expect(node.status()).to.equal('canceled')
    expect(node.actor.getSnapshot().status).to.equal('done')
  })
  it('running, step timeout: failed, exit code 124', () => {
    const node = driveNode(step('a', { timeoutMs: 30_000 }))
    node.began()
    node.stage.advance(30_000)
    node.ends(-1, { signal: 'terminated' })
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ exitCode: 124, doneCount: 1 })
  })
  it('running, an end after the step timeout, of which no alarm was heard: failed, exit code 124, without a retry', () => {
    const late = { at: START + 31_000 }
    for (const code of [0, 1]) {
      const node = driveNode(step('a', { timeoutMs: 30_000, retry: { limit: 2 } }))
      node.began()
      node.ends(code, late)
      expect(node.status()).to.equal('failed')
      expect(node.context()).to.include({ exitCode: 124, error: 'step timed out after 31s (timeout: 30s)' })
    }
    const inTime = driveNode(step('a', { timeoutMs: 30_000 }))
    inTime.began()
    inTime.ends(0, { at: START + 30_000 })
    expect(inTime.status()).to.equal('succeeded')
    const marked = driveNode(step('a', { timeoutMs: 30_000, continueOn: { failure: true, markSuccess: true } }))
    marked.began()
    marked.ends(0, late)
    expect(marked.status()).to.equal('succeeded')
  })
})

describe('node › 5.4 continueOn', () => {
  const ended = (wish: StepWish['continueOn'], exitCode: number, outputMatched = false) => {
    const node = driveNode(step('a', { continueOn: wish ?? {} }))
    node.ends(exitCode, { outputMatched })
    const { status, continues } = node.actor.getSnapshot().output ?? {}
    return { status, continues }
  }
  it('failure: true matches when the step failed, whatever the code', () => {
    expect(ended({ failure: true }, 9)).to.deep.equal({ status: 'failed', continues: true })
  })
  it('exitCode matches when the exit code is in the list', () => {
    expect(ended({ exitCodes: [3, 4] }, 4)).to.deep.equal({ status: 'failed', continues: true })
    expect(ended({ exitCodes: [3, 4] }, 5)).to.deep.equal({ status: 'failed', continues: false })
  })
  it('exitCode: exit 0 never matters, the step succeeded', () => {
    expect(ended({ exitCodes: [0] }, 0)).to.deep.equal({ status: 'succeeded', continues: false })
  })
  it('output matches when a line of the stdout log matched', () => {
    expect(ended({ outputs: ['warn'] }, 1, true)).to.deep.equal({ status: 'failed', continues: true })
    expect(ended({ outputs: ['warn'] }, 1, false)).to.deep.equal({ status: 'failed', continues: false })
  })
  it('skipped: true matches when the step was skipped', () => {
    for (const skipped of [true, false]) {
      const node = conditional({ continueOn: { skipped } })
      node.prepared(false)
      expect(node.actor.getSnapshot().output).to.deep.include({ status: 'skipped', continues: skipped })
    }
  })
  it('markSuccess: nothing by itself', () => {
    expect(ended({ markSuccess: true }, 1).status).to.equal('failed')
    expect(ended({ markSuccess: true, skipped: true }, 1).status).to.equal('failed')
  })
  it('markSuccess: when one of the failure matches holds the node becomes succeeded', () => {
    expect(ended({ markSuccess: true, failure: true }, 1).status).to.equal('succeeded')
    expect(ended({ markSuccess: true, exitCodes: [1] }, 1).status).to.equal('succeeded')
    expect(ended({ markSuccess: true, outputs: ['warn'] }, 1, true).status).to.equal('succeeded')
  })
})

describe('node › 5.4.4 continueOn never applies to canceled nodes', () => {
  it('a stopped step that failed does not continue', () => {
    const node = driveNode(step('a', { continueOn: { failure: true, markSuccess: true } }))
    node.stop()
    node.ends(1)
    expect(node.actor.getSnapshot().output).to.deep.include({ status: 'canceled', continues: false })
  })
})

describe('node › 5.6 preconditions', () => {
  it('5.6.10 are checked before the first execution only, not before retries', () => {
    const node = conditional({ retry: { limit: 1 } })
    node.prepared()
    node.ends(1)
    node.stage.advance(0)
    expect(node.attempts()).to.deep.equal([1, 2])
    expect(node.stage.invoked.filter(({ slot }) => slot === 'preparation')).to.have.length(1)
  })
  it('5.6.11 a condition that is still running when a stop arrives leaves its node canceled', () => {
    const node = conditional()
    const preparation = node.stage.the('preparation')
    node.stop()
    expect(node.status()).to.equal('canceled')
    expect(preparation.over).to.equal(true)
    expect(node.attempts()).to.deep.equal([])
  })
  it('keeps the result of each condition', () => {
    const node = conditional()
    const conditions = [{ matched: false, error: 'condition was not met: exit status 1' }]
    node.stage.the('preparation').answer('node.prepared', { retry: step('').retry, conditions, met: false })
    expect(node.context().conditions).to.deep.equal(conditions)
  })
})

describe('node › slots', () => {
  it('a slot without an implementation fails with its name', () => {
    const node = createActor(nodeMachine, { input: { run: key(), place: 0, step: step('a'), cleanUpMs: 0, at: 0 } })
    const errors: unknown[] = []
    node.subscribe({ error: (error) => errors.push(String(error)) })
    node.start()
    expect(errors).to.deep.equal(['Error: the slot "attempt" of a machine is not filled'])
  })
})
