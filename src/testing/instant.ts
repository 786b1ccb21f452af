/** Durations and instants as a test writes them. */
import { instantIn } from '../../machines/policy/instant.ts'
import { TroupeError } from '../errors.ts'

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000
}
const PARTS = /^(\d+(?:\.\d+)?(?:ms|s|m|h|d|w)\s*)+$/
const WANTED = 'a duration such as 90s, 5m, 2h30m or 7d'
/** No test lasts longer: ten years. */
const LONGEST_MS = 3_660 * 86_400_000

/** Length of a duration, ms. @param what is named in the refusal @throws TroupeError bad_request */
export function durationMs(written: string | number, what: string): number {
  const ms = typeof written === 'number' ? written : sumOf(written.trim())
  if (ms === undefined || !Number.isFinite(ms) || ms < 0)
    throw new TroupeError('bad_request', `${what}: wanted ${WANTED}, or milliseconds, found ${JSON.stringify(written)}`)
  if (ms > LONGEST_MS) throw new TroupeError('bad_request', `${what}: wanted at most ten years, found ${written}`)
  return Math.round(ms)
}

function sumOf(text: string): number | undefined {
  if (!PARTS.test(text)) return undefined
  let sum = 0
  for (const [, count = '', unit = ''] of text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d|w)/g))
    sum += Number(count) * (UNITS[unit] ?? 0)
  return sum
}

/** Epoch ms of an ISO instant; one without an offset is local to the zone. @throws TroupeError bad_request */
export function instantOf(written: string, zone: string, what: string): number {
  const text = written.trim()
  const isWhole = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?)?(Z|[+-]\d\d:?\d\d)?$/.test(text)
  const hasOffset = /(Z|[+-]\d\d:?\d\d)$/.test(text) && text.length > 10
  const utc = instantIn(hasOffset ? text : `${text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T')}Z`)
  if (!isWhole || Number.isNaN(utc))
    throw new TroupeError(
      'bad_request',
      `${what}: wanted an instant such as 2026-03-29T01:59:00Z, or 2026-03-29T01:59 in the time zone of the test, found ${JSON.stringify(written)}`
    )
  return hasOffset ? utc : utc - offsetAt(zone, utc - offsetAt(zone, utc))
}

/** Offset of a zone from UTC at an instant, ms. */
function offsetAt(zone: string, at: number): number {
  const parts = new Intl.DateTimeFormat('en', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric'
  }).formatToParts(at)
  const of = (type: string) => Number(parts.find((part) => part.type === type)?.value)
  const local = Date.UTC(of('year'), of('month') - 1, of('day'), of('hour'), of('minute'), of('second'))
  return local - Math.floor(at / 1_000) * 1_000
}
