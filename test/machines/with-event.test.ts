/** `withEvent`: what an action or guard gets, and what the compiler rejects. */
import { expect } from 'chai'
import { createActor, setup } from 'xstate'
import { withEvent } from '../../machines/with-event.ts'

type Rang = { type: 'rang'; at: number }
type Named = { type: 'named'; name: string }
const heard: unknown[] = []
const words = setup({
  types: {} as { events: Rang | Named },
  guards: { isLate: (_, { at }: { at: number }) => at > 3 },
  actions: {
    note: (_, params: { at: number }) => void heard.push(params),
    say: (_, params: Named) => void heard.push(params)
  }
})

describe('charts › withEvent', () => {
  it('passes the event itself to the action and the guard', () => {
    const machine = words.createMachine({
      on: { rang: { guard: withEvent('isLate'), actions: [withEvent('note')] }, named: { actions: withEvent('say') } }
    })
    const events: (Rang | Named)[] = [
      { type: 'rang', at: 3 },
      { type: 'rang', at: 4 },
      { type: 'named', name: 'a' }
    ]
    const actor = createActor(machine).start()
    for (const event of events) actor.send(event)
    expect(heard).to.deep.equal(events.slice(1))
  })
  it('does not compile with a name that the chart does not define, or with an event that lacks what is needed', () => {
    const refused = [
      // @ts-expect-error: no such action
      () => words.createMachine({ on: { rang: { actions: withEvent('noted') } } }),
      // @ts-expect-error: an action is no guard
      () => words.createMachine({ on: { rang: { guard: withEvent('note') } } }),
      // @ts-expect-error: the event has no `at`
      () => words.createMachine({ on: { named: { actions: withEvent('note') } } }),
      // @ts-expect-error: the event has no `at`
      () => words.createStateConfig({ on: { named: { guard: withEvent('isLate') } } }),
      // @ts-expect-error: the second of them wants another event
      () => words.createMachine({ on: { rang: { actions: [withEvent('note'), withEvent('say')] } } })
    ]
    expect(refused).to.have.length(5) // the compiler has looked at them
  })
})
