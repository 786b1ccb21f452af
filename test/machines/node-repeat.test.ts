/** When a step is executed again after a pass, and when not. Source: execution-semantics 6.2, 7.1.4, 7.3.5. */
import { expect } from 'chai'
import type { Repeat } from '../../machines/vocabulary.ts'
import { driveNode } from '../support/charts.ts'
import { repeat, type StepWish, step } from '../support/plans.ts'
import { START } from '../support/stage.ts'

const repeated = (policy: Partial<Repeat> = {}, wish: StepWish = {}, cleanUpMs = 5_000) =>
  driveNode(step('a', { repeat: repeat(policy), ...wish }), { cleanUpMs })
type Drive = ReturnType<typeof repeated>
const restarted = (node: Drive, policy: Partial<Repeat> = {}) =>
  driveNode(step('a', { repeat: repeat(policy) }), {
    snapshot: JSON.parse(JSON.stringify(node.actor.getPersistedSnapshot()))
  })
const condition = { condition: 'test -f go' }
const outputOf = (node: Drive) => node.actor.getSnapshot().output

/** One pass after another, each ending with the next code. @returns how many were begun */
function passes(node: Drive, ...codes: number[]): number {
  for (const code of codes) {
    if (node.state() === 'repeating') node.stage.advance(node.context().dueAt - node.stage.now)
    node.ends(code)
  }
  return node.attempts().length
}

