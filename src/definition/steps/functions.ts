/** `functions` of a step: names of functions of the host application that answer for it. Source: docs/executors/function.md. */
import type { StepFunctions } from '../../../machines/vocabulary.ts'
import { fieldsOf } from '../fields/mapping.ts'
import { filled, optional } from '../fields/values.ts'
import { type Problems, wrongValue } from '../problems.ts'
import type { Field } from '../yaml/value.ts'
import type { Work } from './work.ts'

const PLACES = ['preconditions', 'env', 'params', 'items'] as const

const NEEDS_FUNCTION: ReadonlySet<string> = new Set(['params', 'items'])

/** Undefined when it names none: nothing is asked then. */
export function stepFunctions(
  problems: Problems,
  field: Field | undefined,
  { executor }: Pick<Work, 'executor'>
): StepFunctions | undefined {
  const fields = field && fieldsOf(problems, field, 'functions')
  const functions: StepFunctions = {}
  for (const place of PLACES) {
    const named = fields?.get(place)
    const name = optional(problems, named, filled)?.trim()
    if (!named || !name) continue
    if (/[$`]/.test(name)) wrongValue(problems, named, 'must be the name itself, without variables')
    if (NEEDS_FUNCTION.has(place) && executor && executor.type !== 'function')
      wrongValue(problems, named, 'has an effect on a step of the type function only')
    functions[place] = name
  }
  return Object.keys(functions).length > 0 ? functions : undefined
}
