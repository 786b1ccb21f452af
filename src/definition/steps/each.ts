/** `each` of a function step: the items that its function is called for. Source: docs/executors/function.md. */
import type { Each } from '../../../machines/vocabulary.ts'
import { type Fields, fieldsOf } from '../fields/mapping.ts'
import { isText, optional, textOf } from '../fields/values.ts'
import { lacking, type Problems, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import { jsonOf } from './executor.ts'
import { concurrency } from './parallel.ts'
import type { Work } from './work.ts'

const MAX_CONCURRENT = 10
/** Items that one step may have. */
const MOST = 1_000

/** Undefined: its function is called once. */
export function each(problems: Problems, step: Fields, { executor }: Pick<Work, 'executor'>): Each | undefined {
  const field = step.get('each')
  const named = step.get('functions')
  const isAnswered =
    named?.value.kind === 'map' && named.value.entries.some(({ key }) => key.trim().toLowerCase() === 'items')
  if (!field) return isAnswered ? { maxConcurrent: MAX_CONCURRENT } : undefined
  if (executor && executor.type !== 'function') wrong(problems, field, 'each belongs to a step of the type function')
  const fields = fieldsOf(problems, field, 'each')
  const written = fields?.get('items')
  if (written && isAnswered) wrong(problems, written, 'items and functions.items are exclusive')
  if (fields && !written && !isAnswered) lacking(problems, field, 'items', 'each needs items, or functions.items')
  const items = written && itemsOf(problems, written)
  return {
    ...(items === undefined ? {} : { items }),
    maxConcurrent: optional(problems, fields?.get('maxConcurrent'), concurrency) ?? MAX_CONCURRENT
  }
}

function itemsOf(problems: Problems, field: Field): Each['items'] {
  if (isText(field) && textOf(field).trim()) return textOf(field)
  if (field.value.kind !== 'list') {
    wrongValue(problems, field, 'must be a list, or a text with a variable')
    return undefined
  }
  if (field.value.items.length > MOST) wrongValue(problems, field, `must have at most ${MOST} items`)
  return field.value.items.map(jsonOf)
}
