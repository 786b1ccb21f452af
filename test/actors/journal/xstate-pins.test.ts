/**
 * What we rely on in XState 5 when actors are stored and restored, and inside a transition: one small test for each claim, so
 * that an upgrade that breaks one is noticed. Source: style "What XState 5 does that shapes us".
 */
import { expect } from 'chai'
import { type AnyActorRef, assign, createActor, enqueueActions, fromCallback, fromPromise, setup } from 'xstate'
import { ending, recording, saved, watched } from '../../support/charts/small-actors.ts'

describe('XState › restore', () => {
  it('`after` timers are not restored from a snapshot', () => {
    const timers: number[] = []
    const clock = { setTimeout: (_: unknown, ms: number) => timers.push(ms), clearTimeout: () => {} }
    const machine = setup({}).createMachine({
      initial: 'waiting',
      states: { waiting: { after: { 5000: 'over' } }, over: {} }
    })
    const before = createActor(machine, { clock }).start()
    expect(timers).to.deep.equal([5_000])
    createActor(machine, { clock, snapshot: saved(before) }).start()
    expect(timers).to.deep.equal([5_000])
  })
  it('callback actors are started again with their input', () => {
    const { logic, starts } = recording()
    const machine = setup({ actors: { invokedActor: logic } }).createMachine({
      invoke: { src: 'invokedActor', input: { dueAt: 5 } }
    })
    createActor(machine, { snapshot: saved(createActor(machine).start()) }).start()
    expect(starts).to.deep.equal([{ dueAt: 5 }, { dueAt: 5 }])
  })
  it('promise actors are started again with their input', () => {
    const starts: unknown[] = []
    const logic = fromPromise(({ input }: { input: { of: string } }) => {
      starts.push(input.of)
      return new Promise(() => {})
    })
    const machine = setup({ actors: { work: logic } }).createMachine({ invoke: { src: 'work', input: { of: 'a' } } })
    createActor(machine, { snapshot: saved(createActor(machine).start()) }).start()
    expect(starts).to.deep.equal(['a', 'a'])
  })
  it('child machines resume where they were', () => {
    const machine = setup({ actors: { child: ending } }).createMachine({ invoke: { id: 'c', src: 'child' } })
    const before = createActor(machine).start()
    before.getSnapshot().children.c?.send({ type: 'stop' })
    const again = createActor(machine, { snapshot: saved(before) }).start()
    expect(again.getSnapshot().children.c?.getSnapshot()).to.include({ status: 'done', value: 'stopped' })
  })
  it('entry actions are not run again: what must happen after a crash cannot hang on them', () => {
    let entered = 0
    const machine = setup({ actions: { note: () => void entered++ } }).createMachine({ entry: 'note' })
    createActor(machine, { snapshot: saved(createActor(machine).start()) }).start()
    expect(entered).to.equal(1)
  })
  it('a snapshot that names a state the chart no longer has sends the actor to `error`', () => {
    const { value: _, ...rest } = saved(createActor(ending).start())
    const { actor, errors } = watched(createActor(ending, { snapshot: { ...rest, value: 'gone' } as never }))
    expect(actor.getSnapshot().status).to.equal('error')
    expect(errors[0]).to.include("'gone'")
  })
  it('context is JSON: Infinity comes back null, a Set empty', () => {
    const machine = setup({}).createMachine({ context: { never: Number.POSITIVE_INFINITY, set: new Set([1]) } })
    expect(saved(createActor(machine).start()).context).to.deep.equal({ never: null, set: {} })
  })
})

describe('XState › a tree stored in parts', () => {
  const machine = setup({
    types: {} as { context: { ends: string[] } },
    actors: { node: ending },
    actions: {
      take: assign({ ends: ({ context, event }) => [...context.ends, `${event.actorId}: ${event.output}`] }),
      begin: enqueueActions(({ enqueue }) => {
        for (const id of ['node/a', 'node/b']) enqueue.spawnChild('node', { id })
      })
    }
  }).createMachine({ context: { ends: [] }, entry: 'begin', on: { 'xstate.done.actor.*': { actions: 'take' } } })
  const stitched = () => {
    const before = createActor(machine).start()
    const { status, value, context, historyValue } = saved(before)
    const children = Object.fromEntries(
      Object.entries(before.getSnapshot().children).map(([id, child]) => [
        id,
        { snapshot: saved(child as AnyActorRef), src: 'node', syncSnapshot: false }
      ])
    )
    return { status, value, context, historyValue, children } as never
  }
  it('is one tree again when the parts are put together: done events reach the parent as before', () => {
    const again = createActor(machine, { snapshot: stitched() }).start()
    again.getSnapshot().children['node/b']?.send({ type: 'end' })
    expect(again.getSnapshot().context.ends).to.deep.equal(['node/b: ended well'])
  })
  it('logic may give a restored snapshot as its first one: it is then spawned as if it had been there', () => {
    type Scope = Parameters<typeof machine.restoreSnapshot>[1]
    const parts = stitched()
    const restored = Object.assign(Object.create(machine), {
      getInitialSnapshot: (scope: Scope) => machine.restoreSnapshot(parts, scope)
    }) as typeof machine
    const root = setup({ actors: { run: restored } }).createMachine({ invoke: { id: 'run', src: 'run' } })
    const actor = createActor(root).start()
    const run = actor.getSnapshot().children.run
    run?.getSnapshot().children['node/a']?.send({ type: 'stop' })
    expect(run?.getSnapshot().context.ends).to.deep.equal(['node/a: was stopped'])
  })
})

