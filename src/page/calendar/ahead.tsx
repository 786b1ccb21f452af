/** The next starts by schedule, by what repeats: those of a day, or of two weeks for one definition. */
import type { CalendarPeriod } from '../answers.ts'
import { now as timeNow } from '../clock.ts'
import { Problem } from '../parts/problem.tsx'
import { usePolledAnswer } from '../polling.ts'
import { timeIn } from '../text.ts'
import { Left, StartList } from './start-list.tsx'
import { type CalendarDays, periodPath } from './use-calendar.ts'

const HOUR_MS = 3_600_000
const TWO_WEEKS_H = 14 * 24
const DAY_H = 24

export function Ahead({ days, isOfOne }: { days: CalendarDays; isOfOne: boolean }) {
  const { name, plannedToMs, zone } = days
  const now = timeNow()
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  const path = periodPath(hour, hour + (isOfOne ? TWO_WEEKS_H : DAY_H) * HOUR_MS, name)
  const { value, refusal, refresh } = usePolledAnswer<CalendarPeriod>(path)
  return (
    <section class="planned-starts" aria-label="Next starts">
      <h2>Next starts</h2>
      <Problem refusal={refusal} retry={refresh} />
      {value && value.starts.length === 0 && (
        <p class="soft">None by schedule in the next {isOfOne ? 'two weeks' : '24 hours'}.</p>
      )}
      {value && <StartList starts={value.starts} isOfOne={isOfOne} today={now} />}
      {value && <Left left={value.left.starts} what="schedules" />}
      {plannedToMs !== null && (
        <p class="soft">There are very many: days and hours count those before {timeIn(plannedToMs, zone)}.</p>
      )}
    </section>
  )
}
