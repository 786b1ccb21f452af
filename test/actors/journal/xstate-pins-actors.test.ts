/**
 * What we rely on in XState 5 between actors: children, their errors and ends, messages. One small test for each claim.
 * Source: style "What XState 5 does that shapes us".
 */
import { expect } from 'chai'
import {
  type AnyActorRef,
  type AnyEventObject,
  assign,
  createActor,
  enqueueActions,
  fromCallback,
  sendTo,
  setup,
  spawnChild,
  stopChild
} from 'xstate'
import { dropped } from '../../../src/actors/journal/dropped.ts'
import { ending, recording, watched } from '../../support/charts/small-actors.ts'

describe('XState › children', () => {
  const family = (on: object = {}) =>
    setup({
      actors: { child: ending },
      actions: { drop: stopChild(({ event }) => (event as AnyEventObject).actorId) }
    }).createMachine({ invoke: { id: 'c', src: 'child' }, on } as never)

  it('an invoke dies when its state exits; one of the parent state outlives its children', () => {
    const outer = recording()
    const inner = recording()
    const machine = setup({ actors: { outer: outer.logic, inner: inner.logic } }).createMachine({
      initial: 'attempting',
      states: {
        attempting: {
          invoke: { src: 'outer' },
          initial: 'executing',
          states: { executing: { invoke: { src: 'inner' }, on: { stop: 'stopping' } }, stopping: {} }
        }
      }
    })
    createActor(machine).start().send({ type: 'stop' })
    expect([outer.stops.length, inner.stops.length]).to.deep.equal([0, 1])
  })
  it('a child that is done stays in `children` until it is stopped', () => {
    const kept = createActor(family()).start()
    kept.getSnapshot().children.c?.send({ type: 'end' })
    expect(Object.keys(kept.getSnapshot().children)).to.deep.equal(['c'])
    const dropped = createActor(family({ 'xstate.done.actor.*': { actions: 'drop' } })).start()
    dropped.getSnapshot().children.c?.send({ type: 'end' })
    expect(Object.keys(dropped.getSnapshot().children)).to.deep.equal([])
  })
  it('the actor system keeps a child that is deleted in place, until `dropped` takes it out', () => {
    const kept = (drop: (args: { self: AnyActorRef; system: unknown }, ended: { id: string }) => void) => {
      const machine = setup({ actors: { child: fromCallback(() => {}) }, actions: { drop } }).createMachine({
        entry: spawnChild('child', { id: 'c', systemId: 'child' }),
        on: { end: { actions: { type: 'drop', params: { id: 'c' } } } }
      } as never)
      const actor = createActor(machine).start()
      actor.send({ type: 'end' })
      return [
        Object.keys(actor.getSnapshot().children),
        (actor.system.get as (id: string) => unknown)('child') !== undefined
      ]
    }
    const inPlace = ({ self }: { self: AnyActorRef }, { id }: { id: string }) => {
      delete self.getSnapshot().children[id]
    }
    expect([kept(inPlace), kept(dropped(({ id }) => id))]).to.deep.equal([
      [[], true],
      [[], false]
    ])
  })
  it('an action may delete a child in place: the next snapshot does not have it either', () => {
    const machine = setup({
      actors: { child: ending },
      actions: {
        drop: ({ self, event }) => {
          delete self.getSnapshot().children[(event as AnyEventObject).actorId]
        },
        more: assign(({ spawn }) => {
          spawn('child', { id: 'd' })
          return {}
        })
      }
    }).createMachine({
      invoke: { id: 'c', src: 'child' },
      on: { 'xstate.done.actor.*': { actions: ['drop', 'more'] } }
    })
    const actor = createActor(machine).start()
    actor.getSnapshot().children.c?.send({ type: 'end' })
    expect(Object.keys(actor.getSnapshot().children)).to.deep.equal(['d'])
  })
  it("a child's error that nobody handles takes its parent down, up to the root", () => {
    const root = setup({ actors: { parent: family() } }).createMachine({ invoke: { id: 'p', src: 'parent' } })
    const { actor, errors } = watched(createActor(root))
    const parent = actor.getSnapshot().children.p as AnyActorRef
    parent.getSnapshot().children.c.send({ type: 'throw' })
    expect(errors).to.deep.equal(['Error: defect'])
    expect(actor.getSnapshot().status).to.equal('error')
  })
  it('a handler for `xstate.error.actor.*` prevents it', () => {
    const { actor, errors } = watched(createActor(family({ 'xstate.error.actor.*': {} })))
    actor.getSnapshot().children.c?.send({ type: 'throw' })
    expect(errors).to.deep.equal([])
    expect(actor.getSnapshot().status).to.equal('active')
  })
  it('a handler whose guard refuses does not', () => {
    const { actor, errors } = watched(createActor(family({ 'xstate.error.actor.*': { guard: () => false } })))
    actor.getSnapshot().children.c?.send({ type: 'throw' })
    expect(errors).to.deep.equal(['Error: defect'])
  })
  it('the handler of one child goes before that of all', () => {
    const seen: string[] = []
    const note = (what: string) => ({ actions: () => void seen.push(what) })
    const on = { 'xstate.error.actor.*': note('all'), 'xstate.error.actor.c': note('c') }
    const { actor } = watched(createActor(family(on)))
    actor.getSnapshot().children.c?.send({ type: 'throw' })
    expect(seen).to.deep.equal(['c'])
  })
  it('an invoked actor that throws when it is started is such an error', () => {
    const logic = fromCallback(() => {
      throw new Error('not filled')
    })
    const machine = setup({ actors: { invokedActor: logic } }).createMachine({ invoke: { src: 'invokedActor' } })
    expect(watched(createActor(machine)).errors).to.deep.equal(['Error: not filled'])
  })
  it('`xstate.done.actor.*` matches ids with dots, slashes and stars in them', () => {
    for (const id of ['node/a', 'node/a.b.c', 'node/a/b', 'node/*', 'run/dag.v2/r-1']) {
      const seen: string[] = []
      const machine = setup({
        actors: { child: ending },
        actions: { note: ({ event }) => void seen.push(event.actorId) }
      }).createMachine({ invoke: { id, src: 'child' }, on: { 'xstate.done.actor.*': { actions: 'note' } } })
      const actor = createActor(machine).start()
      actor.getSnapshot().children[id]?.send({ type: 'end' })
      expect(seen).to.deep.equal([id])
    }
  })
  it('a second child with the same id does not stop the first: the parent must do that', () => {
    const { logic, starts, stops } = recording()
    const machine = setup({
      actors: { invokedActor: logic },
      actions: { again: enqueueActions(({ enqueue }) => enqueue.spawnChild('invokedActor', { id: 'timeout' })) }
    }).createMachine({ on: { again: { actions: 'again' } } })
    const actor = createActor(machine).start()
    actor.send({ type: 'again' })
    actor.send({ type: 'again' })
    expect([starts.length, stops.length]).to.deep.equal([2, 0])
  })
  it('a child that is stopped reports nothing more', () => {
    const { logic, live } = recording()
    const seen: string[] = []
    const machine = setup({
      actors: { invokedActor: logic },
      actions: { note: ({ event }) => void seen.push(event.type) }
    }).createMachine({
      initial: 'a',
      states: { a: { invoke: { src: 'invokedActor' }, on: { leave: 'b' } }, b: {} },
      on: { late: { actions: 'note' } }
    })
    const actor = createActor(machine).start()
    actor.send({ type: 'leave' })
    live[0]?.answer({ type: 'late' })
    expect(seen).to.deep.equal([])
  })
})

