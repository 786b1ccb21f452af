/**
 * XState notes for each type of event, in each state, which transitions it may take, and never forgets one. The types of done events
 * have the id of the child in them: an engine would remember every run there ever was, and look each up anew. To the charts all ends of
 * children are of one type; who has ended is in `actorId`. Source: performance 6, reliability P18; pinned in `test/actors/journal/normalized-ends.test.ts`.
 */
import type { AnyEventObject, AnyStateMachine } from 'xstate'

const DONE = 'xstate.done.actor.'
const CHILD_DONE = `${DONE}child`

// D40
/** The event as a chart is to see it. */
export const alike = (event: AnyEventObject): AnyEventObject =>
  event.type.startsWith(DONE) ? { ...event, type: CHILD_DONE } : event

/** The same machine, to which all ends of children are alike. */
export const withNormalizedEnds = <M extends AnyStateMachine>(machine: M): M =>
  Object.assign(Object.create(machine), {
    transition: (...[snapshot, event, scope]: Parameters<M['transition']>) =>
      machine.transition(snapshot, alike(event), scope)
  })
