/** Months beside each other, a row for each week. A press on a day leads to its runs, one on a week to its hours. */
import { changeQuery } from '../route.ts'
import { CellContent, lookOf, runsLink } from './cell.tsx'
import { useCellKeys } from './cell-keys.ts'
import {
  addDays,
  dayText,
  mondayOf,
  monthsBefore,
  monthsOf,
  monthText,
  shortDate,
  weekdayOf,
  weekdayText,
  weeksOf
} from './dates.ts'
import { type CalendarDays, MONTHS } from './use-calendar.ts'

/** In days. */
const STEPS: Partial<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
  PageUp: -28,
  PageDown: 28
}
const MONDAY = '2024-01-01'

interface Props {
  days: CalendarDays
  name: string | undefined
  /** The week whose hours are shown: its Monday. */
  week: string
}

export function Months({ days, name, week }: Props) {
  const { today, until } = days
  const months = monthsOf(monthsBefore(until, MONTHS), until)
  // Below each other, that of today must not be the last.
  const isNarrow = matchMedia('(max-width: 700px)').matches
  const { chosen, ...keys } = useCellKeys(today, (date, key) => {
    if (key === 'Home') return mondayOf(date)
    if (key === 'End') return addDays(date, 6 - weekdayOf(date))
    const step = STEPS[key]
    return step === undefined ? undefined : addDays(date, step)
  })
  return (
    <div class="months" {...keys}>
      {(isNarrow ? months.reverse() : months).map((month) => (
        <Month key={month} month={month} days={days} name={name} week={week} chosen={chosen} />
      ))}
    </div>
  )
}

function Month({ month, days, name, week, chosen }: Props & { month: string; chosen: string }) {
  return (
    <table
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows and columns that keys move in are a grid
      role="grid"
      class="month"
      aria-label={monthText(month)}
    >
      <caption aria-hidden="true">{monthText(month)}</caption>
      <thead>
        <tr>
          <th scope="col">
            <span class="unseen">Week</span>
          </th>
          {Array.from({ length: 7 }, (_, day) => addDays(MONDAY, day)).map((date) => (
            <th key={date} scope="col">
              {weekdayText(date).slice(0, 2)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {weeksOf(month).map((dates) => {
          const monday = mondayOf(dates.find((date) => date !== undefined) ?? month)
          return (
            <tr key={monday}>
              <th scope="row">
                <button
                  type="button"
                  class="plain week-button"
                  aria-pressed={monday === week}
                  aria-label={`Hours of the week of ${shortDate(monday)}`}
                  title={`Hours of the week of ${shortDate(monday)}`}
                  onClick={() => changeQuery({ week: monday })}
                >
                  ›
                </button>
              </th>
              {dates.map((date, day) =>
                date === undefined ? (
                  <td key={day} class="none" />
                ) : (
                  <Day key={date} date={date} days={days} name={name} isChosen={date === chosen} />
                )
              )}
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}

interface DayProps {
  date: string
  days: CalendarDays
  name: string | undefined
  isChosen: boolean
}

function Day({ date, days: { today, until, cells, countedFrom }, name, isChosen }: DayProps) {
  const cell = cells.get(date)
  const isCounted = countedFrom === undefined || date >= countedFrom
  const link = runsLink(cell, name)
  const isAhead = date > today
  return (
    <td
      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
      role="gridcell"
      tabIndex={isChosen ? 0 : -1}
      data-cell={date}
      class={`day-cell ${lookOf(cell, isCounted)} ${isAhead ? 'ahead' : ''} ${date > until ? 'beyond' : ''}`}
      aria-current={date === today ? 'date' : undefined}
    >
      <span class="day-number" aria-hidden="true">
        {Number(date.slice(8))}
      </span>
      <CellContent cell={cell} isCounted={isCounted} when={dayText(date)} link={link} />
    </td>
  )
}
