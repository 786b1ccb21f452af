/** When something ends: after a duration, or at an instant. Source: docs/http-api.md "Access". */
import { instantIn } from '../../../machines/policy/instant.ts'
import { durationOf } from './duration.ts'

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
