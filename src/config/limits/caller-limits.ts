/** `limits.callers`: how much a caller of the API may ask for. Source: docs/operating/limits.md "Callers". */
import { type Known, known, OF_RULES, whyNobody } from '../access-rules.ts'
import { type Members, membersOf } from '../members.ts'
import { isRole, type Role } from '../roles/roles.ts'
import { integer, isMap, type Type } from '../types.ts'
import { rate } from './rate.ts'

export interface CallerLimits extends Limits {
  /** A name such as `token:ci`, `everyone`, or `role:` with a role on the server. */
  who: string
}

const MOST = 1_000_000
const count = integer(1, MOST)
const orNone = <T>({ wanted, of }: Type<T>): Type<T | 'none'> => ({
  wanted: `${wanted}, or none`,
  of: (input) => (input === 'none' ? input : of(input))
})
const [requests, most] = [orNone(rate), orNone(count)]
const TYPES = {
  /** Requests of the API. */
  requests,
  /** Requests at once, before the rate counts. Default: the number in `requests`. */
  burst: most,
  /** Runs that are started, queued, retried or repeated. */
  starts: requests,
  /** Runs that wait or run at the same time. */
  runs: most,
  /** Open streams of events. */
  streams: most
}
/** Limits of a caller; `none`: no limit, whatever a wider entry says. */
export type Limits = Members<typeof TYPES>
const NAMES = Object.keys(TYPES) as (keyof Limits)[] // Object.keys forgets the names

// D1470: limits of a caller are 429 `service_unavailable`, by name, role, or everyone
/** @param problems receives a sentence for each entry that says nothing, or is for nobody */
export function callerLimitsOf(
  input: Record<string, unknown> | undefined,
  auth: Known,
  problems: string[]
): CallerLimits[] {
  return Object.entries(input ?? {}).flatMap(([who, given]): CallerLimits[] => {
    const where = `limits.callers: ${who}`
    const why = whyNot(who, auth)
    if (why !== undefined) problems.push(`limits.callers: ${why}`)
    if (!isMap(given)) {
      problems.push(`${where}: wanted a map such as {requests: 20/s, starts: 60/m, runs: 10, streams: 5}`)
      return []
    }
    const limits = membersOf(TYPES, given, where, problems)
    if (given.burst !== undefined && given.requests === undefined)
      problems.push(`${where}.burst: wanted requests too, which it is a part of`)
    return [{ who: known(who), ...limits }]
  })
}

function whyNot(who: string, auth: Known): string | undefined {
  if (!who.startsWith('role:')) {
    return whyNobody(who, auth, `role:ROLE, ${OF_RULES}`)
  }
  return isRole(who.slice('role:'.length)) ? undefined : `no role is called ${JSON.stringify(who)}`
}

/** The limits of one kind of caller: for each, that of a name, else of the role, else of everyone. Of several names the most counts. */
export function limitsOf(all: readonly CallerLimits[], who: readonly string[], role: Role): Limits {
  const steps = [
    all.filter((one) => one.who !== 'everyone' && who.includes(one.who)),
    all.filter((one) => one.who === `role:${role}`),
    all.filter((one) => one.who === 'everyone')
  ]
  const found: Record<string, unknown> = {}
  for (const name of NAMES) {
    if (name === 'burst') continue // it goes with the rate that it stands beside
    const said = steps.map((step) => step.filter((one) => one[name] !== undefined)).find((step) => step.length > 0)
    const most = said?.reduce((most, one) => (sizeOf(one[name]) > sizeOf(most[name]) ? one : most))
    if (!most) continue
    found[name] = most[name]
    if (name === 'requests' && most.burst !== undefined) found.burst = most.burst
  }
  return found
}

const sizeOf = (limit: Limits[keyof Limits]): number => {
  if (limit === undefined) return 0
  if (limit === 'none') return Number.POSITIVE_INFINITY
  return typeof limit === 'number' ? limit : limit.count / limit.perMs
}
