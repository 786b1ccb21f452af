/** Keys of `config` of the executors that wait. Data. Source: docs/executors/signal.md. */
import { type LevelTable, MAP, oneOf, TEXT } from './field-forms.ts'

const ASK = {
  name: 'ask',
  form: TEXT,
  about: 'What is asked of the person who answers.',
  default: '',
  example: 'Has it been paid?'
}
const ON_TIMEOUT = {
  name: 'onTimeout',
  form: oneOf('fail', 'skip', 'succeed'),
  about: 'What becomes of the step when its `timeoutSec` is over.',
  default: 'fail',
  example: 'skip'
}

const signal: LevelTable = {
  rows: [
    ASK,
    {
      name: 'payloadSchema',
      form: MAP,
      about: 'JSON Schema that the payload must match.',
      otherwise: 'any JSON',
      example: '{type: object, required: [amount]}'
    },
    ON_TIMEOUT
  ]
}

const approval: LevelTable = {
  rows: [
    ASK,
    ON_TIMEOUT,
    {
      name: 'onRefusal',
      form: oneOf('fail', 'succeed'),
      about: 'What becomes of the step when it is refused.',
      default: 'fail',
      example: 'succeed'
    }
  ]
}

const sleep: LevelTable = {
  rows: [
    {
      name: 'for',
      form: TEXT,
      about: 'How long, as an ISO 8601 duration, or until when.',
      required: true,
      example: 'PT8H'
    }
  ]
}

export const WAITS = { signal, approval, sleep }
