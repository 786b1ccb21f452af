/**
 * A schedule that is the same every day, in a zone whose clocks never change, as most schedules of servers and of tests are. Its times are
 * counted: the package would keep 80 kB for the expression, and ask six times which date it is in the zone.
 */
import { type CronRule, numbersOf } from './schedule.ts'

const NEVER_CHANGES: ReadonlySet<string> = new Set(['UTC', 'Etc/UTC'])
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
/** The first instant after another one (epoch ms). */
export type DailyTimes = (after: number) => number

// D1345: schedules that are the same every day in UTC are counted
/** @param zone IANA name, for a rule that has none @returns undefined: it is another kind of schedule */
export function dailyTimes({ pattern, timezone }: CronRule, zone: string): DailyTimes | undefined {
  const [inHour = '', inDay = '', ...dates] = pattern.split(' ')
  if (!NEVER_CHANGES.has(timezone ?? zone) || dates.some((field) => field !== '*')) return undefined
  const minutes = numbersOf(inHour, 0, 59).map((minute) => minute * MINUTE_MS)
  const hours = numbersOf(inDay, 0, 23).map((hour) => hour * HOUR_MS)
  const [minute = 0] = minutes
  const [hour = 0] = hours
  const latest = minutes.at(-1) ?? 0
  return (after) => {
    const time = ((after % DAY_MS) + DAY_MS) % DAY_MS // before 1970, too
    const inTime = hours.find((hour) => hour + latest > time)
    if (inTime === undefined) return after - time + DAY_MS + hour + minute
    return after - time + inTime + (minutes.find((minute) => inTime + minute > time) ?? latest)
  }
}
