/** The next starts by schedule, each in the zone that is shown and in that of its expression. */
import { useState } from 'preact/hooks'
import { useNow } from '../parts/now.ts'
import { Time } from '../parts/time.tsx'
import { linkTo } from '../route.ts'
import { useCronWords } from '../schedule/cron-words.ts'
import { meaningText } from '../schedule/meaning.ts'
import { minuteText, roughLengthText, timeIn } from '../text.ts'
import type { CalendarDays } from './use-calendar.ts'

const FEW = 8

export function Ahead({ days, isOfOne }: { days: CalendarDays; isOfOne: boolean }) {
  const { planned, plannedToMs, zone: shown } = days
  const [isWhole, setWhole] = useState(false)
  const meaningOf = useCronWords()
  const now = useNow(false)
  return (
    <section class="planned-starts" aria-label="Next starts">
      <h2>Next starts</h2>
      {planned.length === 0 ? (
        <p class="soft">None by schedule in the next two weeks.</p>
      ) : (
        <ol>
          {planned.slice(0, isWhole ? planned.length : FEW).map(({ name, fileName, atMs, zone, expression }) => (
            <li key={`${fileName} ${atMs}`} title={`${meaningText(expression, meaningOf(expression))}\n${expression}`}>
              {!isOfOne && <a href={linkTo(['definitions', fileName])}>{name}</a>}
              <span>
                <Time at={atMs} today={now} />
                {zone !== shown && (
                  <span class="soft">
                    {' '}
                    ({minuteText(atMs, zone)} {zone})
                  </span>
                )}
                <span class="soft">, in {roughLengthText(Math.max(0, atMs - now))}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
      {planned.length > FEW && !isWhole && (
        <button type="button" class="button small" onClick={() => setWhole(true)}>
          Show {planned.length - FEW} more
        </button>
      )}
      {plannedToMs !== null && (
        <p class="soft">There are very many: those from {timeIn(plannedToMs, shown)} on are not counted.</p>
      )}
    </section>
  )
}
