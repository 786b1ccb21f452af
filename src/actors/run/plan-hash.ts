/** Under which key a plan is stored: runs of equal plans share one. */
import { createHash } from 'node:crypto'
import type { Plan } from '../../../machines/vocabulary.ts'
import type { StoredPlan } from '../../store/stored.ts'

/** Plans of stored definitions are the same object from run to run. */
const known = new WeakMap<Plan, string>()

// D708
export function planHash({ plan, spec }: StoredPlan): string {
  const found = known.get(plan)
  if (found) return found
  const hash = createHash('sha256').update(JSON.stringify(plan)).update('\0').update(spec).digest('base64url')
  known.set(plan, hash)
  return hash
}
