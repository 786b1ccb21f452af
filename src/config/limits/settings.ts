/** Settings that limit callers, executors and steps. Data. Source: docs/operating/limits.md. */
import { row } from '../row.ts'
import { map } from '../types.ts'

export const LIMITS = {
  'limits.callers': row(
    map,
    {},
    { help: 'how much callers of the API may ask for: requests, burst, starts, runs, streams, by who' }
  ),
  'executors.http.egress': row(map, {}, { help: 'where http steps may connect to: private (true or false), allow, deny' })
}
