/** `each` of a function step: the items that its function is called for. Source: docs/executors/function.md. */
import type { Each } from '../../../machines/vocabulary.ts'
import { either, FILLED_TEXT } from '../fields/field-forms.ts'
import { type Fields, key, levelOf } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { isText, textOf } from '../fields/values.ts'
import { lacking, type Problems, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import { jsonOf } from './executor.ts'
import { answersItems } from './functions.ts'
import { CONCURRENCY } from './parallel.ts'
import type { Work } from './work.ts'

/** Items that one step may have. */
const MOST = 1_000

export const each = levelOf<Each>({ first: 'items' })({
  items: key(
    either('list of anything, or text with a variable', FILLED_TEXT, { label: '', schema: { type: 'array' } }),
    'What the function is called for; a text becomes a list in JSON.',
    '[{id: 1}, {id: 2}]',
    { to: false, otherwise: 'those of `functions.items`' }
  ),
  maxConcurrent: key(CONCURRENCY, 'Calls at a time.', '2', { default: 10 })
})

/** Undefined: its function is called once. */
export function eachOf(problems: Problems, step: Fields, { executor }: Pick<Work, 'executor'>): Each | undefined {
  const field = step.get('each')
  const isAnswered = answersItems(step)
  if (!field) return isAnswered && executor?.type === 'function' ? each.blank({}) : undefined
  if (executor && executor.type !== 'function') wrong(problems, field, 'each belongs to a step of the type function')
  const fields = fieldsOf(problems, field, each)
  const written = fields?.get('items')
  if (written && isAnswered) wrong(problems, written, 'items and functions.items are exclusive')
  if (fields && !written && !isAnswered) lacking(problems, field, 'items', 'each needs items, or functions.items')
  return each.read(problems, fields, { items: written && itemsOf(problems, written) })
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
