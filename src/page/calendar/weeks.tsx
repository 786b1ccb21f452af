/** Days, a row for each week. A press on a day leads to its runs, one on a week to its hours. */
import { useState } from 'preact/hooks'
import { changeQuery } from '../route.ts'
import { CellContent, lookOf, runsLink } from './cell.tsx'
import { useCellKeys } from './cell-keys.ts'
import { addDays, dayText, mondayOf, mondaysOf, shortDate, weekdayOf, weekdayText } from './dates.ts'
import { type CalendarDays, WEEKS } from './use-calendar.ts'

/** Weeks before this one that are shown at first. */
const FEW = 5
/** In days. */
const STEPS: Partial<Record<string, number>> = {
  ArrowLeft: -1,
  ArrowRight: 1,
  ArrowUp: -7,
  ArrowDown: 7,
  PageUp: -28,
  PageDown: 28
}
const WEEKDAYS = [0, 1, 2, 3, 4, 5, 6]

interface Props {
  days: CalendarDays
  name: string | undefined
  /** The week whose hours are shown: its Monday. */
  week: string
}

export function Weeks({ days, name, week }: Props) {
  const { today, until } = days
  const [count, setCount] = useState(FEW)
  const { chosen, ...keys } = useCellKeys(today, (date, key) => {
    if (key === 'Home') return mondayOf(date)
    if (key === 'End') return addDays(date, 6 - weekdayOf(date))
    const step = STEPS[key]
    return step === undefined ? undefined : addDays(date, step)
  })
  const first = addDays(mondayOf(today), -7 * count)
  return (
    <section aria-label="Days">
      <div class="list-head">
        <h2>Days</h2>
        {count < WEEKS && (
          <button type="button" class="button small" onClick={() => setCount(WEEKS)}>
            Earlier weeks
          </button>
        )}
      </div>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows and columns that keys move in are a grid
        role="grid"
        class="weeks"
        aria-label={`Days from ${shortDate(first)}`}
        {...keys}
      >
        <thead>
          <tr>
            <th scope="col">
              <span class="unseen">Week</span>
            </th>
            {WEEKDAYS.map((day) => (
              <th key={day} scope="col">
                {weekdayText(addDays(first, day))}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {mondaysOf(first, until).map((monday) => (
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
                  {shortDate(monday)}
                </button>
              </th>
              {WEEKDAYS.map((day) => {
                const date = addDays(monday, day)
                return <Day key={date} date={date} days={days} name={name} isChosen={date === chosen} />
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
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
