/** The hours of a week: a column for each day. A press on an hour shows what runs in it, one that is drawn over several, what in all of them. */
import { useRef } from 'preact/hooks'
import { Problem } from '../parts/problem.tsx'
import { changeQuery, queryLink, readRoute } from '../route.ts'
import { CellContent, lookOf } from './cell.tsx'
import { useCellKeys } from './cell-keys.ts'
import { addDays, dayText, shortDate, weekdayText } from './dates.ts'
import { Period, periodIn, periodText } from './period.tsx'
import { hourKey, hourPeriod, useHours } from './use-calendar.ts'

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
  const period = periodIn(readRoute(location.hash).query.get('hours'))
  const ofCell = (cell = '') => {
    const [date = '', hour = ''] = cell.split('T')
    return hourPeriod(date, Number(hour), cells.get(hourKey(date, Number(hour))))
  }
  const pressed = useRef<string | undefined>(undefined)
  const drawn = {
    onDragStart: (event: Event) => event.preventDefault(),
    onPointerDown(event: PointerEvent) {
      pressed.current = cellAt(event)
    },
    onPointerUp(event: PointerEvent) {
      const [from, to] = [pressed.current, cellAt(event)]
      if (from === undefined || to === undefined || from === to) return
      const [one, other] = [ofCell(from), ofCell(to)]
      changeQuery({ hours: periodText(Math.min(one[0], other[0]), Math.max(one[1], other[1])) })
    }
  }
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
          {...drawn}
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
                  const [from, to] = hourPeriod(date, hour, cell)
                  return (
                    <td
                      key={date}
                      // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a cell of a grid
                      role="gridcell"
                      tabIndex={at(date, hour) === first ? 0 : -1}
                      data-cell={at(date, hour)}
                      aria-selected={period !== undefined && from < period.to && to > period.from}
                      class={`hour-cell ${lookOf(cell, true)}`}
                    >
                      <CellContent
                        cell={cell}
                        isCounted
                        when={`${dayText(date)}, ${hourText(hour)}`}
                        link={queryLink({ hours: periodText(from, to) })}
                      />
                    </td>
                  )
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {period && <Period name={name} from={period.from} to={period.to} />}
    </section>
  )
}

const cellAt = ({ target }: Event): string | undefined =>
  target instanceof Element ? target.closest<HTMLElement>('[data-cell]')?.dataset.cell : undefined
