/** The chart of a step with `each`. Source: docs/executors/function.md "One call for each item". */
import { expect } from 'chai'
import { createActor, fromCallback, setup } from 'xstate'
import { type EachContext, type EachInput, eachMachine } from '../../machines/each.ts'
import { key } from '../support/charts/plans.ts'
import { invokedActors, onStage, openStage, START, type Stage } from '../support/charts/stage.ts'

/** It is driven below a parent that keeps what it says. */
function driven(said: { type: string }[] = [], after: Partial<EachInput> = {}) {
  const stage: Stage = openStage()
  const each = eachMachine.provide({ actors: invokedActors('itemSource', 'item', 'itemReport') })
  const parent = setup({ actors: { each, silent: fromCallback(() => {}) } }).createMachine({
    invoke: { id: 'attempt', src: 'each', input: { run: key(), place: 0, attempt: 1, at: START, ...after } },
    on: { '*': { actions: ({ event }) => void said.push(event) } }
  })
  const actor = onStage(stage, createActor(parent)).start()
  const self = () => actor.getSnapshot().children.attempt
  return {
    stage,
    said: (type: string) => said.filter((event) => event.type === type),
    state: () => self()?.getSnapshot()?.value,
    context: () => self()?.getSnapshot()?.context as EachContext,
    resolved: (items: number, pending = Array.from({ length: items }, (_, at) => at), maxConcurrent = 2) =>
      stage.the('itemSource').answer('each.resolved', {
        items: Array.from({ length: items }, (_, at) => at),
        pending,
        maxConcurrent,
        room: 100
      }),
    atWork: () => stage.live('item').map(({ input }) => Object(input).index),
    ends(index: number, end: object = { bytes: 1 }) {
      const item = stage.live('item').find(({ input }) => Object(input).index === index)
      if (item) item.over = true // the chart drops it
      item?.answer('item.ended', { index, bytes: 0, ...end })
    },
    send: (type: string, also: object = {}) => self()?.send({ type, at: stage.now, ...also } as never)
  }
}

describe('each machine', () => {
  it('at most maxConcurrent items are at work; when all have succeeded, their results are put together', () => {
    const each = driven()
    each.resolved(3)
    expect(each.atWork()).to.deep.equal([0, 1])
    each.ends(1)
    expect(each.atWork()).to.deep.equal([0, 2])
    expect(Object(each.stage.live('item')[1]?.input).room).to.equal(99)
    each.ends(0)
    each.ends(2)
    expect(each.state()).to.equal('reporting')
    each.stage.the('itemReport').answer('each.reported', { output: '[0,1,2]' })
    expect(each.said('attempt.ended')).to.deep.equal([
      { type: 'attempt.ended', at: START, exitCode: 0, output: '[0,1,2]' }
    ])
  })
  it('an empty page is the last: the node hears that no pass follows', () => {
    const each = driven()
    each.stage
      .the('itemSource')
      .answer('each.resolved', { items: [], pending: [], maxConcurrent: 2, room: 1, isOver: true })
    each.stage.the('itemReport').answer('each.reported', { output: '{}' })
    expect(each.said('attempt.ended')).to.deep.equal([
      { type: 'attempt.ended', at: START, exitCode: 0, output: '{}', isOver: true }
    ])
  })
  it('an end of the process while a page was asked for is told once', () => {
    const each = driven([], { died: true, resumed: true })
    each.stage.the('itemSource').answer('each.died', {})
    each.resolved(1)
    expect(each.said('attempt.began')).to.deep.equal([
      { type: 'attempt.began', at: START, died: true },
      { type: 'attempt.began', at: START }
    ])
  })
  it('items that have succeeded before are not called', () => {
    const each = driven()
    each.resolved(3, [1])
    expect(each.atWork()).to.deep.equal([1])
  })
  it('without items it ends at once', () => {
    const each = driven()
    each.resolved(0)
    expect(each.state()).to.equal('reporting')
  })
  it('every item is called, however the others end; the first failure is told', () => {
    const each = driven()
    each.resolved(3)
    each.ends(1, { error: 'Error: second', thrown: { name: 'Error', message: 'second' } })
    each.ends(0, { error: 'Error: first' })
    expect(each.atWork()).to.deep.equal([2])
    each.ends(2)
    expect(each.said('attempt.ended')).to.deep.equal([
      {
        type: 'attempt.ended',
        at: START,
        exitCode: 1,
        error: '2 of 3 items failed; the first, item 1: Error: second',
        thrown: { name: 'Error', message: 'second' }
      }
    ])
  })
  it('a stop begins no further item, and waits for those at work', () => {
    const each = driven()
    each.resolved(3)
    each.send('attempt.stop', { signal: 'SIGTERM' })
    expect(each.state()).to.equal('stopping')
    each.ends(0)
    expect(each.atWork()).to.deep.equal([1])
    each.send('attempt.kill')
    expect(each.stage.live('item')[0]?.received.map(({ type }) => type)).to.deep.equal(['attempt.stop', 'attempt.kill'])
    each.ends(1, { error: 'signal: killed' })
    expect(each.said('attempt.ended')).to.deep.equal([
      { type: 'attempt.ended', at: START, exitCode: -1, error: 'signal: terminated' }
    ])
  })
  it('before the items are known a stop ends it', () => {
    const each = driven()
    each.send('attempt.stop', { signal: 'SIGTERM' })
    expect(each.said('attempt.ended')).to.have.length(1)
  })
  it('an engine that lacks the function tells the node, which waits', () => {
    const each = driven()
    const code = { kind: 'function', name: 'charge', step: 'a' }
    each.stage.the('itemSource').answer('each.lacking', { code })
    expect(each.said('attempt.missing')).to.deep.equal([
      { type: 'attempt.missing', at: START, code, mayHaveBegun: false }
    ])
  })
  it('after its process has ended it tells the node so as it goes on', () => {
    const each = driven([], { resumed: true, died: true })
    each.resolved(3, [1])
    expect(each.atWork()).to.deep.equal([1])
    expect(each.said('attempt.began')).to.deep.equal([{ type: 'attempt.began', at: START, died: true }])
  })
  it('after its process has ended too often no item begins: the node ends it', () => {
    const each = driven([], { resumed: true, died: true, isSpent: true })
    each.resolved(3, [1])
    expect(each.atWork()).to.deep.equal([])
    expect(each.said('attempt.died')).to.deep.equal([{ type: 'attempt.died', at: START }])
    each.send('attempt.kill')
    expect(each.said('attempt.ended')).to.deep.equal([
      { type: 'attempt.ended', at: START, exitCode: -1, error: 'signal: terminated' }
    ])
  })
  it('items that cannot be evaluated fail the execution', () => {
    const each = driven()
    each.stage.the('itemSource').answer('each.unresolved', { error: 'no list' })
    expect(each.said('attempt.ended')).to.deep.equal([
      { type: 'attempt.ended', at: START, exitCode: 1, error: 'no list' }
    ])
  })
})
