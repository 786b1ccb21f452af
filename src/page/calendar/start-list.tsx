/** Starts to come by schedule, each expression of a definition once: when, or how many from when until when. */
import type { CalendarPeriod } from '../answers.ts'
import { Time } from '../parts/time.tsx'
import { linkTo } from '../route.ts'
import { useCronWords } from '../schedule/cron-words.ts'
import { meaningText } from '../schedule/meaning.ts'
import { minuteText } from '../text.ts'
import { useZone } from '../zone.ts'

interface Props {
  starts: CalendarPeriod['starts']
  /** Whether definitions are named. */
  isOfOne: boolean
  /** Epoch ms: of this day, only the time is shown. */
  today: number
}

export function StartList({ starts, isOfOne, today }: Props) {
  const shown = useZone()
  const meaningOf = useCronWords()
  return (
    <ol>
      {starts.map(({ name, fileName, zone, expression, count, firstMs, lastMs }) => {
        const meaning = meaningOf(expression)
        return (
          <li key={`${fileName} ${expression}`} title={`${meaningText(expression, meaning)}\n${expression}`}>
            {!isOfOne && <a href={linkTo(['definitions', fileName])}>{name}</a>}
            <span>
              <Time at={firstMs} today={today} />
              {count > 1 && (
                <>
                  {' '}
                  to <Time at={lastMs} today={today} />
                </>
              )}
              {zone !== shown && (
                <span class="soft">
                  {' '}
                  ({minuteText(firstMs, zone)} {zone})
                </span>
              )}
            </span>
            {count > 1 && (
              <span class="soft">
                {meaning.words ?? expression} ({count})
              </span>
            )}
          </li>
        )
      })}
    </ol>
  )
}

/** @param left how many are not listed */
export const Left = ({ left, what }: { left: number; what: string }) =>
  left > 0 ? (
    <p class="soft">
      And {left} more {what}.
    </p>
  ) : null
