/** Preconditions, `continueOn` and `retryPolicy` as written. Source: definition-format "Preconditions", execution-semantics 5.4, 5.6, 6.1. */
import type { Condition } from '../../../machines/vocabulary.ts'
import type { WrittenContinueOn, WrittenRetry } from '../expand.ts'
import { backoff, pattern } from '../fields/forms.ts'
import { type Fields, fieldsOf, invalidKey } from '../fields/mapping.ts'
import {
  count,
  exitCodes,
  filled,
  flag,
  isText,
  optional,
  orText,
  partsOf,
  seconds,
  text,
  textFields,
  textOf
} from '../fields/values.ts'
import { type Problems, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'

/** The conditions of `preconditions`, then those of `precondition`. */
export function preconditions(problems: Problems, fields: Fields): Condition[] {
  const both = [fields.get('preconditions'), fields.get('precondition')]
  return both.flatMap((field) => (field ? partsOf(field).flatMap((part) => condition(problems, part)) : []))
}

function condition(problems: Problems, field: Field): Condition[] {
  if (isText(field)) return [{ condition: textOf(field) }]
  if (field.value.kind !== 'map') {
    wrongValue(problems, field, 'must be a command, or a map with condition and expected')
    return []
  }
  const fields = fieldsOf(problems, field, 'condition', invalidKey('precondition')) ?? new Map<string, Field>()
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

export function continueOn(problems: Problems, field: Field): WrittenContinueOn | undefined {
  const fields = fieldsOf(problems, field, 'continueOn')
  if (!fields) return undefined
  const output = fields.get('output')
  const outputs = output && textFields(problems, output, 'must be a string or a list of strings')
  return {
    failure: optional(problems, fields.get('failure'), flag),
    skipped: optional(problems, fields.get('skipped'), flag),
    exitCodes: optional(problems, fields.get('exitCode'), exitCodes),
    outputs: outputs?.flatMap((part) => pattern(problems, part) ?? []),
    markSuccess: optional(problems, fields.get('markSuccess'), flag)
  }
}

const LIMIT = 'retryPolicy.Limit: invalid type, wanted an integer or a string with variables'
const INTERVAL = 'retryPolicy.IntervalSec: invalid type, wanted an integer or a string with variables'

export function retryPolicy(problems: Problems, field: Field): WrittenRetry | undefined {
  const fields = fieldsOf(problems, field, 'retryPolicy')
  if (!fields) return undefined
  const limit = fields.get('limit')
  if (!limit) problems.add(`field 'limit': ${LIMIT}, found none`, `${field.path}.limit`, field.value.at)
  return {
    limit: optional(problems, limit, orText(count, LIMIT)),
    interval: optional(problems, fields.get('intervalSec'), orText(seconds, INTERVAL)),
    exitCodes: optional(problems, fields.get('exitCodes') ?? fields.get('exitCode'), exitCodes),
    backoff: optional(problems, fields.get('backoff'), backoff),
    maxIntervalMs: optional(problems, fields.get('maxIntervalSec'), seconds)
  }
}
