/** Instants as the API writes them: RFC 3339, whole seconds, offset of the configured zone. Source: api-semantics V1, V2. */

/** Text of an instant (epoch ms); absent, that is not yet: the empty string. */
export type TimeText = (at: number | undefined) => string

const QUARTER_HOUR_MS = 15 * 60_000
const MINUTE_MS = 60_000
const SECOND_MS = 1_000
/** Seconds whose text is kept: an answer of a thousand nodes is about a few of them. */
const KNOWN = 1_000

/** @param tz IANA zone */
export function timeTextIn(tz: string): TimeText {
  const zone = new Intl.DateTimeFormat('en-US', { timeZone: tz, timeZoneName: 'longOffset' })
  // Zones change their offset at quarters of an hour only, and the times of one answer lie close together.
  let quarter = Number.NaN
  let offset = { ms: 0, text: 'Z' }
  const known = new Map<number, string>()
  return (at) => {
    if (at === undefined) return ''
    const second = Math.floor(at / SECOND_MS)
    const before = known.get(second)
    if (before !== undefined) return before
    const its = Math.floor(at / QUARTER_HOUR_MS)
    if (its !== quarter) {
      offset = offsetOf(zone, at)
      quarter = its
    }
    const text = new Date(at + offset.ms).toISOString().slice(0, -5) + offset.text
    if (known.size >= KNOWN) known.clear()
    known.set(second, text)
    return text
  }
}

/** From `GMT+09:00`, or `GMT` alone. */
function offsetOf(zone: Intl.DateTimeFormat, at: number): { ms: number; text: string } {
  const name = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  const ms = (Number(hours) * 60 + Number(minutes)) * MINUTE_MS * (sign === '-' ? -1 : 1)
  return { ms, text: ms === 0 ? 'Z' : `${sign}${hours}:${minutes}` }
}