describe('node › 6.2 repeatPolicy', () => {
  it('true without more: while the execution succeeded; a pass that fails ends the loop', () => {
    const node = repeated({ intervalMs: 1_000 })
    expect(passes(node, 0, 0, 3)).to.equal(3)
    expect(node.status()).to.equal('failed')
    expect(node.context()).to.include({ doneCount: 3, exitCode: 3, error: 'exit status 3' })
  })
  it('while exitCode: as long as the last exit code is in the list', () => {
    const node = repeated({ exitCodes: [3, 4] })
    passes(node, 3, 4, 0)
    expect(node.status()).to.equal('succeeded')
    expect(node.context()).to.include({ doneCount: 3, exitCode: 0 })
  })
  it('until exitCode: as long as the last exit code is not in the list', () => {
    const node = repeated({ mode: 'until', exitCodes: [0] })
    passes(node, 1, 2, 0)
    expect(node.status()).to.equal('succeeded')
    expect(node.context()).to.include({ doneCount: 3 })
  })
  it('while condition: as long as it is met', () => {
    const node = repeated({ condition })
    node.ends(0)
    expect(node.state()).to.equal('testing')
    node.tested(true)
    expect(node.state()).to.equal('repeating')
    node.stage.advance(0)
    node.ends(0)
    node.tested(false)
    expect(node.status()).to.equal('succeeded')
    expect(node.attempts()).to.deep.equal([1, 2])
  })
  it('until condition: as long as it is not met', () => {
    const node = repeated({ mode: 'until', condition })
    node.ends(0)
    node.tested(false)
    expect(node.state()).to.equal('repeating')
    node.stage.advance(0)
    node.ends(0)
    node.tested(true)
    expect(node.status()).to.equal('succeeded')
  })
  it('6.2.1 condition beats exitCode when both are given; it is evaluated after each pass, what that wrote being visible', () => {
    const node = repeated({ condition, exitCodes: [7] })
    node.ends(7)
    expect(node.state()).to.equal('testing')
    expect(node.stage.the('repetition').input).to.deep.include({ place: 0, attempt: 1, over: true })
    node.tested(false)
    expect(node.status()).to.equal('failed')
  })
  it('6.2.2 limit is the total of executions: limit 3, doneCount 3', () => {
    const node = repeated({ limit: 3 })
    expect(passes(node, 0, 0, 0)).to.equal(3)
    expect(node.status()).to.equal('succeeded')
    expect(node.context().doneCount).to.equal(3)
  })
  it('6.2.2 reaching the limit is not an error: the status is that of the last pass, even when until never held', () => {
    const well = repeated({ mode: 'until', exitCodes: [7], limit: 2 })
    passes(well, 1, 0)
    expect(well.status()).to.equal('succeeded')
    const badly = repeated({ mode: 'until', exitCodes: [7], limit: 2 })
    passes(badly, 0, 1)
    expect(badly.status()).to.equal('failed')
  })
  it('6.2.2 at the limit the condition is not asked any more', () => {
    const node = repeated({ mode: 'until', condition, limit: 1 })
    node.ends(0)
    expect(node.status()).to.equal('succeeded')
    expect(node.stage.hands.some(({ slot }) => slot === 'repetition')).to.equal(false)
  })
  it('6.2.3 each new pass clears the error', () => {
    const node = repeated({ mode: 'until', exitCodes: [0], intervalMs: 1_000 })
    node.ends(1, { error: 'exit status 1', signal: 'hangup' })
    expect(node.context()).to.include({ error: 'exit status 1', signal: 'hangup' })
    node.stage.advance(1_000)
    expect(node.context().error).to.equal(undefined)
    expect(node.context().signal).to.equal(undefined)
    node.ends(0)
    expect(node.context().error).to.equal(undefined)
    expect(node.status()).to.equal('succeeded')
  })
  it('6.2.3 until exitCode [7] ending with exit 7 is failed unless continueOn says otherwise', () => {
    const until: Partial<Repeat> = { mode: 'until', exitCodes: [7] }
    const plain = repeated(until)
    passes(plain, 7)
    expect(outputOf(plain)).to.include({ status: 'failed', continues: false })
    const continued = repeated(until, { continueOn: { exitCodes: [7] } })
    passes(continued, 0, 7)
    expect(outputOf(continued)).to.include({ status: 'failed', continues: true })
    const marked = repeated(until, { continueOn: { exitCodes: [7], markSuccess: true } })
    passes(marked, 7)
    expect(outputOf(marked)).to.include({ status: 'succeeded' })
    expect(marked.context().error).to.equal('exit status 7')
  })
  it('continueOn and markSuccess apply at the end only: a pass in between that they match repeats all the same', () => {
    const continueOn = { failure: true, markSuccess: true }
    const node = repeated({ mode: 'until', exitCodes: [0] }, { continueOn })
    passes(node, 1, 0)
    expect(node.attempts()).to.have.length(2)
    expect(outputOf(node)).to.include({ status: 'succeeded', continues: false })
  })
  it('5.4.2 continueOn.output: a line of an earlier pass counts', () => {
    const node = repeated({}, { continueOn: { outputs: ['x'] } })
    node.ends(0, { outputMatched: true })
    node.stage.advance(0)
    node.ends(1)
    expect(outputOf(node)).to.include({ status: 'failed', continues: true })
  })
  it('6.2.4 retries first, then the repeat decision; the retry budget is per node', () => {
    const node = repeated({ mode: 'until', exitCodes: [0], limit: 3 }, { retry: { limit: 1, interval: 1_000 } })
    node.ends(1)
    expect(node.state()).to.equal('waiting')
    expect(node.context().doneCount).to.equal(0)
    node.stage.advance(1_000)
    node.ends(1)
    expect(node.state()).to.equal('repeating')
    expect(node.context()).to.include({ doneCount: 1, retryCount: 1 })
    node.stage.advance(0)
    node.ends(1)
    expect(node.state()).to.equal('repeating')
    node.stage.advance(0)
    node.ends(0)
    expect(node.context()).to.include({ doneCount: 3, retryCount: 1 })
    expect(node.attempts()).to.deep.equal([1, 2, 3, 4])
  })
  it('6.2.5 wait before pass n+1: interval * backoff^(n-1), cut to maxIntervalSec', () => {
    const node = repeated({ intervalMs: 1_000, backoff: 2, maxIntervalMs: 3_000 })
    const waits = [1, 2, 3, 4].map(() => {
      node.ends(0)
      const wait = node.context().dueAt - node.stage.now
      node.stage.advance(wait - 1)
      expect(node.state()).to.equal('repeating')
      node.stage.advance(1)
      expect(node.state()).to.deep.equal({ attempting: 'executing' })
      return wait
    })
    expect(waits).to.deep.equal([1_000, 2_000, 3_000, 3_000])
  })
  it('the wait counts from the moment in which it is known that there is another pass', () => {
    const node = repeated({ condition, intervalMs: 1_000 })
    node.ends(0)
    node.stage.advance(700)
    node.tested(true)
    expect(node.context().dueAt).to.equal(START + 1_700)
  })
  it('6.2.6 status stays running during waits; startedAt is the first start; no end is shown', () => {
    const node = repeated({ intervalMs: 60_000 })
    node.stage.advance(500)
    node.ends(0)
    expect(node.status()).to.equal('running')
    expect(node.context().finishedAt).to.equal(undefined)
    node.stage.advance(60_000)
    expect(node.context().startedAt).to.equal(START)
    node.ends(1)
    expect(node.context()).to.include({ startedAt: START, finishedAt: START + 60_500 })
  })
  it('5.6.10 preconditions are checked before the first pass only', () => {
    const node = repeated({}, { preconditions: [condition] })
    node.prepared()
    passes(node, 0)
    node.stage.advance(0)
    expect(node.state()).to.deep.equal({ attempting: 'executing' })
    expect(node.stage.hands.filter(({ slot }) => slot === 'preparation')).to.have.length(1)
  })
  it('4.5.5 the value of the latest pass replaces the earlier one, also by none', () => {
    const node = repeated({ mode: 'until', exitCodes: [0] }, { output: 'OUT' })
    node.ends(1, { output: 'first' })
    expect(node.context().output).to.equal('first')
    node.stage.advance(0)
    node.ends(1, { error: 'failed to capture output' })
    expect(node.context().output).to.equal(undefined)
  })
})

