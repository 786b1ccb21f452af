/** Preconditions of a run or a step that were not met: which, and the value found. Source: execution-semantics 5.6. */
import type { Condition, ConditionResult } from '../../../machines/vocabulary.ts'
import { asCode } from '../../definition/problem-text.ts'
import type { Blocker } from '../inspection.ts'
import { blockers, firstLine } from './situation.ts'

/** @param results of the conditions, by index */
export function unmet(
  conditions: readonly Condition[],
  results: readonly ConditionResult[] = []
): { found: string; blockedBy: Blocker[] } {
  const failed = conditions.flatMap(({ condition }, place) => {
    const result = results[place]
    return result?.matched === false ? [{ condition, error: firstLine(result.error) }] : []
  })
  return {
    found: failed.map(({ condition, error }) => `${asCode(condition)}${error ? ` (${error})` : ''}`).join('; '),
    blockedBy: blockers(
      'condition',
      failed.map(({ condition }) => condition)
    )
  }
}
