/** The next starts, runs of the last weeks and starts of the next two by days, and the hours of a week. */
import { Awaited } from '../parts/awaited.tsx'
import { StatusMark } from '../parts/icon.tsx'
import { Problem } from '../parts/problem.tsx'
import { Ahead } from './ahead.tsx'
import { dateIn, mondayOf, shortDate } from './dates.ts'
import { useCalendar } from './use-calendar.ts'
import { Week } from './week.tsx'
import { Weeks } from './weeks.tsx'

/** @param name DAG name; undefined: of all definitions @param query that of the address */
export function Calendar({ name, query }: { name?: string; query: URLSearchParams }) {
  const days = useCalendar(name)
  const { zone, today, countedFrom, isLoaded, refusal, refresh } = days
  const week = mondayOf(dateIn(query.get('week')) ?? today)
  return (
    <div class="calendar">
      <Problem refusal={refusal} retry={refresh} />
      {!isLoaded && !refusal && <Awaited />}
      {isLoaded && (
        <>
          <p class="legend soft">
            <span>Days of {zone}.</span>
            <span class="s-succeeded">
              <StatusMark label="succeeded" size={13} /> All succeeded
            </span>
            <span class="s-failed">
              <StatusMark label="failed" size={13} /> Some failed
            </span>
            <span class="s-running">
              <StatusMark label="running" size={13} /> Running
            </span>
            <span class="s-canceled">
              <StatusMark label="canceled" size={13} /> Some canceled
            </span>
            <span>+2 planned</span>
          </p>
          {countedFrom !== undefined && (
            <p class="soft">Runs before {shortDate(countedFrom)} are too many to be counted here.</p>
          )}
          <div class="calendar-top">
            <Ahead days={days} isOfOne={name !== undefined} />
            <Weeks days={days} name={name} week={week} />
          </div>
          <Week name={name} monday={week} today={today} />
        </>
      )}
    </div>
  )
}
