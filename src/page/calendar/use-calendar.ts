/**
 * The days of the last weeks and of the next two weeks. What has passed is asked for seldom, today and what is to come whenever a run
 * changes: that answer counts one day.
 */
import { useRef, useState } from 'preact/hooks'
import type { CalendarAnswer, CalendarCell } from '../answers.ts'
import type { Refusal } from '../api.ts'
import { now as timeNow } from '../clock.ts'
import { useFeed } from '../feed.ts'
import { usePolling } from '../polling.ts'
import { type Answered, useAnswer } from '../use-answer.ts'
import { offsetAt, useZone } from '../zone.ts'
import { addDays, dateAt, mondayOf } from './dates.ts'
import { together } from './outcome.ts'

/** Before this one. */
export const WEEKS = 13
const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const AHEAD_DAYS = 14
const OFTEN_MS = 5_000
const SELDOM_MS = 60_000

export interface CalendarDays {
  /** DAG name; undefined: of all. */
  name: string | undefined
  zone: string
  today: string
  /** The last date of which starts are counted. */
  until: string
  cells: ReadonlyMap<string, CalendarCell>
  /** Days before it have not been counted. */
  countedFrom: string | undefined
  plannedToMs: number | null
  isLoaded: boolean
  refusal: Refusal | undefined
  refresh: () => void
}

const textOf = (query: Record<string, string | number>): string =>
  `?${new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))}`
const pathFor = (query: Record<string, string | number>): string => `/calendar${textOf(query)}`
const seconds = (at: number) => Math.floor(at / 1_000)

/** What there is from one instant to another one, epoch ms. */
export const periodPath = (from: number, to: number, name: string | undefined): string =>
  `/calendar/period${textOf({ fromDate: seconds(from), toDate: seconds(to), ...(name === undefined ? {} : { name }) })}`

/** The answer of the period before, until the next one has come. @param key of what both are about */
function useSteady<T>({ value, refusal }: Answered<T>, key: string): T | undefined {
  const known = useRef<{ key: string; value: T } | undefined>(undefined)
  if (value !== undefined) known.current = { key, value }
  return refusal && refusal.status !== 0 ? undefined : known.current?.key === key ? known.current.value : undefined
}

/** @param name DAG name; undefined: of all */
export function useCalendar(name: string | undefined): CalendarDays {
  const zone = useZone()
  const [now, setNow] = useState(timeNow)
  const today = dateAt(now, offsetAt(now))
  const about = { zone, ...(name === undefined ? {} : { name }) }
  // By the day and the hour, so that the addresses of the answers stay the same for a while.
  const day = Math.floor(now / DAY_MS) * DAY_MS
  const hour = Math.floor(now / HOUR_MS) * HOUR_MS
  const until = dateAt(now + AHEAD_DAYS * DAY_MS, offsetAt(now))
  const first = Date.parse(`${addDays(mondayOf(today), -7 * WEEKS)}T00:00:00Z`) - DAY_MS
  const past = useAnswer<CalendarAnswer>(pathFor({ ...about, fromDate: seconds(first), toDate: seconds(day) }))
  const present = useAnswer<CalendarAnswer>(
    pathFor({ ...about, fromDate: seconds(hour), toDate: seconds(hour + AHEAD_DAYS * DAY_MS) })
  )
  const refreshPresent = present.refresh
  const [often] = useState(() => () => {
    setNow(timeNow())
    refreshPresent()
  })
  useFeed(often, undefined, OFTEN_MS)
  usePolling(SELDOM_MS, past.refresh)
  const key = JSON.stringify(about)
  const [before, after] = [useSteady(past, key), useSteady(present, key)]
  const cells = [...(before?.cells ?? []), ...(after?.cells ?? [])]
  const counted = before?.countedFromMs ?? null
  return {
    name,
    zone,
    today,
    until,
    cells: new Map(cells.map((cell) => [cell.date, cell])),
    countedFrom: counted === null ? undefined : dateAt(counted, offsetAt(counted)),
    plannedToMs: after?.plannedToMs ?? null,
    isLoaded: before !== undefined && after !== undefined,
    refusal: past.refusal ?? present.refusal,
    refresh: () => {
      past.refresh()
      present.refresh()
    }
  }
}

/** The hours of a week, by `date hour`. @param monday its first date */
export function useHours(name: string | undefined, monday: string) {
  const zone = useZone()
  const noon = Date.parse(`${monday}T12:00:00Z`)
  const begin = noon - DAY_MS / 2 - offsetAt(noon)
  // Clocks may change within the week.
  const [from, to] = [begin - 3 * HOUR_MS, begin + 7 * DAY_MS + 3 * HOUR_MS]
  const about = { by: 'hour', zone, ...(name === undefined ? {} : { name }) }
  const answer = useAnswer<CalendarAnswer>(pathFor({ ...about, fromDate: seconds(from), toDate: seconds(to) }))
  useFeed(answer.refresh, undefined, OFTEN_MS)
  const cells = new Map<string, CalendarCell>()
  for (const cell of answer.value?.cells ?? []) {
    if (mondayOf(cell.date) !== monday) continue
    const key = hourKey(cell.date, cell.hour ?? 0)
    const known = cells.get(key)
    cells.set(key, known ? together(known, cell) : cell)
  }
  return { ...answer, cells, days: Array.from({ length: 7 }, (_, number) => addDays(monday, number)) }
}

/** Begin and end of an hour of a day, epoch ms. @param cell absent: nothing is known of it */
export function hourPeriod(date: string, hour: number, cell: CalendarCell | undefined): [from: number, to: number] {
  if (cell) return [cell.fromMs, cell.toMs]
  const utc = Date.parse(`${date}T${String(hour).padStart(2, '0')}:00:00Z`)
  const from = utc - offsetAt(utc - offsetAt(utc))
  return [from, from + HOUR_MS]
}

export const hourKey = (date: string, hour: number): string => `${date} ${hour}`
