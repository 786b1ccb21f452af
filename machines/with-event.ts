/**
 * An action or guard that gets the current event as its params: `withEvent('noteEnd')` is short for
 * `{ type: 'noteEnd', params: ({ event }) => event }`. The compiler rejects a name that the chart does not define, and an event that
 * lacks what the action or guard needs.
 */
export const withEvent = <const T extends string, E>(type: T): { type: T; params: (args: { event: E }) => E } => ({
  type,
  params: ofTheEvent
})

const ofTheEvent = <E>({ event }: { event: E }): E => event
