/** Runs and starts to come by days or hours. An addition: docs/http-api.md "Calendar". */
import { array, count, integer, object, optional, orNull, text } from '../../../schema/schema.ts'
import { VIEW_PART } from '../needs.ts'
import { described, type Operation, ok, oneOf, operation } from '../operation.ts'

const some = optional(count)
const counts = {
  not_started: some,
  running: some,
  failed: some,
  canceled: some,
  succeeded: some,
  queued: some,
  partially_succeeded: some
}

const Cell = object(
  {
    date: text,
    hour: optional(count),
    fromMs: count,
    toMs: count,
    runs: object(counts),
    planned: count
  },
  'A day, or the hour of one, that has runs or starts to come. `runs`: how many have which status, by when they were created; statuses that none has are missing.'
)

const PlannedStart = object(
  { name: text, fileName: text, atMs: count, zone: text, expression: text },
  'A start that is due by schedule. `zone` is the one that the expression is written for.'
)

export const Calendar = object(
  {
    zone: text,
    by: { type: 'string', enum: ['day', 'hour'] },
    fromMs: count,
    toMs: count,
    cells: array(Cell),
    countedFromMs: orNull(count),
    plannedToMs: orNull(count),
    planned: array(PlannedStart)
  },
  'Oldest first. `fromMs` and `toMs` are the beginning of the first cell and the end of the last one. Cells before `countedFromMs`, and starts from `plannedToMs` on, were not counted; null: all were. `planned` has the first 50 starts to come.'
)

const RunGroup = object({ name: text, runs: object(counts), firstMs: count, lastMs: count })

const StartGroup = object({
  name: text,
  fileName: text,
  zone: text,
  expression: text,
  count,
  firstMs: count,
  lastMs: count
})

export const CalendarPeriod = object(
  {
    fromMs: count,
    toMs: count,
    runs: array(RunGroup),
    countedFromMs: orNull(count),
    starts: array(StartGroup),
    left: object({ runs: count, starts: count })
  },
  'The first ones first. `runs`: those of each DAG that were created in the period, by status; those before `countedFromMs` were not looked at, null: all were. `starts`: those to come by each expression of a definition; an instant that two expressions of a definition name is counted with both. `left`: how many more members `runs` and `starts` would have had.'
)

export const calendarOperations = {
  getCalendarPeriod: operation(
    'GET',
    '/calendar/period',
    VIEW_PART,
    'Runs',
    'Runs and starts to come of a period, by what repeats',
    {
      query: {
        name: described(text, 'Exact DAG name. Default: all.'),
        fromDate: described(integer, 'Unix seconds. Default: now.'),
        toDate: described(
          integer,
          'Unix seconds, exclusive. Default: one day after now. At most 15 days after `fromDate`.'
        )
      },
      answers: ok('At most 200 members of each kind.', CalendarPeriod)
    }
  ),
  getCalendar: operation('GET', '/calendar', VIEW_PART, 'Runs', 'Runs and starts to come, by days or hours', {
    query: {
      by: oneOf(described(text, '`day` (default) or `hour`.'), 'day', 'hour'),
      name: described(text, 'Exact DAG name. Default: all.'),
      fromDate: described(
        integer,
        'Unix seconds, taken back to the beginning of the day or hour. Default: 120 days before now; by hours 7 days.'
      ),
      toDate: described(
        integer,
        'Unix seconds, exclusive, taken on to the end of the day or hour. Default: 14 days after now; by hours one day. At most 400 days after `fromDate`, by hours 15.'
      ),
      zone: described(text, 'IANA name of the time zone that days and hours are those of. Default: that of the server.')
    },
    answers: ok('Only cells that have something.', Calendar)
  })
} as const satisfies Record<string, Operation>
