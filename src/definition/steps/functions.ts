/** `functions` of a step: names of functions of the host application that answer for it. Source: docs/executors/function.md. */
import type { StepFunctions } from '../../../machines/vocabulary.ts'
import { TEXT } from '../fields/field-forms.ts'
import { type Fields, key, table } from '../fields/level.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, optional, type Read } from '../fields/values.ts'
import { type Problems, wrong, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import type { Work } from './work.ts'

export const functions = table({
  preconditions: key(TEXT, 'Whether the step runs, asked after its other preconditions.', 'order/label#preconditions'),
  env: key(TEXT, 'Further variables of the step.', 'order/label#env'),
  params: key(TEXT, 'The params of its function, or of the workflow that it calls.', 'order/charge#params'),
  items: key(TEXT, 'The items of its `each`, or the params of each call of its `parallel`.', 'order/label#items'),
  ask: key(TEXT, 'The question of a signal or an approval.', 'order/paid#ask'),
  for: key(TEXT, 'How long a sleep lasts, or until when.', 'order/pause#for')
})

const PLACES = ['preconditions', 'env', 'params', 'items', 'ask', 'for'] as const

/** Types of steps that use an answer; absent: all. */
const USED_BY: Partial<Record<(typeof PLACES)[number], readonly string[]>> = {
  params: ['function', 'dag'],
  items: ['function', 'dag'],
  ask: ['signal', 'approval'],
  for: ['sleep']
}

/** The name of a function of the host application. */
export const functionName: Read<string> = (problems, field) => {
  const name = filled(problems, field)?.trim()
  if (name && /[$`]/.test(name)) wrongValue(problems, field, 'must be the name itself, without variables')
  return name
}

/** Whether a function of the host application says the items of a step. */
export const answersItems = (step: Fields): boolean => {
  const value = step.get('functions')?.value
  return value?.kind === 'map' && value.entries.some(({ key }) => key.trim().toLowerCase() === 'items')
}

/** Undefined when it names none: nothing is asked then. */
export function stepFunctions(
  problems: Problems,
  field: Field | undefined,
  { executor }: Pick<Work, 'executor'>
): StepFunctions | undefined {
  const fields = field && fieldsOf(problems, field, functions)
  const answers: StepFunctions = {}
  for (const place of PLACES) {
    const named = fields?.get(place)
    const name = optional(problems, named, functionName)
    if (!named || !name) continue
    const users = USED_BY[place]
    if (users && executor && !users.includes(executor.type))
      wrongValue(problems, named, `has an effect on a step of the type ${users.join(' or ')} only`)
    answers[place] = name
  }
  const { params, items } = answers
  const named = fields?.get('params')
  if (params !== undefined && items !== undefined && named && executor?.type === 'dag')
    wrong(problems, named, 'items are the params of each call, so params has no effect')
  return Object.keys(answers).length > 0 ? answers : undefined
}
