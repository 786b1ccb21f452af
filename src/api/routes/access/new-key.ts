/** Checks as a whole what a new API key is to allow, for API and command line. Source: docs/authentication.md "API keys". */
import { instantIn } from '../../../../machines/policy/instant.ts'
import { isRole, ROLES, type RuleContent, ruleContentOf } from '../../../config.ts'
import type { NewKey } from '../../../engine/engine.ts'
import { misfit } from '../../../schema/fit.ts'
import { isObject } from '../../../schema/schema.ts'
import { KeyName } from '../../contract/names.ts'
import { durationOf } from '../../input/duration.ts'
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

/** When something ends: after a duration, or at an instant. Source: docs/http-api.md "Access". */
const DAY_MS = 24 * 3_600_000
/** A hundred years. */
const LONGEST_MS = 36_525 * DAY_MS
const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)$/

/** @param now epoch ms @returns epoch ms, or a sentence about what is wrong */
export function expiryOf(text: string, now: number): number | string {
  const days = /^(\d{1,6})d$/.exec(text)
  const duration = days ? Number(days[1]) * DAY_MS : durationOf(text)
  const at = duration !== undefined ? now + duration : INSTANT.test(text) ? instantIn(text) : Number.NaN
  if (Number.isNaN(at))
    return `wanted a duration such as 30d or 12h, or an instant such as 2027-01-31T00:00:00Z, found ${JSON.stringify(text.slice(0, 60))}`
  if (at <= now) return 'wanted a time to come, found one that is over'
  return at - now > LONGEST_MS ? 'wanted at most a hundred years; without it, the key does not expire' : at
}
