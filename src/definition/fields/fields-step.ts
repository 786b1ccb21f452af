/** The keys of a step. Source: definition-format "Step fields", execution-semantics 1.8, 1.9. */
import type { Step } from '../../../machines/vocabulary.ts'
import { stepParams } from '../dag/declared-params.ts'
import { continueOn, readContinueOn, readRetryPolicy, retryPolicy } from '../steps/policies.ts'
import { readRepeatPolicy } from '../steps/repeat.ts'
import {
  CONDITIONS,
  ENV,
  either,
  FILLED,
  FILLED_TEXT,
  FLAG,
  mapOf,
  NAME,
  ON_INTERRUPT,
  ON_MISSING,
  PARAMS,
  SECONDS,
  TEXT,
  TEXT_LIST,
  TEXT_MAP,
  TEXTS,
  written
} from './field-forms.ts'
import { shell, signal } from './forms.ts'
import { key, levelOf } from './level.ts'
import { type Read, selector, trimmed } from './values.ts'

/** The variable's name; a leading `$` is dropped. */
const outputName: Read<string> = (problems, field) => trimmed(problems, field)?.replace(/^\$/, '') || undefined

// D1742: the order of a plan is part of its hash
const FIRST = `
  name id description command argv args script shell dir stdout stderr output preconditions continueOn retry env
  timeoutMs signalOnStop executor repeat wait call params parallel mailOnError shellPackages workerSelector
  onInterrupt onMissing cleanUpMs functions each depends
`

