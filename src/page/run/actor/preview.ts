/** The answer of the API about what an event would do. Source: docs/inspect.md. */

/** What an event would do to an actor, tried on a copy. */
export interface Preview {
  event: string
  isTaken: boolean
  states: string[]
  context: Record<string, unknown>
  effects: { kind: 'sends' | 'starts' | 'does'; what: string; to: string }[]
}
