/** `parallel`: the items of a sub workflow, as written. Source: execution-semantics 9.4.2, 9.4.3. */
import type { Parallel } from '../../../machines/vocabulary.ts'
import { expandParallel } from '../expand.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { integer, isText, optional, partsOf, type Read, textOf } from '../fields/values.ts'
import { lacking, type Problems, wrongValue } from '../problems.ts'
import { type Field, member } from '../yaml/value.ts'

/** Calls of one step that may run at a time. */
const MOST = 1000

// D546
export const parallel: Read<Parallel> = (problems, field) => {
  if (field.value.kind !== 'map') return expandParallel({ items: items(problems, field), maxConcurrent: undefined })
  const fields = fieldsOf(problems, field, 'parallel')
  const written = fields?.get('items')
  if (!written) lacksItems(problems, field)
  return expandParallel({
    items: written ? items(problems, written) : [],
    maxConcurrent: optional(problems, fields?.get('maxConcurrent'), concurrency)
  })
}

/** @param field a `parallel` without items */
export const lacksItems = (problems: Problems, field: Field): void =>
  lacking(problems, field, 'items', 'parallel needs items: a list, or a text with a variable')

export const concurrency: Read<number> = (problems, field) => {
  const found = integer(problems, field)
  if (found === undefined) return undefined
  if (found < 1) wrongValue(problems, field, 'maxConcurrent must be greater than 0')
  else if (found > MOST) wrongValue(problems, field, `maxConcurrent must be at most ${MOST}`)
  return found
}

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
