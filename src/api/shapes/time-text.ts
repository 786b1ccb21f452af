/** Instants as the API writes them: RFC 3339, whole seconds, offset of the configured zone. Source: api-semantics V1, V2. */
import type { Config } from '../../config.ts'

/** Text of an instant (epoch ms); absent, that is not yet: the empty string. */
export type TimeText = (at: number | undefined) => string

const QUARTER_HOUR_MS = 15 * 60_000
const MINUTE_MS = 60_000
const SECOND_MS = 1_000
/** Seconds whose text is kept: an answer of a thousand nodes is about a few of them. */
const KNOWN = 1_000

/** In the zone of an engine. Lazy: `Intl` takes longer to load than all routes of the API. */
export function timeTextOf(config: Pick<Config, 'tz' | 'isLocalTime'>): TimeText {
  if (config.isLocalTime) return textWith((at) => offsetOfMinutes(-new Date(at).getTimezoneOffset()))
  if (config.tz === 'UTC') return textWith(() => offsetOfMinutes(0))
  let time: TimeText | undefined
  return (at) => {
    time ??= timeTextIn(config.tz)
    return time(at)
  }
}

/** @param tz IANA zone */
export function timeTextIn(tz: string): TimeText {
  const zone = new Intl.DateTimeFormat('en-US', { timeZone: tz, timeZoneName: 'longOffset' })
  return textWith((at) => offsetOf(zone, at))
}

interface Offset {
  ms: number
  text: string
}

function textWith(offsetAt: (at: number) => Offset): TimeText {
  // Zones change their offset at quarters of an hour only, and the times of one answer lie close together.
  let quarter = Number.NaN
  let offset: Offset = { ms: 0, text: 'Z' }
  const known = new Map<number, string>()
  return (at) => {
    if (at === undefined) return ''
    const second = Math.floor(at / SECOND_MS)
    const before = known.get(second)
    if (before !== undefined) return before
    const its = Math.floor(at / QUARTER_HOUR_MS)
    if (its !== quarter) {
      offset = offsetAt(at)
      quarter = its
    }
    const text = new Date(at + offset.ms).toISOString().slice(0, -5) + offset.text
    if (known.size >= KNOWN) known.clear()
    known.set(second, text)
    return text
  }
}

/** From `GMT+09:00`, or `GMT` alone. */
function offsetOf(zone: Intl.DateTimeFormat, at: number): Offset {
  const name = zone.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '00', minutes = '00'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return offsetOfMinutes((Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1))
}

function offsetOfMinutes(minutes: number): Offset {
  if (minutes === 0) return { ms: 0, text: 'Z' }
  const size = Math.abs(minutes)
  const digits = [Math.floor(size / 60), size % 60].map((part) => String(part).padStart(2, '0'))
  return { ms: minutes * MINUTE_MS, text: `${minutes < 0 ? '-' : '+'}${digits.join(':')}` }
}
