/** The fields of the maps inside a step. Data. Source: definition-format "Step fields", execution-semantics 6, 9.4. */
import {
  BACKOFF,
  COUNT,
  EXIT_CODES,
  either,
  FILLED_TEXT,
  FLAG,
  type Form,
  type LevelTable,
  oneOf,
  orEvaluated,
  SECONDS,
  TEXT,
  TEXT_MAP,
  TEXTS,
  written
} from './field-forms.ts'

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

const CONCURRENCY: Form = {
  label: 'integer from 1 to 1000',
  schema: { type: 'integer', minimum: 1, maximum: 1000 }
}

export const each: LevelTable = {
  rows: [
    {
      name: 'items',
      form: either('list of anything, or text with a variable', FILLED_TEXT, { label: '', schema: { type: 'array' } }),
      about: 'What the function is called for; a text becomes a list in JSON.',
      otherwise: 'those of `functions.items`',
      example: '[{id: 1}, {id: 2}]'
    },
    { name: 'maxConcurrent', form: CONCURRENCY, about: 'Calls at a time.', default: 10, example: '2' }
  ]
}

export const functions: LevelTable = {
  rows: [
    {
      name: 'preconditions',
      form: TEXT,
      about: 'Whether the step runs, asked after its other preconditions.',
      example: 'order/label#preconditions'
    },
    { name: 'env', form: TEXT, about: 'Further variables of the step.', example: 'order/label#env' },
    { name: 'params', form: TEXT, about: 'The params of its function.', example: 'order/charge#params' },
    { name: 'items', form: TEXT, about: 'The items of its `each`.', example: 'order/label#items' }
  ]
}

export const retryPolicy: LevelTable = {
  rows: [
    { name: 'limit', form: orEvaluated(COUNT), about: 'Number of retries.', required: true, example: '3' },
    { name: 'intervalSec', form: orEvaluated(SECONDS), about: 'Pause before a retry.', default: 0, example: '5' },
    {
      name: 'exitCodes',
      form: EXIT_CODES,
      about: 'Codes that are retried; empty means all.',
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
      about: 'Repeats while the test holds, or until it does; `true` alone repeats while the step succeeds.',
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
      about: 'Exit codes to test for, if there is no condition.',
      default: [],
      example: '[1]'
    },
    { name: 'intervalSec', form: SECONDS, about: 'Pause between two passes.', default: 0, example: '10' },
    { name: 'limit', form: COUNT, about: 'Maximum number of passes; 0 sets no limit.', default: 0, example: '30' },
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
      form: either('list, or text with a variable', FILLED_TEXT, {
        label: '',
        schema: { type: 'array', items: { anyOf: [TEXT.schema, TEXT_MAP.schema] } }
      }),
      about: 'One call for each: texts, or flat maps.',
      required: true,
      example: '"${FILES}"'
    },
    {
      name: 'maxConcurrent',
      form: CONCURRENCY,
      about: 'Calls at a time.',
      default: 10,
      example: '3'
    }
  ]
}
