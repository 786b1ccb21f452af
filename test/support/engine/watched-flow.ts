/** A run in which most things happen, for tests that look at it. */
import { liveApi } from '../api/live-api.ts'

/** A definition with a retry, a failure that does not count, one that does, a step that is not run and a handler. */
export const flow = `type: graph
handlerOn: {exit: "true"}
steps:
  - {name: a, command: exit 3, retryPolicy: {limit: 1, intervalSec: 1}, continueOn: {failure: true}}
  - {name: b, command: echo b, depends: a}
  - {name: c, command: "false"}
  - {name: d, command: echo d, depends: c}
`

/** A server on which it has run, for the tests of a `describe`. */
export function watchedFlow() {
  const api = liveApi()
  const of = (part: string) => `/dag-runs/flow/r1/${part}`
  before(async () => {
    await api.startedInline({ spec: flow, name: 'flow', dagRunId: 'r1' })
    await api.ended('flow', 'r1')
  })
  return { api, get: api.get, of }
}
