/** An engine keeps nothing of children that have ended, however many there were. Source: reliability P18. */
import { expect } from 'chai'
import { type AnyStateMachine, createActor, setup } from 'xstate'
import { withNormalizedEnds } from '../../../src/actors/journal/normalized-ends.ts'

/** Records the ends that it receives, and their types. */
function listening(heard: string[]): AnyStateMachine {
  return setup({
    types: {} as { events: { type: `xstate.done.actor.${string}`; actorId: string } },
    actions: { hear: (_, { type, actorId }: { type: string; actorId: string }) => heard.push(`${actorId} ${type}`) }
  }).createMachine({
    on: { 'xstate.done.actor.*': { actions: { type: 'hear', params: ({ event }) => event } } }
  })
}

describe('actors › normalized ends', () => {
  const done = (id: string) => ({ type: `xstate.done.actor.run/${id}`, actorId: `run/${id}`, output: undefined })

  it('a chart learns which child has ended, always by the same event type', () => {
    const heard: string[] = []
    const actor = createActor(withNormalizedEnds(listening(heard))).start()
    for (const id of ['a', 'b']) actor.send(done(id))
    expect(heard).to.deep.equal(['run/a xstate.done.actor.child', 'run/b xstate.done.actor.child'])
  })
  it('P18 XState looks up transitions by type once, not once for each child there ever was', () => {
    const looks = (machine: AnyStateMachine) => {
      const { transitions } = machine.root
      let count = 0
      const keys = transitions.keys.bind(transitions)
      transitions.keys = () => {
        count++
        return keys()
      }
      const actor = createActor(withNormalizedEnds(machine)).start()
      for (let n = 0; n < 50; n++) actor.send(done(String(n)))
      return count
    }
    expect(looks(listening([]))).to.equal(1)
  })
  it('errors keep their type: a chart may distinguish them by it', () => {
    const heard: string[] = []
    const machine = setup({
      types: {} as { events: { type: `xstate.error.actor.${string}` } }
    }).createMachine({
      on: { 'xstate.error.actor.mail.*': { actions: ({ event }) => void heard.push(event.type) } }
    })
    createActor(withNormalizedEnds(machine)).start().send({ type: 'xstate.error.actor.mail.run' })
    expect(heard).to.deep.equal(['xstate.error.actor.mail.run'])
  })
})
