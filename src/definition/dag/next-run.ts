/**
 * Next times of a schedule. A local time that a clock change skips does not fire; one that it repeats fires at its
 * first occurrence when the hours are fixed, at both when they are `*`. Source: execution-semantics 11.1-11.5, 11.18.
 */
import { Cron } from 'croner'
import { type DailyTimes, dailyTimes } from './daily-times.ts'
import { type CronRule, cronRule, numbersOf } from './schedule.ts'

/**
 * The first instant after `after` (epoch ms) at which one of the expressions fires; undefined: never.
 * @param zone IANA zone of expressions that name none
 */
export function nextRun(expressions: readonly string[], after: number, zone: string): number | undefined {
  const next = expressions.flatMap((expression) => nextOf(expression, after, zone) ?? [])
  return next.length === 0 ? undefined : next.reduce((first, at) => Math.min(first, at))
}

/**
 * The latest `most` instants (epoch ms) after `after` and before `before` at which one of the expressions fires, oldest first.
 * The time it takes does not grow with the distance between the two.
 */
export function latestRuns(
  expressions: readonly string[],
  { after, before, most }: { after: number; before: number; most: number },
  zone: string
): number[] {
  for (let span = FIRST_SPAN_MS; ; span *= 4) {
    const from = Math.max(after, before - span)
    const found: number[] = []
    for (
      let at = nextRun(expressions, from, zone);
      at !== undefined && at < before;
      at = nextRun(expressions, at, zone)
    )
      found.push(at)
    if (found.length >= most || from === after) return found.slice(-most)
  }
}
const FIRST_SPAN_MS = 3_600_000

/**
 * Like `nextRun`, with a cache: a list of 1,000 definitions asks the same repeatedly.
 * @param zone called with the first expression, because it is slow
 * @returns a function of instants (epoch ms) in any order
 */
export function nextRunsIn(zone: () => string): (expressions: readonly string[], after: number) => number | undefined {
  /** Valid for every instant from `from` until it fires. */
  const found = new Map<string, { from: number; next: number | undefined }>()
  return (expressions, after) => {
    if (expressions.length === 0) return undefined
    const key = expressions.join('\n')
    const known = found.get(key)
    if (known && after >= known.from && (known.next === undefined || after < known.next)) return known.next
    const next = nextRun(expressions, after, zone())
    found.delete(key)
    found.set(key, { from: after, next })
    const [oldest] = found.keys()
    if (found.size > REMEMBERED && oldest !== undefined) found.delete(oldest)
    return next
  }
}
const REMEMBERED = 10_000

/** A start that is due. */
export interface NextStart {
  /** Epoch ms. */
  at: number
  /** IANA zone that the expression is for. */
  zone: string
  expression: string
}

/** The next starts by several expressions, each instant once. @param giveWay awaited between two of them */
export async function nextRunsOf(
  expressions: readonly string[],
  after: number,
  zone: string,
  most: number,
  giveWay: () => Promise<void> | undefined
): Promise<NextStart[]> {
  const next = (expression: string, from: number): NextStart | undefined => {
    const at = nextOf(expression, from, zone)
    return at === undefined ? undefined : { at, zone: readingOf(expression, zone)?.timezone ?? zone, expression }
  }
  let due = expressions.flatMap((expression) => next(expression, after) ?? [])
  const found: NextStart[] = []
  while (found.length < most && due.length > 0) {
    const first = due.reduce((one, other) => (other.at < one.at ? other : one))
    found.push(first)
    due = due.flatMap((one) => (one.at === first.at ? (next(one.expression, first.at) ?? []) : one))
    await giveWay()
  }
  return found
}

/** An expression that was parsed. */
interface Reading extends Required<CronRule> {
  daily: DailyTimes | undefined
}
/** Undefined: it never fires. */
const readings = recentOnes<Reading | undefined>(1_000)
/** The package keeps 80 kB for each: a list of ten thousand years. */
const crons = recentOnes<Cron>(100)

const readingOf = (expression: string, zone: string): Reading | undefined =>
  readings(`${zone}\n${expression}`, () => {
    const rule = cronRule(expression)
    if ('wrong' in rule || neverFires(rule.pattern)) return undefined
    return { timezone: zone, ...rule, daily: dailyTimes(rule, zone) }
  })

/** Keeps what was made for `most` keys: those that were asked for last. */
function recentOnes<T>(most: number): (key: string, make: () => T) => T {
  const kept = new Map<string, { made: T }>()
  return (key, make) => {
    const found = kept.get(key) ?? { made: make() }
    kept.delete(key)
    kept.set(key, found)
    const [oldest] = kept.keys()
    if (kept.size > most && oldest !== undefined) kept.delete(oldest)
    return found.made
  }
}

/** Days of the longest February, and so on. */
const LONGEST_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether none of the months has any of the days: the package would search ten thousand years for it. */
function neverFires(pattern: string): boolean {
  const [, , days = '', months = '', weekdays] = pattern.split(' ')
  if (weekdays !== '*' || days.startsWith('*')) return false // of two kinds of days one is enough
  const longest = numbersOf(months, 1, 12).reduce((most, month) => Math.max(most, LONGEST_MONTHS[month - 1] ?? 0), 0)
  return days.split(',').every((item) => Number.parseInt(item, 10) > longest)
}

function nextOf(expression: string, after: number, zone: string): number | undefined {
  const found = readingOf(expression, zone)
  if (!found) return undefined
  const { pattern, timezone, daily } = found
  if (daily) return daily(after)
  const everyHour = pattern.split(' ')[1]?.startsWith('*') ?? false
  const cron = crons(`${timezone}\n${pattern}`, () => new Cron(pattern, { paused: true, mode: '5-part', timezone }))
  // For a time in the gap the package returns an instant after it, and it repeats fixed hours.
  for (let date = cron.nextRun(new Date(after)); date; date = cron.nextRun(date))
    if (cron.match(date) && (everyHour || !isRepeated(date.getTime(), timezone))) return date.getTime()
  return undefined
}

/** No clock change takes longer, and none follows another within this time. */
const AROUND_CHANGE_MS = 3 * 3_600_000

/** Whether a clock has shown this local time once before. */
function isRepeated(at: number, zone: string): boolean {
  const now = offsetAt(at, zone)
  const before = offsetAt(at - AROUND_CHANGE_MS, zone)
  return before > now && offsetAt(at - (before - now), zone) === before
}

const zones = new Map<string, Intl.DateTimeFormat>()

/** Offset of a zone's clocks from UTC, ms. */
function offsetAt(at: number, zone: string): number {
  const format =
    zones.get(zone) ?? new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' })
  zones.set(zone, format)
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
  return (Number(hours) * 60 + Number(minutes)) * 60_000 * (sign === '-' ? -1 : 1)
}
