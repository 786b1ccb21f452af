/** A definition with a retry, a failure that does not count, one that does, a step that is not run and a handler. */
export const flow = `type: graph
handlerOn: {exit: "true"}
steps:
  - {name: a, command: exit 3, retryPolicy: {limit: 1, intervalSec: 1}, continueOn: {failure: true}}
  - {name: b, command: echo b, depends: a}
  - {name: c, command: "false"}
  - {name: d, command: echo d, depends: c}
`
