/** The key under which a plan is stored: runs with equal plans share it. */
import { createHash } from 'node:crypto'
import type { Plan } from '../../../machines/vocabulary.ts'
import type { StoredPlan } from '../../store/stored.ts'

/** The plan of a stored definition is the same object for every run. */
const known = new WeakMap<Plan, string>()

// D708: the base file is checked whenever a definition is read
export function planHash({ plan, spec }: StoredPlan): string {
  const found = known.get(plan)
  if (found) return found
  const hash = createHash('sha256').update(JSON.stringify(plan)).update('\0').update(spec).digest('base64url')
  known.set(plan, hash)
  return hash
}
