/** Advice about keys of 1.24 to 2.x that this format does not have, by the name that a problem mentions. */

const ADVICE: Record<string, string> = {
  histRetentionRuns: 'write histRetentionDays',
  catchupWindow: 'write catchup: last (one run for all that were missed) or catchup: all',
  overlapPolicy: 'write catchup: last or all; maxActiveRuns says how many run at a time',
  defaults: 'write them on each step, or for all definitions in the base file',
  stepTypes: 'write out the steps that use them, or a workflow to call',
  actions: 'write out the steps that use them, or a workflow to call',
  logOutput: 'leave it out: stdout and stderr have a log each, and are shown together in order',
  artifacts: 'write files to a folder of your own',
  approval: 'write a step of type approval before it',
  outputSchema: 'check the output in the next step',
  stdin: 'write it into the command: < FILE',
  foreach: 'write parallel with call',
  router: 'write a step for each route, with a precondition',
  routes: 'write a step for each route, with a precondition',
  llm: 'write a command that asks the model',
  messages: 'write a command that asks the model',
  agent: 'write a command that starts the agent',
  redis: 'write a command: redis-cli',
  s3: 'write a command: aws s3, rclone or mc',
  postgres: 'write a command: psql',
  sqlite: 'write a command: sqlite3',
  kubernetes: 'write a command: kubectl',
  harness: 'write a command that starts it',
  init: 'write it as the first step',
  wait: 'write it as a step',
  retryPolicy: 'write a retryPolicy on the steps',
  webhook: 'POST to /api/v2/dags/NAME/start',
  consts: 'write them in env',
  functions: 'write out the command of each step that calls one',
  kind: 'leave it out'
}

const BY_NAME = new Map(Object.entries(ADVICE).map(([name, advice]) => [name.toLowerCase(), advice]))

/** For the problem of a reader, by the keys in its path and its message. */
export function adviceFor(path: string, message: string): string | undefined {
  const words = [...path.split(/[.[\]]+/).reverse(), ...message.split(/[^A-Za-z0-9_]+/)]
  for (const word of words) {
    const advice = BY_NAME.get(word.replaceAll('_', '').toLowerCase())
    if (advice) return advice
  }
  return undefined
}
