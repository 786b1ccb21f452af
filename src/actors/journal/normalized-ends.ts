/**
 * XState caches the candidate transitions for each event type in each state, for ever. Types of done events contain the id of the
 * child, so the cache would keep an entry for every run there ever was, and never hit. Charts therefore see one type for all ends of
 * children; `actorId` says which one has ended. Source: performance 6, reliability P18; pinned in
 * `test/actors/journal/normalized-ends.test.ts`.
 */
import type { AnyEventObject, AnyStateMachine } from 'xstate'

const DONE = 'xstate.done.actor.'
const CHILD_DONE = `${DONE}child`

// D40: charts run with our own assigns
/** The event as the chart sees it. */
export const normalized = (event: AnyEventObject): AnyEventObject =>
  event.type.startsWith(DONE) ? { ...event, type: CHILD_DONE } : event

export const withNormalizedEnds = <M extends AnyStateMachine>(machine: M): M =>
  Object.assign(Object.create(machine), {
    transition: (...[snapshot, event, scope]: Parameters<M['transition']>) =>
      machine.transition(snapshot, normalized(event), scope)
  })
