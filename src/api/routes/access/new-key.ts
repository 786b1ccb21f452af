/** Checks as a whole what a new API key is to allow, for API and command line. Source: docs/authentication.md "API keys". */
import { isRole, ROLES, type RuleContent, ruleContentOf } from '../../../config.ts'
import type { NewKey } from '../../../engine/engine.ts'
import { misfit } from '../../../schema/fit.ts'
import { isObject } from '../../../schema/schema.ts'
import { KeyName } from '../../contract/names.ts'
import { expiryOf } from '../../input/expiry.ts'
import { refuse } from '../../rules/error-body.ts'

export interface WantedKey {
  name: string
  role: string
  /** Rules as they came: what is wrong with them is said. */
  rules?: unknown
  /** A duration or an instant; absent: it does not expire. */
  expires?: string | undefined
}

const MOST_RULES = 100
const LONGEST_RULES = 10_000

// D1440: API keys and sessions are for admins with every permission
/** @param goodUntil end of its maker's credentials, which it must not outlive @throws TroupeError bad_request with every problem */
export function newKeyOf(
  { name, role, rules: given = [], expires }: WantedKey,
  { by, now, goodUntil }: { by: string; now: number; goodUntil?: number | undefined }
): NewKey {
  const problems: string[] = []
  const wrongName = misfit(KeyName, name)
  if (wrongName !== undefined) problems.push(`field 'name': ${wrongName}`)
  if (!isRole(role)) problems.push(`field 'role': wanted one of ${ROLES.join(', ')}`)
  const rules = Array.isArray(given) ? given.filter(isObject) : []
  if (!Array.isArray(given) || rules.length < given.length)
    problems.push("field 'rules': wanted a list of rules such as [{may: runner, dags: [etl-*]}]")
  const limits = rules.slice(0, MOST_RULES).flatMap((rule, at): readonly RuleContent[] => {
    const found = ruleContentOf(rule, `rules[${at}]`, problems)
    return found ? [found] : []
  })
  if (rules.length > MOST_RULES || JSON.stringify(rules).length > LONGEST_RULES)
    problems.push(`field 'rules': wanted at most ${MOST_RULES}, of ${LONGEST_RULES} characters together`)
  if (role === 'none' && rules.length === 0)
    problems.push("field 'rules': wanted one: a key of the role none without rules may do nothing")
  if (role === 'admin' && rules.length > 0) problems.push("field 'rules': wanted none: an admin has no rules")
  const until = expires === undefined ? goodUntil : expiryOf(expires, now)
  if (typeof until === 'string') problems.push(`field 'expires': ${until}`)
  else if (until !== undefined && goodUntil !== undefined && until > goodUntil)
    problems.push(
      `field 'expires': wanted no later than ${new Date(goodUntil).toISOString()}, when the key that makes it ends`
    )
  refuse(problems)
  return {
    name,
    by,
    rules: limits,
    role: isRole(role) ? role : 'none',
    ...(typeof until === 'number' ? { expiresAt: until } : {})
  }
}