export const step = levelOf<Step>({
  first: FIRST,
  takesAdvice: true,
  together: {
    anyOf: [
      ...['command', 'call', 'run', 'executor', 'container'].map((name) => written(name)),
      written('script', { not: { enum: [null, ''] } })
    ],
    // Items come from one place or the other.
    allOf: [
      written('each', { type: 'object', not: written('items') }),
      written('parallel', { type: 'object', not: written('items') }),
      written('each', { type: 'object', ...written('pages') })
    ].map((asked) => ({ anyOf: [{ not: asked }, written('functions', written('items'))] }))
  }
})({
  name: key(TEXT, 'Names the step; unique in its workflow.', 'load', {
    to: false,
    otherwise: 'generated, such as `cmd_1`'
  }),
  id: key(NAME, 'Short name for references such as `${load.exitCode}`.', 'load', { otherwise: 'none' }),
  description: key(TEXT, 'Says what the step does.', 'Gets the files', { default: '' }),
  command: key(
    TEXTS,
    'What to run: a text for the shell, or a program and its arguments; other executors read it their way.',
    'curl -fsS "$URL"',
    { to: false }
  ),
  args: key(TEXT_LIST, 'Further arguments of the command.', '[--verbose]', { default: [] }),
  script: key(
    TEXT,
    'A script of several lines; a first line with `#!` selects its interpreter.',
    '"echo one\\necho two"',
    { to: false }
  ),
  shell: key(TEXTS, 'Program and flags that run the command.', '[bash, -e]', {
    read: shell,
    otherwise: 'that of the workflow'
  }),
  shellPackages: key(TEXTS, 'Packages for a shell that installs them (`nix-shell`).', '[jq, curl]', { default: [] }),
  workingDir: key(FILLED, 'Working directory of the step.', 'sub/folder', {
    to: 'dir',
    otherwise: 'that of the workflow'
  }),
  dir: key(TEXT, 'Another name of `workingDir`.', 'sub/folder', { aliasOf: 'workingDir' }),
  stdout: key(FILLED, 'File that gets a copy of stdout.', 'out.txt', { otherwise: 'none' }),
  stderr: key(FILLED, 'File that gets a copy of stderr.', 'err.txt', { otherwise: 'none' }),
  output: key(TEXT, 'Variable that captures stdout.', 'RESULT', { read: outputName, otherwise: 'none' }),
  depends: key(TEXTS, 'Names or ids of steps to wait for; with an empty list, none.', '[fetch]', {
    to: false,
    otherwise: 'by `type`'
  }),
  preconditions: key(CONDITIONS, 'Conditions for the step; otherwise it is skipped.', 'test -f input', {
    to: false,
    default: []
  }),
  precondition: key(CONDITIONS, 'Further preconditions, after the others.', 'test -r input', {
    to: false,
    default: []
  }),
  continueOn: key(
    mapOf('continueOn'),
    'Failures after which dependents still run.',
    '{exitCode: [1], markSuccess: true}',
    { read: readContinueOn, absent: () => continueOn.blank({}) }
  ),
  retryPolicy: key(
    mapOf('retryPolicy'),
    'Runs a step again after a failure.',
    '{limit: 3, intervalSec: 5, backoff: true}',
    { read: readRetryPolicy, to: 'retry', otherwise: 'never', absent: () => retryPolicy.blank({}) }
  ),
  repeatPolicy: key(
    mapOf('repeatPolicy'),
    'Repeats a step.',
    '{repeat: until, condition: "${STATE}", expected: ready, intervalSec: 10}',
    { read: readRepeatPolicy, to: 'repeat', otherwise: 'once' }
  ),
  executor: key(
    either('type, or map, see executor', { label: '', schema: { $ref: '#/$defs/executorType' } }, mapOf('executor')),
    'The executor, if it is not the shell.',
    '{type: http, config: {silent: true}}',
    { to: false, default: 'shell' }
  ),
  call: key(TEXT, 'Runs another workflow: a document of the same file, a name, or a path.', 'child', { to: false }),
  run: key(TEXT, 'Old name of `call`.', 'child', { aliasOf: 'call' }),
  params: key(PARAMS, 'Params of the called workflow, or the inputs of an action.', '{DAY: "${DAY}"}', {
    read: stepParams,
    default: [],
    implied: true
  }),
  parallel: key(
    either(
      'list, text with a variable, or map, see parallel',
      FILLED_TEXT,
      { label: '', schema: { type: 'array', items: { anyOf: [TEXT.schema, TEXT_MAP.schema] } } },
      mapOf('parallel')
    ),
    'Calls the workflow once for each item, which is `${ITEM}`.',
    '{items: [a, b, c], maxConcurrent: 2}',
    { to: false, otherwise: 'one call', neverNull: true }
  ),
  each: key(
    mapOf('each'),
    'Calls the function of the step once for each item.',
    '{items: [1, 2, 3], maxConcurrent: 2}',
    { to: false, otherwise: 'one call' }
  ),
  env: key(ENV, 'Variables of the step.', '{MODE: fast}', { default: [] }),
  timeoutSec: key(SECONDS, 'Limit of one execution; 0 sets none.', '60', { to: 'timeoutMs', default: 0 }),
  signalOnStop: key(TEXT, 'Signal that asks the step to stop.', 'SIGINT', {
    read: signal,
    default: 'SIGTERM',
    implied: true
  }),
  mailOnError: key(FLAG, 'Sends `errorMail` when the step has failed finally.', 'true', { default: false }),
  workerSelector: key(TEXT_MAP, 'Accepted; only the selector of a workflow has an effect.', '{gpu: "true"}', {
    read: selector,
    otherwise: 'none'
  }),
  onInterrupt: key(ON_INTERRUPT, 'What happens to the step if its outcome was lost in a crash of the server.', 'fail', {
    otherwise: 'as the workflow says'
  }),
  maxCleanUpTimeSec: key(SECONDS, 'How long the step may take to end after a stop, before it is killed.', '30', {
    to: 'cleanUpMs',
    otherwise: 'as the workflow says',
    zeroIsAbsent: true
  }),
  onMissing: key(ON_MISSING, 'What happens to the step if the engine has no such function or executor.', 'fail', {
    default: 'wait',
    implied: true
  }),
  functions: key(
    mapOf('functions'),
    'Functions of the host application that answer for the step, once, before its first attempt.',
    '{env: "order/label#env"}',
    { to: false, otherwise: 'none' }
  ),
  container: key(
    either('map, see container, or the name of a running container', mapOf('container'), TEXT),
    'A container for this step alone.',
    '{image: "alpine:3"}',
    { to: false, otherwise: 'none' }
  )
})