describe('XState › messages', () => {
  it('events that a state does not handle are dropped silently; `can` says so before', () => {
    const { actor, errors } = watched(createActor(ending))
    expect(actor.getSnapshot().can({ type: 'unheard of' })).to.equal(false)
    expect(actor.getSnapshot().can({ type: 'end' })).to.equal(true)
    actor.send({ type: 'unheard of' })
    expect([actor.getSnapshot().value, errors]).to.deep.equal(['working', []])
  })
  it('an actor that has ended takes no event', () => {
    const { actor, errors } = watched(createActor(ending))
    actor.send({ type: 'end' })
    actor.send({ type: 'throw' })
    expect([actor.getSnapshot().value, errors]).to.deep.equal(['ended', []])
  })
  it('sending to an unknown id takes the sender down', () => {
    const machine = setup({ actions: { tell: sendTo('nobody', { type: 'x' }) } }).createMachine({
      on: { go: { actions: 'tell' } }
    })
    const { actor, errors } = watched(createActor(machine))
    actor.send({ type: 'go' })
    expect(errors).to.have.length(1)
    expect(actor.getSnapshot().status).to.equal('error')
  })
  it('one message is processed to its end, in every actor that it touches, before `send` returns', () => {
    const machine = setup({
      actors: { child: ending },
      actions: { pass: sendTo('c', { type: 'end' }) }
    }).createMachine({
      initial: 'open',
      states: { open: { invoke: { id: 'c', src: 'child', onDone: 'over' }, on: { go: { actions: 'pass' } } }, over: {} }
    })
    const actor = createActor(machine).start()
    actor.send({ type: 'go' })
    expect(actor.getSnapshot().value).to.equal('over')
  })
  it('a message sent from within is processed after the current one', () => {
    const seen: string[] = []
    const machine = setup({
      actions: {
        first: ({ self }) => {
          self.send({ type: 'second' })
          seen.push('first')
        },
        second: () => void seen.push('second')
      }
    }).createMachine({ on: { first: { actions: 'first' }, second: { actions: 'second' } } })
    createActor(machine).start().send({ type: 'first' })
    expect(seen).to.deep.equal(['first', 'second'])
  })
})
