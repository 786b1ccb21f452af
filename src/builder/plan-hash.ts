/** The `planHash` of a text, to be held against that of a DAG of code. Source: docs/embedding/upgrades.md. */
import { planIdentity } from '../definition/plan-identity.ts'
import { problemText } from '../definition/problem-text.ts'
import { readDefinition } from '../definition/read.ts'
import { TroupeError } from '../errors.ts'

/** @throws TroupeError bad_request (details.errors): it is no definition */
export function planHashOf(text: string): string {
  if (typeof text !== 'string') throw new TroupeError('bad_request', 'planHashOf: wanted the text of a definition')
  const { plan, problems } = readDefinition(text)
  if (plan) return planIdentity(plan)
  const errors = problems.map(problemText)
  throw new TroupeError('bad_request', `planHashOf: ${errors.join('; ')}`, { details: { errors } })
}
