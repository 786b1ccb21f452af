/** What to do about keys, steps and actions of 1.24 to 2.x that this format does not have. */
import { knownField } from '../../../definition/fields/fields.ts'
import { nameOf, type Pen, type YamlMap } from './pen.ts'

const AGENT = 'no agent or language model runs here: write a command that starts or asks one, such as claude -p or curl'
const PROGRAMS =
  'no programs are installed here: have them on the machine, or give the steps a container whose image has them'
const KUBERNETES = 'no jobs of Kubernetes are made here: write a command: kubectl, or a workerSelector'
const PACKAGE = 'no packages of actions are loaded here: write a command that does it, or a workflow to call'
const OUTPUTS = 'capture what a step prints: output: NAME, and use ${NAME.member} of what is JSON'
const TYPES = 'write out the steps that use them, or a workflow to call'
const CATCH_UP = 'write catchup: last (one run for all that were missed) or catchup: all'

/** Keys by their level, in the spelling of 2.x. */
const KEYS: Record<'dag' | 'step' | 'handlerOn', Record<string, string>> = {
  dag: {
    actions: TYPES,
    agent: AGENT,
    artifacts: 'write files to a folder of your own',
    catchup_window: CATCH_UP,
    consts: 'write them in env',
    default_execution_mode: 'write a workerSelector, or none',
    defaults: 'write them on each step, or for all definitions in the base file',
    dependencies: PROGRAMS,
    functions: 'write out the command of each step that calls one',
    harness: AGENT,
    harnesses: AGENT,
    hist_retention_runs: 'write histRetentionDays: runs are kept by their age',
    inputs: 'write params',
    kind: 'leave it out',
    kubernetes: KUBERNETES,
    llm: AGENT,
    log_output: 'leave it out: stdout and stderr have a log each, and are shown together in order',
    models: AGENT,
    outputs: 'write result: the step whose output is the result of a run',
    overlap_policy: `${CATCH_UP}; maxActiveRuns says how many run at a time`,
    redis: 'write a command on each step: redis-cli',
    resources: 'write the limits on a container, or start the server under them',
    retry_policy: 'write a retryPolicy on the steps',
    s3: 'write a command on each step: aws s3, rclone or mc',
    step_types: TYPES,
    tasks: AGENT,
    tools: PROGRAMS,
    wait_mail: 'write a notification for run.waiting: see docs/notifications.md',
    webhook: 'POST to /api/v2/dags/NAME/start',
    worktree: 'write a first step: git worktree add'
  },
  step: {
    agent: AGENT,
    approval: 'write a step of type approval after it, or for inputs signal with a payloadSchema',
    artifacts: 'write files to a folder of your own',
    dependencies: PROGRAMS,
    foreach: 'write parallel with call',
    harness: AGENT,
    kubernetes: KUBERNETES,
    llm: AGENT,
    log_output: 'leave it out: stdout and stderr have a log each, and are shown together in order',
    messages: AGENT,
    output_schema: 'check the output in the next step',
    outputs: OUTPUTS,
    postgres: 'write a command: psql',
    redis: 'write a command: redis-cli',
    resources: 'write the limits on a container',
    router: 'write a precondition on the step of each route',
    routes: 'write a precondition on the step of each route',
    s3: 'write a command: aws s3, rclone or mc',
    sqlite: 'write a command: sqlite3',
    stdin: 'write it into the command: < FILE',
    tools: PROGRAMS,
    worktree: 'write git worktree add into the command'
  },
  handlerOn: {
    init: 'write it as the first step',
    wait: 'write a notification for run.waiting: see docs/notifications.md'
  }
}

/** Actions, their first words, and types of steps. */
const WORK: Record<string, string> = {
  agent: AGENT,
  artifact: 'write a command that copies the file to a folder of your own',
  browser: 'write a command that starts the browser, such as a script of Playwright',
  build: 'write out what this type of step stands for',
  chat: AGENT,
  computer: AGENT,
  'dag.enqueue': 'write a command: troupe enqueue NAME',
  data: 'write a script that converts it, or a step of type jq',
  decision: AGENT,
  duckdb: 'write a command: duckdb',
  file: 'write a command: cat, cp, mv, rm, mkdir or stat',
  'git.checkout': 'write a command: git clone',
  harness: AGENT,
  hitl: 'write a step of type approval, or signal with a payloadSchema for a form',
  'human.task': 'write a step of type approval, or signal with a payloadSchema for a form',
  js: 'write a script whose first line is #!/usr/bin/env node',
  kubernetes: KUBERNETES,
  k8s: KUBERNETES,
  llm: AGENT,
  log: 'write a command: echo',
  mailbox: 'write a script that asks the mail server',
  outputs: 'name the steps in result',
  postgres: 'write a command: psql',
  redis: 'write a command: redis-cli',
  router: 'write a precondition on the step of each route',
  s3: 'write a command: aws s3, rclone or mc',
  sftp: 'write a command: sftp -b or scp',
  sqlite: 'write a command: sqlite3',
  state: 'write a command that keeps it in a file, or in a database of yours',
  template: 'write a script that renders it, such as envsubst',
  'wait.file': 'write a step with a repeatPolicy and a condition such as test -e FILE',
  'wait.http': 'write a step of type http with a retryPolicy',
  wait: 'write a step of type sleep: its config is {for: DURATION or INSTANT}',
  xlsx: 'write a script that reads or writes it'
}

/** For an action, or a type of step, without a counterpart. */
export function cureOf(work: string): string {
  if (work.includes('@')) return PACKAGE
  const [first = ''] = work.split('.')
  return (
    WORK[work] ?? WORK[first] ?? (work.includes('.') ? 'write a command or a script that does it' : (WORK.build ?? ''))
  )
}

/** Names the keys of a level that this format does not have, each with what to do. */
export function sayForeign(pen: Pen, map: YamlMap, level: keyof typeof KEYS, path: string): void {
  const names = new Set(map.items.map(nameOf))
  for (const entry of map.items) {
    const name = nameOf(entry)
    const cure = KEYS[level][underscored(name)]
    const below = (field: string) => (path === '' ? field : `${path}.${field}`)
    if (!cure || knownField(level, name) || pen.isTold(below(name))) continue
    // Such a key may be what the step does.
    const work = level === 'step' && !names.has('command') ? [below('command')] : []
    pen.say('left', entry.key, `${name} has no counterpart here`, cure, below(name), ...work)
  }
}

const underscored = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
