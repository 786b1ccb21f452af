/** The fields of a step, and of the mappings inside it. Data. Source: definition-format "Step fields", execution-semantics 1.8, 1.9. */
import {
  ANY,
  BACKOFF,
  CONDITIONS,
  COUNT,
  ENV,
  EXIT_CODES,
  either,
  FLAG,
  type LevelTable,
  mapOf,
  ON_INTERRUPT,
  oneOf,
  orEvaluated,
  PARAMS,
  type Schema,
  SECONDS,
  TEXT,
  TEXT_LIST,
  TEXT_MAP,
  TEXTS
} from './field-forms.ts'

const written = (name: string, schema: Schema = { not: { type: 'null' } }): Schema => ({
  required: [name],
  properties: { [name]: schema }
})

export const step: LevelTable = {
  together: {
    anyOf: [
      ...['command', 'call', 'run', 'executor', 'container'].map((name) => written(name)),
      written('script', { not: { enum: [null, ''] } })
    ]
  },
  rows: [
    {
      name: 'name',
      form: TEXT,
      about: 'Names the step; unique in its workflow.',
      otherwise: 'made up, such as `cmd_1`',
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
      about: 'Folder that the step runs in.',
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
      about: 'Names or ids of steps to wait for; an empty list waits for none.',
      otherwise: 'by `type`',
      example: '[fetch]'
    },
    {
      name: 'preconditions',
      form: CONDITIONS,
      about: 'What must hold; else the step is skipped.',
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
      about: 'Which failures do not keep dependents from running.',
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
      about: 'Runs a step again and again.',
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
      about: 'What does the work, when it is not the shell.',
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
      about: 'Parameters of the called workflow, or the inputs of an action.',
      default: [],
      example: '{DAY: "${DAY}"}'
    },
    {
      name: 'parallel',
      form: either(
        'list, text with a variable, or map, see parallel',
        TEXT,
        { label: '', schema: { type: 'array', items: { anyOf: [TEXT.schema, TEXT_MAP.schema] } } },
        mapOf('parallel')
      ),
      about: 'Calls the workflow once for each item, which is `${ITEM}`.',
      otherwise: 'one call',
      example: '{items: [a, b, c], maxConcurrent: 2}'
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
      about: 'Sends `errorMail` when the step has failed for good.',
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
      about: 'What becomes of the step when a crash of the server has lost its outcome.',
      otherwise: 'as the workflow says',
      example: 'fail'
    },
    {
      name: 'container',
      form: ANY,
      about: 'A container for this step alone.',
      otherwise: 'none',
      example: '{image: "alpine:3"}'
    }
  ]
}

export const continueOn: LevelTable = {
  rows: [
    { name: 'failure', form: FLAG, about: 'Any failure.', default: false, example: 'true' },
    { name: 'skipped', form: FLAG, about: 'A step that was skipped.', default: false, example: 'true' },
    { name: 'exitCode', form: EXIT_CODES, about: 'A failure with one of these codes.', default: [], example: '[1, 2]' },
    {
      name: 'output',
      form: TEXTS,
      about: 'A failure with this text in a line of its stdout; with `re:` a pattern.',
      default: [],
      example: '"re:^WARN"'
    },
    { name: 'markSuccess', form: FLAG, about: 'Counts such a step as succeeded.', default: false, example: 'true' }
  ]
}

export const retryPolicy: LevelTable = {
  rows: [
    { name: 'limit', form: orEvaluated(COUNT), about: 'Number of retries.', required: true, example: '3' },
    { name: 'intervalSec', form: orEvaluated(SECONDS), about: 'Pause before a retry.', default: 0, example: '5' },
    {
      name: 'exitCodes',
      form: EXIT_CODES,
      about: 'Codes that are retried; none means all.',
      default: [],
      example: '[75]'
    },
    { name: 'exitCode', form: EXIT_CODES, about: 'Another name of `exitCodes`.', aliasOf: 'exitCodes', example: '75' },
    {
      name: 'backoff',
      form: BACKOFF,
      about: 'Factor by which the pause grows; `true` doubles it.',
      default: false,
      example: '1.5'
    },
    {
      name: 'maxIntervalSec',
      form: SECONDS,
      about: 'Longest pause with `backoff`; 0 sets no limit.',
      default: 0,
      example: '300'
    }
  ]
}

export const repeatPolicy: LevelTable = {
  together: {
    if: { required: ['repeat'], properties: { repeat: { enum: ['while', 'until'] } } },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema; nothing awaits it.
    then: {
      anyOf: [
        written('condition', { not: { enum: [null, ''] } }),
        written('exitCode', { anyOf: [{ type: ['integer', 'string'] }, { type: 'array', minItems: 1 }] })
      ]
    }
  },
  rows: [
    {
      name: 'repeat',
      form: either('`while`, `until`, or boolean', oneOf('while', 'until'), FLAG),
      about: 'Goes on while the test holds, or until it does; `true` alone goes on while the step succeeds.',
      otherwise: 'by what is tested',
      example: 'while'
    },
    {
      name: 'condition',
      form: TEXT,
      about: 'Tested after each pass: a value for `expected`, or a command that must exit 0.',
      example: '"${STATE}"'
    },
    { name: 'expected', form: TEXT, about: 'The text it must equal; with `re:` a pattern.', example: 'ready' },
    {
      name: 'exitCode',
      form: EXIT_CODES,
      about: 'Exit codes to test for, when there is no condition.',
      default: [],
      example: '[1]'
    },
    { name: 'intervalSec', form: SECONDS, about: 'Pause between two passes.', default: 0, example: '10' },
    { name: 'limit', form: COUNT, about: 'Passes in all; 0 sets no limit.', default: 0, example: '30' },
    { name: 'backoff', form: BACKOFF, about: 'Factor by which the pause grows.', default: false, example: 'true' },
    {
      name: 'maxIntervalSec',
      form: SECONDS,
      about: 'Longest pause with `backoff`; 0 sets no limit.',
      default: 0,
      example: '60'
    }
  ]
}

export const parallel: LevelTable = {
  open: true,
  rows: [
    {
      name: 'items',
      form: either('list, or text with a variable', TEXT, {
        label: '',
        schema: { type: 'array', items: { anyOf: [TEXT.schema, TEXT_MAP.schema] } }
      }),
      about: 'One call for each: texts, or flat maps.',
      required: true,
      example: '"${FILES}"'
    },
    {
      name: 'maxConcurrent',
      form: { label: 'integer from 1 to 1000', schema: { type: 'integer', minimum: 1, maximum: 1000 } },
      about: 'Calls at a time.',
      default: 10,
      example: '3'
    }
  ]
}
