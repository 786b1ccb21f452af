/** Small actors for the tests that pin what XState does. */
import { type AnyActorRef, type AnyEventObject, fromCallback, setup } from 'xstate'

/** An invoked actor that records each start, and the events it receives. */
export function recording() {
  const starts: unknown[] = []
  const received: string[] = []
  const stops: unknown[] = []
  const live: { answer(event: AnyEventObject): void }[] = []
  const logic = fromCallback<AnyEventObject, unknown>(({ input, receive, sendBack }) => {
    starts.push(input)
    live.push({ answer: sendBack })
    receive(({ type }) => received.push(type))
    return () => void stops.push(input)
  })
  return { logic, starts, received, stops, live }
}
/** The actor's state as the store gives it back. */
export const saved = (actor: AnyActorRef) => JSON.parse(JSON.stringify(actor.getPersistedSnapshot()))
/** Starts the actor; what it throws is returned instead of being reported to nobody. */
export function watched<T extends AnyActorRef>(actor: T) {
  const errors: string[] = []
  actor.subscribe({ error: (error: unknown) => void errors.push(String(error)) })
  actor.start()
  return { actor, errors }
}

/** Ends on the event `end`, with the `output` of its own final state; throws on `throw`. */
export const ending = setup({
  types: {} as { output: string; input: unknown },
  actions: {
    fail: () => {
      throw new Error('defect')
    }
  }
}).createMachine({
  initial: 'working',
  output: ({ event }) => (event as unknown as { output: string }).output,
  states: {
    working: { on: { end: 'ended', stop: 'stopped', throw: { actions: 'fail' } } },
    ended: { type: 'final', output: 'ended well' },
    stopped: { type: 'final', output: 'was stopped' }
  }
})
