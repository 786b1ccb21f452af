/** The replacement of XState's `assign` must produce the same snapshot. */
import { expect } from 'chai'
import { type AnyStateMachine, assign, createActor, fromCallback, setup } from 'xstate'
import { nodeMachine } from '../../../machines/node.ts'
import { runMachine } from '../../../machines/run.ts'
import { quickAssigns } from '../../../src/actors/journal/quick-assigns.ts'

type Context = { count: number; last?: string; byId: Record<string, number> }
const machine = setup({
  types: {} as { context: Context; events: { type: 'add'; id: string } },
  actors: { child: fromCallback(() => {}) },
  actions: {
    count: assign({ count: ({ context }) => context.count + 1 }),
    note: assign(({ context, event, self, system }, { id }: { id: string }) => ({
      last: `${event.type} ${id} ${self.id} ${system !== undefined}`,
      byId: { ...context.byId, [id]: context.count }
    })),
    mark: assign({ last: 'marked' }),
    begin: assign(({ spawn, event: { id } }) => {
      spawn('child', { id })
      return {}
    }),
    plain: () => {}
  }
}).createMachine({
  context: { count: 0, byId: {} },
  initial: 'open',
  states: {
    open: {
      tags: 'running',
      on: {
        add: [
          {
            guard: ({ context }) => context.count < 2,
            actions: ['count', { type: 'note', params: ({ event }) => event }, 'begin', 'plain']
          },
          { target: 'full', actions: 'mark' }
        ]
      }
    },
    full: { type: 'final', tags: 'succeeded' }
  }
})

/** All that can be seen of its snapshots. */
function played(played: AnyStateMachine) {
  const actor = createActor(played, { id: 'root' })
  const seen: unknown[] = []
  actor.subscribe((snapshot) => {
    const { status, value, context, tags, children } = snapshot
    const can = snapshot.can({ type: 'add', id: 'x' })
    seen.push({
      status,
      value,
      context,
      tags: [...tags],
      children: Object.keys(children),
      can,
      json: snapshot.toJSON()
    })
  })
  actor.start()
  for (const id of ['a', 'b', 'c']) actor.send({ type: 'add', id })
  return seen.map((each) => JSON.parse(JSON.stringify(each)))
}

describe('actors › quick assigns', () => {
  it('a chart behaves the same with them as with those of XState', () => {
    const seen = played(machine.provide({ actions: quickAssigns(machine) }))
    expect(seen).to.deep.equal(played(machine))
    expect(seen.at(-1)).to.deep.include({ status: 'done', value: 'full', tags: ['succeeded'], children: ['a', 'b'] })
    expect(seen.at(-1).context).to.deep.equal({ count: 2, last: 'marked', byId: { a: 1, b: 2 } })
  })
  it('replace only assigns, and not those that spawn', () => {
    expect(Object.keys(quickAssigns(machine))).to.have.members(['count', 'note', 'mark'])
    expect(Object.keys(quickAssigns(runMachine)))
      .to.include('resolveNode')
      .and.not.include('startReady')
    expect(Object.keys(quickAssigns(nodeMachine)))
      .to.include('noteEnd')
      .and.not.include('startAttempt')
  })
  it('each is what XState takes for an assign', () => {
    const { noteEnd } = nodeMachine.implementations.actions as unknown as Record<
      string,
      { type: string; resolve: unknown }
    >
    const quick = (quickAssigns(nodeMachine) as Record<string, unknown>).noteEnd as { type: string; resolve: unknown }
    expect(quick.type).to.equal(noteEnd?.type)
    expect(quick.resolve).to.be.a('function').and.not.equal(noteEnd?.resolve)
  })
})
