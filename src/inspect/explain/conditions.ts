/** Preconditions that did not hold, of a run or of a step: which, and what was found. Source: execution-semantics 5.6. */
import type { Condition, ConditionResult } from '../../../machines/vocabulary.ts'
import { asCode } from '../../definition/problem-text.ts'
import type { Blocker } from '../facts.ts'
import { blockers, firstLine } from './situation.ts'

/** @param results of the conditions, by place */
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
