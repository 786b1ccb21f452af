/** `each` of a function step: the items that its function is called for. Source: docs/executors/function.md. */
import type { Each, Step } from '../../../machines/vocabulary.ts'
import { either, FILLED_TEXT, type Form, TEXT } from '../fields/field-forms.ts'
import { type Fields, key, levelOf } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { integer, isText, textOf } from '../fields/values.ts'
import { lacking, type Problems, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import { jsonOf } from './executor.ts'
import { answersItems, functionName } from './functions.ts'
import { CONCURRENCY } from './parallel.ts'
import { repeatPolicy } from './repeat.ts'
import type { Work } from './work.ts'

/** Items that one step may have. */
const MOST = 1_000
const MOST_PAGES = 100

const PAGES: Form<number> = {
  label: `integer from 1 to ${MOST_PAGES}`,
  schema: { type: 'integer', minimum: 1, maximum: MOST_PAGES },
  read(problems, field) {
    const found = integer(problems, field)
    if (found === undefined || (found >= 1 && found <= MOST_PAGES)) return found
    wrongValue(problems, field, `must be an integer from 1 to ${MOST_PAGES}`)
    return undefined
  }
}

export const each = levelOf<Each>({ first: 'items' })({
  items: key(
    either('list of anything, or text with a variable', FILLED_TEXT, { label: '', schema: { type: 'array' } }),
    'What the function is called for; a text becomes a list in JSON.',
    '[{id: 1}, {id: 2}]',
    { to: false, otherwise: 'those of `functions.items`' }
  ),
  maxConcurrent: key(CONCURRENCY, 'Calls at a time.', '2', { default: 10 }),
  pages: key(
    PAGES,
    'How many pages of items there may be: `functions.items` is asked for one after the other, until it has no more.',
    '100',
    { otherwise: 'one list of items' }
  ),
  collect: key(
    TEXT,
    'A function of the host application that makes the result of the step, from the one before and the results of a page.',
    'order/total',
    { read: functionName, otherwise: 'how many pages and items there were' }
  )
})

// D1774: a page is a pass
/** The step is executed once for each page; a page that fails ends it. */
export const pagesOf = (step: Step): Step['repeat'] =>
  step.each?.pages === undefined ? step.repeat : repeatPolicy.blank({ mode: 'while', exitCodes: [] })

/** Undefined: its function is called once. */
export function eachOf(problems: Problems, step: Fields, { executor }: Pick<Work, 'executor'>): Each | undefined {
  const field = step.get('each')
  const isAnswered = answersItems(step)
  if (!field) return isAnswered && executor?.type === 'function' ? each.blank({}) : undefined
  if (executor && executor.type !== 'function') wrong(problems, field, 'each belongs to a step of the type function')
  const fields = fieldsOf(problems, field, each)
  const written = fields?.get('items')
  const pages = fields?.get('pages')
  if (pages && !isAnswered) wrong(problems, pages, 'pages are asked for: each needs functions.items for them')
  const collect = fields?.get('collect')
  if (collect && !pages)
    wrong(problems, collect, 'has an effect on pages only: without them the result is the list of results')
  const repeats = step.get('repeatPolicy')
  if (pages && repeats) wrong(problems, repeats, 'repeatPolicy and the pages of each are exclusive')
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
