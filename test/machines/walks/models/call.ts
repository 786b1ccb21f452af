/** One execution of a step that calls a sub workflow, as a model. Source: execution-semantics 9. */
import { createActor, createMachine, sendTo } from 'xstate'
import { callMachine } from '../../../../machines/call.ts'
import { type Inspect, type Walk, walking } from '../../../support/charts/model.ts'
import { key } from '../../../support/charts/plans.ts'
import { invokedActors, onStage, openStage, START } from '../../../support/charts/stage.ts'
import { first, servicesOf } from './stubs.ts'

const call = callMachine.provide({ actors: invokedActors('resolution', 'subRun', 'report') })

export function callModel(parallel: boolean, resumed = false): Walk {
  const input = { run: key(), place: 0, attempt: 1, at: START, pass: 0, parallel, ...(resumed ? { resumed } : {}) }
  const item = (dagRunId: string) => ({ name: 'kid', dagRunId, params: '' })
  const resolved = { items: [item('a'), item('b')], plan: 'hash', maxConcurrent: 1, offset: 0 }
  const openCall = (inspect: Inspect) => {
    const stage = openStage()
    const parent = createMachine({
      id: 'parent',
      invoke: { id: 'attempt', src: call, input },
      on: {
        'attempt.stop': { actions: sendTo('attempt', ({ event }) => event) },
        'attempt.kill': { actions: sendTo('attempt', ({ event }) => event) }
      }
    })
    return { stage, actor: onStage(stage, createActor(parent, { inspect })).start() }
  }
  type Live = ReturnType<typeof openCall>
  const tell = (type: string) => (live: Live) => {
    if (live.actor.getSnapshot().children.attempt?.getSnapshot().status !== 'active') return
    live.actor.send({ type, signal: 'SIGTERM', at: live.stage.now })
  }
  const ends = (status: string) => (live: Live) => {
    const stub = first(live.stage, 'subRun')
    stub.over = true
    stub.answer('sub.ended', { index: (stub.input as { index: number }).index, status })
  }
  return walking({
    open: openCall,
    moves: {
      resolved: ({ stage }) => first(stage, 'resolution').answer('call.resolved', { ...resolved, stopped: false }),
      'resolved, it was stopped': ({ stage }) =>
        first(stage, 'resolution').answer('call.resolved', { ...resolved, stopped: true }),
      'nothing to call': ({ stage }) => first(stage, 'resolution').answer('call.unresolved', { error: 'no such DAG' }),
      'a sub run succeeds': ends('succeeded'),
      'a sub run fails': ends('failed'),
      reported: ({ stage }) => first(stage, 'report').answer('call.reported'),
      stop: tell('attempt.stop'),
      kill: tell('attempt.kill')
    },
    keyOf({ stage, actor }) {
      const call = actor.getSnapshot().children.attempt?.getSnapshot()
      return JSON.stringify([call?.value, call?.context.tally, call?.context.stopped, servicesOf(stage)])
    },
    depth: 5
  })
}
