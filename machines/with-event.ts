/**
 * An action or guard whose params are the event it answers: `withEvent('noteEnd')` is short for
 * `{ type: 'noteEnd', params: ({ event }) => event }`. The compiler refuses a name that the chart does not know, and an event that
 * lacks what the action or guard looks at.
 */
export const withEvent = <const T extends string, E>(type: T): { type: T; params: (args: { event: E }) => E } => ({
  type,
  params: ofTheEvent
})

const ofTheEvent = <E>({ event }: { event: E }): E => event
