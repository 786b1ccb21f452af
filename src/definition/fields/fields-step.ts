/** The fields of a step. Data. Source: definition-format "Step fields", execution-semantics 1.8, 1.9. */
import {
  CONDITIONS,
  ENV,
  either,
  FILLED_TEXT,
  FLAG,
  type LevelTable,
  mapOf,
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

export const step: LevelTable = {
  together: {
    anyOf: [
      ...['command', 'call', 'run', 'executor', 'container'].map((name) => written(name)),
      written('script', { not: { enum: [null, ''] } })
    ],
    // Items come from one place or the other.
    allOf: [
      {
        anyOf: [
          { not: written('each', { type: 'object', not: written('items') }) },
          written('functions', written('items'))
        ]
      }
    ]
  },
  rows: [
    {
      name: 'name',
      form: TEXT,
      about: 'Names the step; unique in its workflow.',
      otherwise: 'generated, such as `cmd_1`',
      example: 'load'
    },
    {
      name: 'id',
      form: TEXT,
      about: 'Short name for references such as `${load.exitCode}`.',
      otherwise: 'none',
      example: 'load'
    },
    { name: 'description', form: TEXT, about: 'Says what the step does.', default: '', example: 'Gets the files' },
    {
      name: 'command',
      form: TEXTS,
      about: 'What to run: a text for the shell, or a program and its arguments; other executors read it their way.',
      example: 'curl -fsS "$URL"'
    },
    { name: 'args', form: TEXT_LIST, about: 'Further arguments of the command.', default: [], example: '[--verbose]' },
    {
      name: 'script',
      form: TEXT,
      about: 'A script of several lines; a first line with `#!` selects its interpreter.',
      example: '"echo one\\necho two"'
    },
    {
      name: 'shell',
      form: TEXTS,
      about: 'Program and flags that run the command.',
      otherwise: 'that of the workflow',
      example: '[bash, -e]'
    },
    {
      name: 'shellPackages',
      form: TEXTS,
      about: 'Packages for a shell that installs them (`nix-shell`).',
      default: [],
      example: '[jq, curl]'
    },
    {
      name: 'workingDir',
      form: TEXT,
      about: 'Working directory of the step.',
      otherwise: 'that of the workflow',
      example: 'sub/folder'
    },
    { name: 'dir', form: TEXT, about: 'Another name of `workingDir`.', aliasOf: 'workingDir', example: 'sub/folder' },
    { name: 'stdout', form: TEXT, about: 'File that gets a copy of stdout.', otherwise: 'none', example: 'out.txt' },
    { name: 'stderr', form: TEXT, about: 'File that gets a copy of stderr.', otherwise: 'none', example: 'err.txt' },
    { name: 'output', form: TEXT, about: 'Variable that captures stdout.', otherwise: 'none', example: 'RESULT' },
    {
      name: 'depends',
      form: TEXTS,
      about: 'Names or ids of steps to wait for; with an empty list, none.',
      otherwise: 'by `type`',
      example: '[fetch]'
    },
    {
      name: 'preconditions',
      form: CONDITIONS,
      about: 'Conditions for the step; otherwise it is skipped.',
      default: [],
      example: 'test -f input'
    },
    {
      name: 'precondition',
      form: CONDITIONS,
      about: 'Further preconditions, after the others.',
      default: [],
      example: 'test -r input'
    },
    {
      name: 'continueOn',
      form: mapOf('continueOn'),
      about: 'Failures after which dependents still run.',
      example: '{exitCode: [1], markSuccess: true}'
    },
    {
      name: 'retryPolicy',
      form: mapOf('retryPolicy'),
      about: 'Runs a step again after a failure.',
      otherwise: 'never',
      example: '{limit: 3, intervalSec: 5, backoff: true}'
    },
    {
      name: 'repeatPolicy',
      form: mapOf('repeatPolicy'),
      about: 'Repeats a step.',
      otherwise: 'once',
      example: '{repeat: until, condition: "${STATE}", expected: ready, intervalSec: 10}'
    },
    {
      name: 'executor',
      form: either(
        'type, or map, see executor',
        { label: '', schema: { $ref: '#/$defs/executorType' } },
        mapOf('executor')
      ),
      about: 'The executor, if it is not the shell.',
      default: 'shell',
      example: '{type: http, config: {silent: true}}'
    },
    {
      name: 'call',
      form: TEXT,
      about: 'Runs another workflow: a document of the same file, a name, or a path.',
      example: 'child'
    },
    { name: 'run', form: TEXT, about: 'Old name of `call`.', aliasOf: 'call', example: 'child' },
    {
      name: 'params',
      form: PARAMS,
      about: 'Params of the called workflow, or the inputs of an action.',
      default: [],
      example: '{DAY: "${DAY}"}'
    },
    {
      name: 'parallel',
      form: either(
        'list, text with a variable, or map, see parallel',
        FILLED_TEXT,
        { label: '', schema: { type: 'array', items: { anyOf: [TEXT.schema, TEXT_MAP.schema] } } },
        mapOf('parallel')
      ),
      about: 'Calls the workflow once for each item, which is `${ITEM}`.',
      otherwise: 'one call',
      neverNull: true,
      example: '{items: [a, b, c], maxConcurrent: 2}'
    },
    {
      name: 'each',
      form: mapOf('each'),
      about: 'Calls the function of the step once for each item.',
      otherwise: 'one call',
      example: '{items: [1, 2, 3], maxConcurrent: 2}'
    },
    { name: 'env', form: ENV, about: 'Variables of the step.', default: [], example: '{MODE: fast}' },
    { name: 'timeoutSec', form: SECONDS, about: 'Limit of one execution; 0 sets none.', default: 0, example: '60' },
    {
      name: 'signalOnStop',
      form: TEXT,
      about: 'Signal that asks the step to stop.',
      default: 'SIGTERM',
      example: 'SIGINT'
    },
    {
      name: 'mailOnError',
      form: FLAG,
      about: 'Sends `errorMail` when the step has failed finally.',
      default: false,
      example: 'true'
    },
    {
      name: 'workerSelector',
      form: TEXT_MAP,
      about: 'Accepted; only the selector of a workflow has an effect.',
      otherwise: 'none',
      example: '{gpu: "true"}'
    },
    {
      name: 'onInterrupt',
      form: ON_INTERRUPT,
      about: 'What happens to the step if its outcome was lost in a crash of the server.',
      otherwise: 'as the workflow says',
      example: 'fail'
    },
    {
      name: 'onMissing',
      form: ON_MISSING,
      about: 'What happens to the step if the engine has no such function or executor.',
      default: 'wait',
      example: 'fail'
    },
    {
      name: 'functions',
      form: mapOf('functions'),
      about: 'Functions of the host application that answer for the step, once, before its first attempt.',
      otherwise: 'none',
      example: '{env: "order/label#env"}'
    },
    {
      name: 'container',
      form: either('map, see container, or the name of a running container', mapOf('container'), TEXT),
      about: 'A container for this step alone.',
      otherwise: 'none',
      example: '{image: "alpine:3"}'
    }
  ]
}
