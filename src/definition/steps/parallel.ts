/** `parallel`: the items of a sub workflow, as written. Source: execution-semantics 9.4.2, 9.4.3. */
import type { Parallel } from '../../../machines/vocabulary.ts'
import { either, FILLED_TEXT, type Form, TEXT, TEXT_MAP } from '../fields/field-forms.ts'
import { type Fields, key, levelOf } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { integer, isText, partsOf, textOf } from '../fields/values.ts'
import { lacking, type Problems, wrong, wrongValue } from '../problems.ts'
import { type Field, member } from '../yaml/value.ts'
import { answersItems } from './functions.ts'
import type { Work } from './work.ts'

/** Calls of one step that may run at a time. */
const MOST = 1000

/** Calls at a time. */
export const CONCURRENCY: Form<number> = {
  label: 'integer from 1 to 1000',
  schema: { type: 'integer', minimum: 1, maximum: MOST },
  read: concurrency
}

function concurrency(problems: Problems, field: Field): number | undefined {
  const found = integer(problems, field)
  if (found === undefined) return undefined
  if (found < 1) wrongValue(problems, field, 'maxConcurrent must be greater than 0')
  else if (found > MOST) wrongValue(problems, field, `maxConcurrent must be at most ${MOST}`)
  return found
}

export const parallel = levelOf<Parallel>({ open: true, first: 'items' })({
  items: key(
    either('list, or text with a variable', FILLED_TEXT, {
      label: '',
      schema: { type: 'array', items: { anyOf: [TEXT.schema, TEXT_MAP.schema] } }
    }),
    'One call for each: texts, or flat maps.',
    '"${FILES}"',
    { to: false, otherwise: 'those of `functions.items`' }
  ),
  maxConcurrent: key(CONCURRENCY, 'Calls at a time.', '3', { default: 10 })
})

// D546: a step that is a number is refused
/** Undefined: the workflow is called once. */
export function parallelOf(
  problems: Problems,
  step: Fields,
  { executor }: Pick<Work, 'executor'>
): Parallel | undefined {
  const field = step.get('parallel')
  const isAnswered = answersItems(step)
  if (!field) return isAnswered && executor?.type === 'dag' ? parallel.blank({}) : undefined
  const isMap = field.value.kind === 'map'
  const fields = isMap ? fieldsOf(problems, field, parallel) : undefined
  const written = isMap ? fields?.get('items') : field
  if (written && isAnswered) wrong(problems, written, 'items and functions.items are exclusive')
  if (!written && !isAnswered) lacksItems(problems, field)
  return parallel.read(problems, fields, { items: written ? items(problems, written) : isAnswered ? undefined : [] })
}

/** @param field a `parallel` without items */
export const lacksItems = (problems: Problems, field: Field): void =>
  lacking(problems, field, 'items', 'parallel needs items: a list, or a text with a variable')

function items(problems: Problems, field: Field): Parallel['items'] {
  if (isText(field) && textOf(field).trim()) return textOf(field)
  if (field.value.kind === 'list') return partsOf(field).map((part) => item(problems, part))
  wrongValue(problems, field, 'parallel items must be a list, or a text with a variable')
  return []
}

function item(problems: Problems, field: Field): string | Record<string, string> {
  if (field.value.kind !== 'map') {
    if (!isText(field)) wrongValue(problems, field, ITEM)
    return textOf(field)
  }
  const entries = field.value.entries.map(({ key, value }) => {
    const entry = member(field, key, value)
    if (!isText(entry)) wrongValue(problems, entry, ITEM)
    return [key, textOf(entry)] as const
  })
  return Object.fromEntries(entries)
}

const ITEM = 'an item must be a string, a number, or a flat map of those'