describe('node › 7.1.4 timeoutSec of a step that repeats', () => {
  it('each pass starts a new clock', () => {
    const node = repeated({ intervalMs: 60_000 }, { timeoutMs: 30_000 })
    node.began()
    node.stage.advance(20_000)
    node.ends(0)
    node.stage.advance(60_000)
    node.began()
    node.stage.advance(29_999)
    expect(node.signals()).to.deep.equal([])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['SIGTERM'])
  })
  it('a pass that times out is a failed pass with code 124: the repeat decision follows', () => {
    const node = repeated({ mode: 'until', exitCodes: [0] }, { timeoutMs: 30_000, output: 'OUT' })
    node.began()
    node.ends(1, { output: 'early' })
    node.stage.advance(0)
    node.began()
    node.stage.advance(30_000)
    node.ends(-1, { signal: 'terminated' })
    expect(node.state()).to.equal('repeating')
    expect(node.context()).to.include({ doneCount: 2, exitCode: 124, output: undefined })
    expect(node.context().finishedAt).to.equal(undefined)
  })
  it("6.2.1 the condition sees the step's own fresh output, of a pass that timed out too", () => {
    const node = repeated({ condition }, { timeoutMs: 30_000, output: 'OUT' })
    node.began()
    node.stage.advance(30_000)
    node.ends(-1, { output: 'late' })
    expect(node.state()).to.equal('testing')
    expect(node.context().output).to.equal('late')
  })
  it('the last pass timed out: failed with code 124, by continueOn', () => {
    const node = repeated({}, { timeoutMs: 30_000, continueOn: { exitCodes: [124] } })
    node.began()
    node.stage.advance(30_000)
    node.ends(-1)
    expect(outputOf(node)).to.include({ status: 'failed', continues: true })
    expect(node.context()).to.include({ exitCode: 124, error: 'step timed out after 30s (timeout: 30s)' })
  })
})

