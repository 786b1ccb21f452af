/** `result`: which outputs of steps are the result of a run. Source: definition-format "DAG-level fields"; the field is ours. */
import type { Step } from '../../../machines/vocabulary.ts'
import { didYouMean } from '../../nearest.ts'
import { textMap, trimmed } from '../fields/values.ts'
import { type Problems, wrong } from '../problems.ts'
import { type Field, member } from '../yaml/value.ts'

/** A step by its name, or several. Steps that are not there are reported. */
export function result(
  problems: Problems,
  field: Field,
  steps: readonly Step[]
): string | Record<string, string> | undefined {
  const names = steps.map(({ name }) => name)
  const checked = (name: string, at: Field) => {
    if (!names.includes(name)) wrong(problems, at, `there is no step named "${name}"${didYouMean(name, names)}`)
  }
  if (field.value.kind !== 'map') {
    const name = trimmed(problems, field)
    if (name) checked(name, field)
    return name || undefined
  }
  const found = textMap(problems, field)
  for (const { key, value } of field.value.entries) {
    const name = found?.[key]
    if (name !== undefined) checked(name, member(field, key, value))
  }
  return found
}
