/** The chart of a call. Source: execution-semantics 9. */
import { expect } from 'chai'
import { createActor, createMachine, sendTo } from 'xstate'
import { getShortestPaths } from 'xstate/graph'
import { callMachine, type ReportInput, type ResolvedCall, type SubRunInput } from '../../machines/call.ts'
import type { AttemptCommand, AttemptEnded } from '../../machines/node.ts'
import type { RunStatus, SubRunRef } from '../../machines/vocabulary.ts'
import { key } from '../support/charts/plans.ts'
import { invokedActors, onStage, openStage, START } from '../support/charts/stage.ts'

const item = (dagRunId: string): SubRunRef => ({ name: 'kid', dagRunId, params: '' })
const input = { run: key(), place: 0, attempt: 1, at: START, pass: 0, parallel: true }
const resolved = (ids: string, maxConcurrent = 2): ResolvedCall => ({
  items: [...ids].map(item),
  plan: 'hash',
  maxConcurrent,
  offset: 0
})

const call = callMachine.provide({ actors: invokedActors('resolution', 'subRun', 'report') })

/** One call below a parent that records the events it receives. */
function driveCall(parallel = true, resumed = false) {
  const stage = openStage()
  const received: { type: string }[] = []
  const parent = createMachine({
    invoke: { id: 'attempt', src: call, input: { ...input, parallel, ...(resumed ? { resumed } : {}) } },
    on: {
      'attempt.stop': { actions: sendTo('attempt', ({ event }) => event) },
      'attempt.kill': { actions: sendTo('attempt', ({ event }) => event) },
      'attempt.*': { actions: ({ event }) => void received.push(event) }
    }
  })
  const actor = onStage(stage, createActor(parent)).start()
  const tell = (command: AttemptCommand) => actor.send(command)
  return {
    stage,
    received,
    ended: () => received.find(({ type }) => type === 'attempt.ended') as AttemptEnded | undefined,
    resolves: (ids: string, maxConcurrent?: number, stopped = false) =>
      stage.the('resolution').answer('call.resolved', { ...resolved(ids, maxConcurrent), stopped }),
    /** Ids of the active sub runs. */
    live: () =>
      stage
        .live('subRun')
        .map(({ input }) => (input as SubRunInput).item.dagRunId)
        .join(''),
    ends(dagRunId: string, status: RunStatus = 'succeeded', error?: string) {
      const stub = stage.live('subRun').find(({ input }) => (input as SubRunInput).item.dagRunId === dagRunId)
      if (!stub) throw new Error(`sub run ${dagRunId} is not at work`)
      stub.over = true
      stub.answer('sub.ended', { index: (stub.input as SubRunInput).index, status, ...(error ? { error } : {}) })
    },
    reports: (facts: object = {}) => stage.the('report').answer('call.reported', facts),
    stop: () => tell({ type: 'attempt.stop', signal: 'SIGTERM', at: stage.now }),
    kill: () => tell({ type: 'attempt.kill', at: stage.now })
  }
}

