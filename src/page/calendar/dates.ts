/** Dates as texts such as `2026-11-28`, whatever zone they are of: weeks, which begin with Monday. */

const DAY_MS = 86_400_000
const ms = (date: string): number => Date.parse(`${date}T00:00:00Z`)
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The date at an instant. @param offset ms that the clocks are ahead of UTC then */
export const dateAt = (at: number, offset: number): string => dateOf(at + offset)

export const addDays = (date: string, days: number): string => dateOf(ms(date) + days * DAY_MS)

/** 0 is Monday. */
export const weekdayOf = (date: string): number => (new Date(ms(date)).getUTCDay() + 6) % 7

export const mondayOf = (date: string): string => addDays(date, -weekdayOf(date))

/** The date, if a text is one. */
export const dateIn = (text: string | null): string | undefined =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(ms(text)) && dateOf(ms(text)) === text
    ? text
    : undefined

/** The Mondays from one to the last one that is not after a date. */
export const mondaysOf = (first: string, until: string): string[] =>
  Array.from({ length: Math.floor((ms(until) - ms(first)) / (7 * DAY_MS)) + 1 }, (_, week) => addDays(first, 7 * week))

const formats = new Map<string, Intl.DateTimeFormat>()
function formatted(date: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' })
  formats.set(key, format)
  return format.format(ms(date))
}
/** `Saturday, November 28`. */
export const dayText = (date: string): string => formatted(date, { weekday: 'long', month: 'long', day: 'numeric' })
/** `Sat`. */
export const weekdayText = (date: string): string => formatted(date, { weekday: 'short' })
/** `Nov 28`. */
export const shortDate = (date: string): string => formatted(date, { month: 'short', day: 'numeric' })
