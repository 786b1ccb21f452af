/** Preconditions, `continueOn`, `retryPolicy` as written. Source: definition-format "Preconditions", execution-semantics 5.4, 5.6, 6.1. */
import type { Condition, ContinueOn, Retry } from '../../../machines/vocabulary.ts'
import { BACKOFF, COUNT, EXIT_CODES, FLAG, orEvaluated, SECONDS, TEXT, TEXTS } from '../fields/field-forms.ts'
import { type Fields, key, type LevelTable, levelOf, table } from '../fields/level.ts'
import { fieldsOf, invalidKey } from '../fields/mapping.ts'
import { pattern } from '../fields/patterns.ts'
import {
  count,
  filled,
  flag,
  isText,
  optional,
  orText,
  partsOf,
  type Read,
  seconds,
  text,
  textFields,
  textOf
} from '../fields/values.ts'
import { type Problems, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'

export const condition: LevelTable = {
  ...table({
    condition: key(
      TEXT,
      'A value or a backtick command to compare, or, without `expected`, a command that must exit 0.',
      '"`date +%u`"'
    ),
    command: key(TEXT, 'Another name of `condition`.', 'test -f input', { aliasOf: 'condition' }),
    expected: key(TEXT, 'The text it must equal; with `re:` a pattern.', '"re:[1-5]"'),
    error: key(TEXT, 'The message if it is not met.', 'not on a weekend'),
    negate: key(FLAG, 'Whether it must not be met.', 'true', { default: false })
  }),
  together: {
    anyOf: [
      { required: ['condition'], properties: { condition: TEXT.schema } },
      { required: ['command'], properties: { command: TEXT.schema } }
    ],
    not: { required: ['condition', 'command'], properties: { condition: TEXT.schema, command: TEXT.schema } }
  }
}

/** The conditions of `preconditions`, then those of `precondition`. */
export function preconditions(problems: Problems, fields: Fields): Condition[] {
  const both = [fields.get('preconditions'), fields.get('precondition')]
  return both.flatMap((field) => (field ? partsOf(field).flatMap((part) => conditionOf(problems, part)) : []))
}

function conditionOf(problems: Problems, field: Field): Condition[] {
  if (isText(field)) return [{ condition: textOf(field) }]
  if (field.value.kind !== 'map') {
    wrongValue(problems, field, 'must be a command, or a map with condition and expected')
    return []
  }
  const fields = fieldsOf(problems, field, condition, invalidKey('precondition')) ?? new Map<string, Field>()
  const command = fields.get('command')
  const asked = fields.get('condition') ?? command
  if (command && asked !== command) wrong(problems, command, 'precondition takes condition or command, not both')
  if (!asked) wrong(problems, field, 'precondition has no condition')
  const expected = optional(problems, fields.get('expected'), pattern)
  const error = optional(problems, fields.get('error'), filled)
  const negate = optional(problems, fields.get('negate'), flag)
  return [
    {
      condition: optional(problems, asked, text) ?? '',
      ...(expected && { expected }),
      ...(error && { error }),
      ...(negate && { negate })
    }
  ]
}

const patterns: Read<string[]> = (problems, field) =>
  textFields(problems, field, 'must be a string or a list of strings')?.flatMap((part) => pattern(problems, part) ?? [])

export const continueOn = levelOf<ContinueOn>()({
  failure: key(FLAG, 'Any failure.', 'true', { default: false }),
  skipped: key(FLAG, 'A step that was skipped.', 'true', { default: false }),
  exitCode: key(EXIT_CODES, 'A failure with one of these codes.', '[1, 2]', { to: 'exitCodes', default: [] }),
  output: key(TEXTS, 'A failure with this text in a line of its stdout; with `re:` a pattern.', '"re:^WARN"', {
    read: patterns,
    to: 'outputs',
    default: []
  }),
  markSuccess: key(FLAG, 'Counts such a step as succeeded.', 'true', { default: false })
})

export const readContinueOn: Read<ContinueOn> = (problems, field) => {
  const fields = fieldsOf(problems, field, continueOn)
  return fields && continueOn.read(problems, fields, {})
}

const LIMIT = 'retryPolicy.Limit: invalid type, wanted an integer or a string with variables'
const INTERVAL = 'retryPolicy.IntervalSec: invalid type, wanted an integer or a string with variables'

export const retryPolicy = levelOf<Retry>()({
  limit: key(orEvaluated(COUNT), 'Number of retries.', '3', {
    read: orText(count, LIMIT),
    required: true,
    absent: () => 0
  }),
  intervalSec: key(orEvaluated(SECONDS), 'Pause before a retry.', '5', {
    read: orText(seconds, INTERVAL),
    to: 'interval',
    default: 0
  }),
  exitCodes: key(EXIT_CODES, 'Codes that are retried; empty means all.', '[75]', { default: [] }),
  exitCode: key(EXIT_CODES, 'Another name of `exitCodes`.', '75', { aliasOf: 'exitCodes' }),
  backoff: key(BACKOFF, 'Factor by which the pause grows; `true` doubles it.', '1.5', { default: false }),
  maxIntervalSec: key(SECONDS, 'Longest pause with `backoff`; 0 sets no limit.', '300', {
    to: 'maxIntervalMs',
    default: 0
  })
})

export const readRetryPolicy: Read<Retry> = (problems, field) => {
  const fields = fieldsOf(problems, field, retryPolicy)
  if (fields && !fields.has('limit'))
    problems.add(`field 'limit': ${LIMIT}, found none`, `${field.path}.limit`, field.value.at)
  return fields && retryPolicy.read(problems, fields, {})
}
