/** Dates as texts such as `2026-11-28`, whatever zone they are of: weeks, which begin with Monday, and months of them. */

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

/** The first days of the months from one to another one, both included. @param from, to dates in them */
export function monthsOf(from: string, to: string): string[] {
  const months: string[] = []
  for (let month = `${from.slice(0, 8)}01`; month <= to; month = nextMonth(month)) months.push(month)
  return months
}
const nextMonth = (month: string) => `${addDays(month, 31).slice(0, 8)}01`

/** The month of so many months before. @param date in it @returns its first day */
export function monthsBefore(date: string, count: number): string {
  let month = `${date.slice(0, 8)}01`
  for (let number = 0; number < count; number++) month = `${addDays(month, -1).slice(0, 8)}01`
  return month
}

/** The weeks of a month, each with seven days; undefined: of another month. @param month its first day */
export function weeksOf(month: string): (string | undefined)[][] {
  const weeks: (string | undefined)[][] = []
  for (let monday = mondayOf(month); monday < nextMonth(month); monday = addDays(monday, 7))
    weeks.push(
      Array.from({ length: 7 }, (_, day) => addDays(monday, day)).map((date) =>
        date.slice(0, 7) === month.slice(0, 7) ? date : undefined
      )
    )
  return weeks
}

const formats = new Map<string, Intl.DateTimeFormat>()
function formatted(date: string, options: Intl.DateTimeFormatOptions): string {
  const key = JSON.stringify(options)
  const format = formats.get(key) ?? new Intl.DateTimeFormat(undefined, { ...options, timeZone: 'UTC' })
  formats.set(key, format)
  return format.format(ms(date))
}
/** `November 2026`. */
export const monthText = (month: string): string => formatted(month, { month: 'long', year: 'numeric' })
/** `Saturday, November 28`. */
export const dayText = (date: string): string => formatted(date, { weekday: 'long', month: 'long', day: 'numeric' })
/** `Sat`. */
export const weekdayText = (date: string): string => formatted(date, { weekday: 'short' })
/** `Nov 28`. */
export const shortDate = (date: string): string => formatted(date, { month: 'short', day: 'numeric' })
