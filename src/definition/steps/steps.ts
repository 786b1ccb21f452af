/** The shapes of `steps`: a list, groups in it, or a map. Source: execution-semantics 1.3. */
import type { Plan, Step } from '../../../machines/vocabulary.ts'
import { type Budget, MAX_STEPS } from '../budget.ts'
import { partsOf } from '../fields/values.ts'
import { type Problems, wrong, wrongValue } from '../problems.ts'
import { type Field, member } from '../yaml/value.ts'
import type { Around } from './executor-checks.ts'
import { linkSteps } from './graph.ts'
import { nameSteps } from './names.ts'
import { type Draft, readStep } from './step.ts'

/**
 * The steps of `steps` in written order: named, linked, checked. Steps that could not be read are left out, and all of them
 * when they are too many.
 * @param handlers of the same definition; their names and ids are taken
 */
export function readSteps(
  problems: Problems,
  field: Field | undefined,
  { type, handlers, around, budget }: { type: Plan['type']; handlers: Draft[]; around: Around; budget: Budget }
): Step[] {
  const written = field ? groupsOf(problems, field) : []
  budget.steps += written.reduce((sum, group) => sum + group.length, 0)
  if (field && budget.steps > MAX_STEPS) {
    wrong(problems, field, `a definition has at most ${MAX_STEPS} steps, this one has ${budget.steps} or more`)
    return []
  }
  const isMap = field?.value.kind === 'map'
  const groups = written.map((group) => group.flatMap((part) => readStep(problems, part.field, around, part.key) ?? []))
  nameSteps(problems, groups, handlers)
  linkSteps(problems, groups, { chained: type === 'chain' && !isMap, budget })
  return groups.flat().map(({ step }) => step)
}

/** Items of the list, each as a group of one or more; members of one group do not depend on each other. */
function groupsOf(problems: Problems, field: Field): { field: Field; key?: string }[][] {
  const { value } = field
  if (value.kind === 'map') {
    return value.entries.map(({ key, value }) => [
      { field: { ...member(field, key, value), name: `steps.${key}` }, key }
    ])
  }
  if (value.kind !== 'list') {
    wrongValue(problems, field, 'steps must be an array or a map')
    return []
  }
  return partsOf(field).map((part) => partsOf(part).map((field) => ({ field })))
}
