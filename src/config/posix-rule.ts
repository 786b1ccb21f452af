/** Time zones as POSIX writes them, such as `CET-1CEST,M3.5.0,M10.5.0/3`: offsets from UTC, dates of change. Source: tzset(3). */

/** The offsets of a rule from UTC, and when they change. */
export interface PosixRule {
  /** ms; positive east of Greenwich, unlike in the text of a rule. */
  standardMs: number
  /** Absent: it has no summer time. */
  summer?: { ms: number; start: ChangeDay; end: ChangeDay }
}

/** The local time of a change, in any year. */
interface ChangeDay {
  /** `Mm.w.d`, `Jn` or `n`. */
  day: string
  /** Time after midnight, ms; may be negative, or more than a day. */
  timeMs: number
}

/** An instant with a known offset from UTC. */
export interface KnownOffset {
  /** Epoch ms. */
  at: number
  offsetMs: number
}

const NAME = '(?:[A-Za-z]{3,}|<[A-Za-z0-9+-]{3,}>)'
const OFFSET = '[+-]?\\d{1,2}(?::\\d{2}){0,2}'
const DAY = 'M\\d{1,2}\\.[1-5]\\.[0-6]|J?\\d{1,3}'
const TIME = '[+-]?\\d{1,3}(?::\\d{2}){0,2}'
const RULE = new RegExp(
  `^${NAME}(${OFFSET})(?:${NAME}(${OFFSET})?(?:,(${DAY})(?:/(${TIME}))?,(${DAY})(?:/(${TIME}))?)?)?$`
)
const HAS_SUMMER = new RegExp(`^${NAME}${OFFSET}${NAME}`)

/** The default dates of the C library for a rule without dates: those of the United States. */
const USUAL_DAYS = { start: 'M3.2.0', end: 'M11.1.0' }
const USUAL_TIME = '2'
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Undefined: no such rule. */
export function posixRule(text: string): PosixRule | undefined {
  const [, offset, summerOffset, start, startTime, end, endTime] = RULE.exec(text) ?? []
  if (offset === undefined) return undefined
  const standardMs = 0 - timeOf(offset)
  if (!HAS_SUMMER.test(text)) return { standardMs }
  const change = (day: string, time = USUAL_TIME) => ({ day, timeMs: timeOf(time) })
  const summer = {
    ms: summerOffset === undefined ? standardMs + HOUR_MS : 0 - timeOf(summerOffset),
    start: change(start ?? USUAL_DAYS.start, startTime),
    end: change(end ?? USUAL_DAYS.end, endTime)
  }
  return { standardMs, summer }
}

/** `[+-]h[:m[:s]]`, ms. */
function timeOf(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number)
  const size = ((hours * 60 + minutes) * 60 + seconds) * 1_000
  return text.startsWith('-') ? -size : size
}

/** Samples that a zone must match to follow the rule in a year: both sides of each change, or one in each month. */
export function offsetsIn(year: number, { standardMs, summer }: PosixRule): KnownOffset[] {
  if (!summer)
    return Array.from({ length: 12 }, (_, month) => ({ at: Date.UTC(year, month, 15), offsetMs: standardMs }))
  const starts = changeIn(year, summer.start) - standardMs
  const ends = changeIn(year, summer.end) - summer.ms
  return [
    { at: starts - 1, offsetMs: standardMs },
    { at: starts, offsetMs: summer.ms },
    { at: ends - 1, offsetMs: summer.ms },
    { at: ends, offsetMs: standardMs }
  ]
}

/** Local time of the change, as if it were UTC. */
function changeIn(year: number, { day, timeMs }: ChangeDay): number {
  if (!day.startsWith('M')) return dayOfYear(year, day) + timeMs
  const [month = 1, week = 1, weekday = 0] = day.slice(1).split('.').map(Number)
  const first = new Date(Date.UTC(year, month - 1, 1)).getUTCDay()
  const inMonth = 1 + ((weekday - first + 7) % 7) + (week - 1) * 7
  const days = new Date(Date.UTC(year, month, 0)).getUTCDate()
  return Date.UTC(year, month - 1, inMonth > days ? inMonth - 7 : inMonth) + timeMs // week 5 means the last one
}

/** `n` counts from 0; `Jn` from 1, and never the 29th of February. */
function dayOfYear(year: number, day: string): number {
  const number = Number(day.replace('J', ''))
  if (!day.startsWith('J')) return Date.UTC(year, 0, 1) + number * DAY_MS
  const isLeap = new Date(Date.UTC(year, 1, 29)).getUTCMonth() === 1
  return Date.UTC(year, 0, 1) + (number - 1 + (isLeap && number > 59 ? 1 : 0)) * DAY_MS
}
