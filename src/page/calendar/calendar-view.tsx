/** The calendar of all definitions. */
import { useEffect } from 'preact/hooks'
import { Calendar } from './calendar.tsx'

export function CalendarView({ query }: { query: URLSearchParams }) {
  useEffect(() => {
    document.title = 'Calendar – Troupe'
  }, [])
  return (
    <>
      <h1>Calendar</h1>
      <Calendar query={query} />
    </>
  )
}
