/** The calendar of all definitions. */
import { useEffect } from 'preact/hooks'
import { setTitle } from '../title.ts'
import { Calendar } from './calendar.tsx'

export function CalendarView({ query }: { query: URLSearchParams }) {
  useEffect(() => {
    setTitle('Calendar')
  }, [])
  return (
    <>
      <h1>Calendar</h1>
      <Calendar query={query} />
    </>
  )
}