describe('call chart', () => {
  it('9.4.3 begins at most maxConcurrent sub runs at a time, in the order of the items', () => {
    const call = driveCall()
    call.resolves('abcd', 2)
    expect(call.live()).to.equal('ab')
    call.ends('b')
    expect(call.live()).to.equal('ac')
    call.ends('a')
    call.ends('c')
    expect(call.live()).to.equal('d')
    expect(call.stage.live('report')).to.have.length(0)
  })

  it('9.4.8 no fail-fast: all items run; the node fails if any sub run is neither succeeded nor partially_succeeded', () => {
    const call = driveCall()
    call.resolves('abc', 1)
    call.ends('a', 'failed')
    call.ends('b', 'canceled')
    call.ends('c')
    expect(call.stage.the('report').input).to.deep.include({ total: 3, failed: true })
    call.reports()
    expect(call.ended()).to.include({ exitCode: 1, error: 'parallel execution failed: 2 of 3 child run(s) failed' })
  })

  it('9.4.8 else partially_succeeded if any is; else succeeded', () => {
    for (const status of ['partially_succeeded', 'succeeded'] as const) {
      const call = driveCall()
      call.resolves('ab')
      call.ends('a', status)
      call.ends('b')
      call.reports({ output: 'x' })
      expect(call.ended()).to.deep.include({ exitCode: 0, output: 'x' })
      expect(call.ended()?.partial ?? false).to.equal(status === 'partially_succeeded')
    }
  })

  it('9.3.4 a single call: error says the sub run and how it ended, or why it could not be begun', () => {
    const failed = driveCall(false)
    failed.resolves('a')
    failed.ends('a', 'failed')
    failed.reports()
    expect(failed.ended()).to.include({ exitCode: 1, error: 'sub DAG run a failed with status: failed' })
    const unable = driveCall(false)
    unable.resolves('a')
    unable.ends('a', 'failed', 'params: wanted words')
    unable.reports()
    expect(unable.ended()).to.include({ exitCode: 1, error: 'params: wanted words' })
  })

  it('9.1.3 what cannot be resolved fails the attempt with the reason; nothing is written', () => {
    const call = driveCall()
    call.stage.the('resolution').answer('call.unresolved', { error: 'failed to find DAG "x"' })
    expect(call.ended()).to.include({ exitCode: 1, error: 'failed to find DAG "x"' })
    expect(call.stage.live('report')).to.have.length(0)
  })

  it('a result that cannot be written or captured fails the attempt', () => {
    const call = driveCall()
    call.resolves('a')
    call.ends('a')
    call.reports({ error: 'failed to capture output: too large' })
    expect(call.ended()).to.include({ exitCode: 1, error: 'failed to capture output: too large' })
  })

  it('5.4 output: the result is searched when the step fails, and when it was stopped, whatever its sub runs say', () => {
    const searched = (status: RunStatus, stopped = false) => {
      const call = driveCall()
      call.resolves('a')
      if (stopped) call.stop()
      call.ends('a', status)
      return (call.stage.the('report').input as ReportInput).failed
    }
    expect([searched('succeeded'), searched('failed'), searched('succeeded', true)]).to.deep.equal([false, true, true])
  })

  it('9.5.5 a stop goes to every active sub run, no further item starts, and it waits for them', () => {
    const call = driveCall()
    call.resolves('abc', 2)
    call.stop()
    expect(call.stage.live('subRun').map(({ received }) => received)).to.deep.equal([
      [{ type: 'sub.stop' }],
      [{ type: 'sub.stop' }]
    ])
    call.ends('a', 'canceled')
    expect(call.ended()).to.equal(undefined)
    call.ends('b', 'canceled')
    expect(call.stage.the('report').input).to.deep.include({ items: [item('a'), item('b')], total: 3 })
    call.reports()
    expect(call.ended()).to.include({ exitCode: -1 })
  })

  it('9.5.5 when the grace period is over they are killed', () => {
    const call = driveCall()
    call.resolves('a')
    call.stop()
    call.kill()
    expect(call.stage.the('subRun').received.map(({ type }) => type)).to.deep.equal(['sub.stop', 'sub.kill'])
  })

  it('a stop while names are evaluated ends it at once', () => {
    const call = driveCall()
    call.stop()
    expect(call.ended()).to.include({ exitCode: -1, error: 'signal: terminated' })
  })

  it('9.5.5 a stop that comes after a restart, before it is known what was called, reaches what was called', () => {
    const call = driveCall(true, true)
    call.stop()
    expect(call.ended()).to.equal(undefined)
    call.resolves('ab', 1)
    expect(
      call.stage.live('subRun').map(({ input, received }) => [(input as SubRunInput).findOnly, received])
    ).to.deep.equal([
      [true, [{ type: 'sub.stop' }]],
      [true, [{ type: 'sub.stop' }]]
    ])
    call.ends('a', 'canceled')
    call.ends('b', 'not_started')
    call.reports()
    expect(call.ended()).to.include({ exitCode: -1 })
  })

  it('when the grace period of such a call is over, and nothing is known yet, it ends', () => {
    const call = driveCall(true, true)
    call.stop()
    call.kill()
    expect(call.ended()).to.include({ exitCode: -1, error: 'signal: terminated' })
  })

  it('after a restart of a stopped call every sub run is looked for, none is started', () => {
    const call = driveCall()
    call.resolves('abc', 1, true)
    expect(call.stage.live('subRun').map(({ input }) => (input as SubRunInput).findOnly)).to.deep.equal([
      true,
      true,
      true
    ])
    call.ends('a')
    call.ends('b', 'canceled')
    call.ends('c', 'not_started')
    expect(call.stage.the('report').input).to.deep.include({
      tally: { succeeded: 1, partiallySucceeded: 0, failed: 1 }
    })
  })

  it('P6 the result waits for disk space, until the step is stopped', () => {
    for (const command of ['stop', 'kill'] as const) {
      const call = driveCall()
      call.resolves('a')
      call.ends('a')
      const report = call.stage.the('report')
      expect([(report.input as ReportInput).stopped, report.received]).to.deep.equal([false, []])
      call[command]()
      expect(report.received).to.deep.equal([{ type: 'report.stop' }])
      call.reports()
      expect(call.ended()).to.include({ exitCode: 0 })
    }
    const stopped = driveCall()
    stopped.resolves('a')
    stopped.stop()
    stopped.ends('a', 'canceled')
    expect((stopped.stage.the('report').input as ReportInput).stopped).to.equal(true)
  })

  it('reaches every state', () => {
    const none = () => {} // a bare chart has no parent and no invoked actors
    const bare = callMachine.provide({
      actions: {
        sayBegun: none,
        sayEnded: none,
        sayStopped: none,
        stopSubs: none,
        killSubs: none,
        dropSub: none,
        hurryReport: none
      }
    })
    const paths = getShortestPaths(bare, {
      input,
      events: [
        { type: 'call.resolved', at: START, stopped: false, ...resolved('ab', 1) },
        { type: 'call.resolved', at: START, stopped: true, ...resolved('ab', 1) },
        { type: 'call.unresolved', at: START, error: 'x' },
        { type: 'sub.ended', at: START, index: 0, status: 'succeeded' },
        { type: 'call.reported', at: START },
        { type: 'attempt.stop', signal: 'SIGTERM', at: START },
        { type: 'attempt.kill', at: START }
      ],
      filterEvents: ({ context }, { type }) => type !== 'sub.ended' || context.active > 0,
      serializeState: ({ value, context }) => JSON.stringify([value, context.active, context.next]),
      limit: 1_000
    })
    const states = Object.keys(callMachine.states)
    expect(new Set(paths.map(({ state }) => state.value))).to.deep.equal(new Set(states))
  })
})