describe('node › 7.3.5 stop of a repeating node', () => {
  it('is not signalled: it finishes its current pass and does not repeat; that ended well: succeeded', () => {
    const node = repeated({})
    node.stop()
    expect(node.status()).to.equal('running')
    node.stage.advance(2_000)
    node.ends(0)
    expect(node.signals()).to.deep.equal([])
    expect(outputOf(node)).to.include({ status: 'succeeded' })
    expect(node.context()).to.include({ doneCount: 1, finishedAt: START + 2_000 })
  })
  it('its last pass failed: failed, without a retry and without asking the condition; markSuccess counts', () => {
    const wish = { retry: { limit: 3 } }
    const node = repeated({ mode: 'until', condition }, wish)
    node.stop()
    node.ends(1)
    expect(outputOf(node)).to.include({ status: 'failed' })
    expect(node.context()).to.include({ retryCount: 0, doneCount: 1 })
    const marked = repeated({}, { ...wish, continueOn: { failure: true, markSuccess: true } })
    marked.stop()
    marked.ends(1)
    expect(outputOf(marked)).to.include({ status: 'succeeded' })
  })
  it('its wait is cut short: the status is that of the last pass', () => {
    for (const [code, status] of [
      [0, 'succeeded'],
      [1, 'failed']
    ] as const) {
      const node = repeated({ mode: 'until', exitCodes: [7], intervalMs: 60_000 })
      node.ends(code)
      node.stage.advance(1_000)
      node.stop()
      expect(outputOf(node)).to.include({ status, at: START + 1_000 })
      expect(node.stage.live('alarm')).to.deep.equal([])
    }
  })
  it('its condition is not waited for', () => {
    const node = repeated({ mode: 'until', condition })
    node.ends(0)
    node.stop()
    expect(outputOf(node)).to.include({ status: 'succeeded' })
    expect(node.stage.live('repetition')).to.deep.equal([])
  })
  it('in a retry wait there is no pass to finish: canceled', () => {
    const node = repeated({}, { retry: { limit: 1, interval: 60_000 } })
    node.ends(1)
    node.stop()
    expect(node.status()).to.equal('canceled')
  })
  it('after maxCleanUpTimeSec it is killed like others, and canceled', () => {
    const node = repeated({}, {}, 12_000)
    node.stop()
    node.stage.advance(11_999)
    expect(node.signals()).to.deep.equal([])
    node.stage.advance(1)
    expect(node.signals()).to.deep.equal(['kill'])
    expect(node.status()).to.equal('canceled')
    node.stage.advance(5_000)
    expect(node.signals()).to.deep.equal(['kill', 'kill'])
    node.ends(-1, { signal: 'killed', error: 'signal: killed' })
    expect(outputOf(node)).to.include({ status: 'canceled' })
    expect(node.context().error).to.equal('signal: killed')
  })
  it('the clean-up time keeps its end across a restart', () => {
    const node = repeated({}, {}, 12_000)
    node.stop()
    node.stage.advance(4_000)
    const again = restarted(node)
    expect(again.state()).to.deep.equal({ attempting: 'finishing' })
    again.stage.advance(11_999) // the stage of the new one begins at START
    expect(again.signals()).to.deep.equal([])
    again.stage.advance(1)
    expect(again.signals()).to.deep.equal(['kill'])
  })
  it('a second stop changes nothing', () => {
    const node = repeated({})
    node.stop()
    node.stop()
    expect(node.signals()).to.deep.equal([])
    expect(node.state()).to.deep.equal({ attempting: 'finishing' })
  })
  it('timeoutSec holds in the last pass too: it is ended and canceled', () => {
    const node = repeated({}, { timeoutMs: 3_000 }, 10_000)
    node.stop()
    node.began()
    node.stage.advance(3_000)
    expect(node.signals()).to.deep.equal(['SIGTERM'])
    node.stage.advance(7_000)
    expect(node.signals().at(-1)).to.equal('kill')
    node.ends(-1)
    expect(outputOf(node)).to.include({ status: 'canceled' })
  })
  it('7.1.1 a run that ran out of time ends it like any other node, in a pass, a test and a wait', () => {
    const working = repeated({}, { signalOnStop: 'SIGINT' })
    working.stopAtOnce()
    expect(working.signals()).to.deep.equal(['SIGINT'])
    working.ends(-1)
    const waiting = repeated({ intervalMs: 60_000 })
    waiting.ends(0)
    waiting.stopAtOnce()
    const tested = repeated({ condition })
    tested.ends(0)
    tested.stopAtOnce()
    expect([working, waiting, tested].map(outputOf).map((output) => output?.status)).to.deep.equal([
      'canceled',
      'canceled',
      'canceled'
    ])
  })
})

describe('node › a repeat wait outlives the process', () => {
  it('keeps its instant across a restart, and its counts', () => {
    const policy: Partial<Repeat> = { mode: 'until', exitCodes: [0], intervalMs: 5_000, limit: 2 }
    const node = repeated(policy)
    node.ends(1)
    const again = restarted(node, policy)
    again.stage.advance(4_999)
    expect(again.state()).to.equal('repeating')
    again.stage.advance(1)
    expect(again.attempts()).to.deep.equal([2])
    again.ends(1)
    expect(again.status()).to.equal('failed')
    expect(again.context().doneCount).to.equal(2)
  })
  it('a condition that was being evaluated is evaluated again', () => {
    const node = repeated({ condition })
    node.ends(0)
    const again = restarted(node, { condition })
    expect(again.state()).to.equal('testing')
    again.tested(false)
    expect(again.status()).to.equal('succeeded')
  })
})
