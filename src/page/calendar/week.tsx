/** The hours of a week: a column for each day. A press on an hour leads to its runs. */
import { Problem } from '../parts/problem.tsx'
import { changeQuery } from '../route.ts'
import { CellContent, lookOf, runsLink } from './cell.tsx'
import { useCellKeys } from './cell-keys.ts'
import { addDays, dayText, shortDate, weekdayText } from './dates.ts'
import { hourKey, useHours } from './use-calendar.ts'

const HOURS = Array.from({ length: 24 }, (_, hour) => hour)
const hourText = (hour: number) => `${String(hour).padStart(2, '0')}:00`

interface Props {
  name: string | undefined
  /** Monday of the week. */
  monday: string
  today: string
}

export function Week({ name, monday, today }: Props) {
  const { cells, days, refusal, refresh, value } = useHours(name, monday)
  const at = (day: string, hour: number) => `${day}T${hour}`
  const { chosen, ...keys } = useCellKeys(at(days.includes(today) ? today : monday, 0), (cell, key) => {
    const [day = '', hour = '0'] = cell.split('T')
    const [column, row] = [days.indexOf(day), Number(hour)]
    const to: Partial<Record<string, [number, number]>> = {
      ArrowLeft: [column - 1, row],
      ArrowRight: [column + 1, row],
      ArrowUp: [column, row - 1],
      ArrowDown: [column, row + 1],
      Home: [column, 0],
      End: [column, 23]
    }
    const [toColumn, toRow] = to[key] ?? []
    const date = days[toColumn ?? -1]
    return date === undefined || toRow === undefined || toRow < 0 || toRow > 23 ? undefined : at(date, toRow)
  })
  const show = (next: string) => changeQuery({ week: next })
  const isThis = days.includes(today)
  // The first cell is that of a week that is shown no more.
  const first = days.some((day) => chosen.startsWith(day)) ? chosen : at(monday, 0)
  return (
    <section class="week" aria-label="Hours of a week">
      <div class="list-head">
        <h2>
          Week of {shortDate(monday)} to {shortDate(addDays(monday, 6))}
        </h2>
        <div class="buttons">
          <button type="button" class="button small" onClick={() => show(addDays(monday, -7))}>
            Previous week
          </button>
          <button type="button" class="button small" onClick={() => show(addDays(monday, 7))}>
            Next week
          </button>
          {!isThis && (
            <button type="button" class="button small" onClick={() => show('')}>
              This week
            </button>
          )}
        </div>
      </div>
      <Problem refusal={refusal} retry={refresh} />
      <div class="hours-box">
        <table
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows and columns that keys move in are a grid
          role="grid"
          class="week-hours"
          aria-label={`Hours of the week of ${shortDate(monday)}`}
          aria-busy={value === undefined}
          {...keys}
        >
          <thead>
            <tr>
              <th scope="col">
                <span class="unseen">Hour</span>
              </th>
              {days.map((date) => (
                <th key={date} scope="col" class={date === today ? 'today' : undefined}>
                  {weekdayText(date)} <span>{Number(date.slice(8))}</span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {HOURS.map((hour) => (
              <tr key={hour}>
                <th scope="row">{hourText(hour)}</th>
                {days.map((date) => {
                  const cell = cells.get(hourKey(date, hour))
                  return (
                    <td
                      key={date}
                      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
                      role="gridcell"
                      tabIndex={at(date, hour) === first ? 0 : -1}
                      data-cell={at(date, hour)}
                      class={`hour-cell ${lookOf(cell, true)}`}
                    >
                      <CellContent
                        cell={cell}
                        isCounted
                        when={`${dayText(date)}, ${hourText(hour)}`}
                        link={runsLink(cell, name)}
                      />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  )
}