describe('XState › inside a transition', () => {
  it('the output of a final state reaches the output of its machine, and the done event of its parent', () => {
    const seen: unknown[] = []
    const machine = setup({
      actors: { child: ending },
      actions: { note: ({ event }) => void seen.push(event.output) }
    }).createMachine({ invoke: { id: 'c', src: 'child', onDone: { actions: 'note' } } })
    const actor = createActor(machine).start()
    const child = actor.getSnapshot().children.c
    child?.send({ type: 'stop' })
    expect(child?.getSnapshot().output).to.equal('was stopped')
    expect(seen).to.deep.equal(['was stopped'])
  })
  it('the input of an invoke sees what the entry action assigned', () => {
    const { logic, starts } = recording()
    const machine = setup({
      types: {} as { context: { attempt: number } },
      actors: { invokedActor: logic },
      actions: { begin: assign({ attempt: ({ context }) => context.attempt + 1 }) }
    }).createMachine({
      context: { attempt: 0 },
      entry: 'begin',
      invoke: { src: 'invokedActor', input: ({ context }: { context: { attempt: number } }) => context.attempt }
    })
    createActor(machine).start()
    expect(starts).to.deep.equal([1])
  })
  it('context is passed on as it is: an object in it may be changed in place', () => {
    const runState = { count: 0 }
    const machine = setup({
      types: {} as { context: { runState: typeof runState; at: number } },
      actions: {
        settle: assign(({ context }) => {
          context.runState.count++
          return { at: context.at + 1 }
        })
      }
    }).createMachine({ context: { runState, at: 0 }, on: { go: { actions: 'settle' } } })
    const actor = createActor(machine).start()
    actor.send({ type: 'go' })
    expect(actor.getSnapshot().context.runState).to.equal(runState)
    expect(runState.count).to.equal(1)
  })
  it('an action sees the snapshot from before the event', () => {
    const seen: string[] = []
    const machine = setup({
      actions: { look: ({ self }) => void seen.push(String(self.getSnapshot().value)) }
    }).createMachine({ initial: 'before', states: { before: { on: { go: 'after' } }, after: { entry: 'look' } } })
    createActor(machine).start().send({ type: 'go' })
    expect(seen).to.deep.equal(['before'])
  })
  it('children of one transition are started when it is over, with the new snapshot in place', () => {
    const seen: unknown[] = []
    const logic = fromCallback(({ self }) => void seen.push((self._parent as AnyActorRef).getSnapshot().value))
    const machine = setup({ actors: { invokedActor: logic } }).createMachine({
      initial: 'before',
      states: { before: { on: { go: 'working' } }, working: { invoke: { src: 'invokedActor' } } }
    })
    createActor(machine).start().send({ type: 'go' })
    expect(seen).to.deep.equal(['working'])
  })
  it('tags are those of all active states, the outer ones first', () => {
    const machine = setup({ types: {} as { tags: 'outer' | 'inner' } }).createMachine({
      initial: 'a',
      states: { a: { tags: 'outer', initial: 'b', states: { b: { tags: 'inner' } } } }
    })
    expect([...createActor(machine).start().getSnapshot().tags]).to.deep.equal(['outer', 'inner'])
  })
  it('a state that is only passed through is never rested in', () => {
    const seen: string[] = []
    const machine = setup({}).createMachine({
      initial: 'picked',
      states: { picked: { always: 'working' }, working: {} }
    })
    const actor = createActor(machine)
    actor.subscribe(({ value }) => void seen.push(String(value)))
    actor.start()
    expect([...seen, actor.getSnapshot().value]).not.to.include('picked')
  })
})
