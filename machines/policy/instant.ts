/** Dates and times as people and programs write them, read in one place. Source: docs/http-api.md, docs/cli.md. */

const FORM = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(\.\d+)?)?\s*(?:(Z)|([+-])(\d\d):?(\d\d))?)?$/i

// D1612: `Date.parse` makes another day of one that the calendar does not have
/**
 * Epoch ms. Without an offset, a time is in the zone of the process, and a date in UTC. NaN: it has no such form, or the calendar and
 * the clock have no such time: of 30 February, `Date.parse` makes 2 March.
 */
export function instantIn(text: string): number {
  const found = FORM.exec(text.trim())
  if (!found) return Number.NaN
  const [, year = '', month = '', day = '', hour, minute = '', second = '00', part = '', utc, sign, hours, minutes] =
    found
  if (Number(day) > daysIn(Number(year), Number(month))) return Number.NaN
  const date = `${year}-${month}-${day}`
  if (hour === undefined) return Date.parse(date)
  const offset = utc ? 'Z' : sign ? `${sign}${hours}:${minutes}` : ''
  return Date.parse(`${date}T${hour}:${minute}:${second}${part}${offset}`)
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate()
