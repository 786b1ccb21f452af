/** Instants as a test writes them. */
import { instantIn } from '../../machines/policy/instant.ts'
import { TroupeError } from '../errors.ts'

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
