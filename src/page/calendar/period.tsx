/** What has begun, and what is to come, in hours that were chosen: by definition and schedule, however often it repeats. */
import { useEffect, useRef } from 'preact/hooks'
import type { CalendarPeriod } from '../answers.ts'
import { now as timeNow } from '../clock.ts'
import { AnswerState } from '../parts/answer-state.tsx'
import { StatusMark } from '../parts/icon.tsx'
import { usePolledAnswer } from '../polling.ts'
import { changeQuery, linkTo } from '../route.ts'
import { minuteText } from '../text.ts'
import { offsetAt } from '../zone.ts'
import { dateAt, dayText } from './dates.ts'
import { cellText, outcomeOf } from './outcome.ts'
import { Left, StartList } from './start-list.tsx'
import { periodPath } from './use-calendar.ts'

const HOUR_MS = 3_600_000
const LONGEST_MS = 24 * HOUR_MS

/** As the list of runs has it in its address: in seconds. @param from, to epoch ms */
export const periodText = (from: number, to: number): string => `${Math.floor(from / 1_000)}-${Math.ceil(to / 1_000)}`

/** Undefined: the text is no such period. */
export function periodIn(text: string | null): { from: number; to: number } | undefined {
  const [, from, to] = /^(\d{1,11})-(\d{1,11})$/.exec(text ?? '') ?? []
  return from === undefined || to === undefined ? undefined : { from: Number(from) * 1_000, to: Number(to) * 1_000 }
}

interface Props {
  /** DAG name; undefined: of all. */
  name: string | undefined
  /** Epoch ms. */
  from: number
  to: number
}

export function Period({ name, from, to }: Props) {
  const now = timeNow()
  const answer = usePolledAnswer<CalendarPeriod>(periodPath(from, to, name))
  const head = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    // Only for who has chosen it here, not for who opens the address.
    if (!document.activeElement?.closest('.week')) return
    head.current?.focus({ preventScroll: true })
    head.current?.scrollIntoView({ block: 'nearest' })
  }, [from, to])
  const { value } = answer
  const period = periodText(from, to)
  return (
    <section class="period planned-starts" aria-label="Chosen hours">
      <h2 ref={head} tabIndex={-1}>
        {dayText(dateAt(from, offsetAt(from)))}, {minuteText(from)} to {minuteText(to)}
      </h2>
      <div class="buttons">
        {to - from < LONGEST_MS && (
          <button
            type="button"
            class="button small"
            onClick={() => changeQuery({ hours: periodText(from, to + HOUR_MS) })}
          >
            Until {minuteText(to + HOUR_MS)}
          </button>
        )}
        <button type="button" class="button small" onClick={() => changeQuery({ hours: undefined })}>
          Close
        </button>
      </div>
      {!value && <AnswerState {...answer} />}
      {value && from <= now && (
        <>
          <h3>Runs</h3>
          {value.runs.length === 0 ? (
            <p class="soft">None.</p>
          ) : (
            <ol>
              {value.runs.map(({ name: of, runs, firstMs, lastMs }) => (
                <li key={of}>
                  <StatusMark label={outcomeOf({ runs, planned: 0 }) ?? 'unknown'} />
                  <a href={linkTo(['runs'], { name: of, period })}>{of}</a>
                  <span>
                    {minuteText(firstMs)}
                    {lastMs > firstMs && ` to ${minuteText(lastMs)}`}
                  </span>
                  <span class="soft">{cellText({ runs, planned: 0 })}</span>
                </li>
              ))}
            </ol>
          )}
          <Left left={value.left.runs} what="definitions" />
          {value.countedFromMs !== null && (
            <p class="soft">Those before {minuteText(value.countedFromMs)} are too many to be counted here.</p>
          )}
          {value.runs.length > 0 && (
            <p>
              <a href={linkTo(['runs'], { name, period })}>All runs of these hours</a>
            </p>
          )}
        </>
      )}
      {value && to > now && (
        <>
          <h3>Starts to come</h3>
          {value.starts.length === 0 && <p class="soft">None by schedule.</p>}
          <StartList starts={value.starts} isOfOne={name !== undefined} today={Math.max(from, now)} />
          <Left left={value.left.starts} what="schedules" />
        </>
      )}
    </section>
  )
}
