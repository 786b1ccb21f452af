/** Shapes of definitions, made by `../shapes/dag-shapes.ts`. Source: http-api "DAG details", "Pagination", api-semantics 2, 3.2, 3.3. */
import { array, count, flag, integer, object, optional, orNull, text } from '../../schema/schema.ts'
import { described } from './operation.ts'
import { Condition, Permissions, RunDetails, RunSummary, RunWaitingFor, Step, Time } from './run-shapes.ts'
import { RunStatusLabel, RunStatusNumber } from './statuses.ts'

const summaryMembers = {
  name: text,
  group: text,
  description: text,
  schedule: array(object({ expression: text })),
  params: array(text),
  defaultParams: text,
  tags: array(text),
  queue: text,
  maxActiveRuns: integer,
  nextRun: Time
}

export const DagSummary = object(summaryMembers, 'A definition in a list. `params` are names.')

export const DagDetails = object(
  {
    ...summaryMembers,
    env: array(text),
    logDir: text,
    handlerOn: object({
      success: optional(Step),
      failure: optional(Step),
      cancel: optional(Step),
      exit: optional(Step)
    }),
    steps: array(Step),
    delay: count,
    histRetentionDays: integer,
    preconditions: array(Condition),
    maxActiveSteps: integer,
    runConfig: object({ disableParamEdit: flag, disableRunIdEdit: flag })
  },
  'A definition.'
)

const OutlineStep = object({
  name: text,
  does: described(text, 'Its command and script; of a call, the sub workflow.'),
  executor: text,
  depends: array(text),
  preconditions: array(text),
  calls: optional(
    object({
      name: text,
      local: described(flag, 'It is in the same file.'),
      params: text,
      items: optional({ anyOf: [count, text], description: 'Their number, or the text that has them.' })
    })
  )
})

export const Outline = object(
  {
    name: text,
    params: text,
    preconditions: array(text),
    levels: array(array(OutlineStep)),
    handlers: array(OutlineStep),
    maxActiveSteps: described(count, '0: no limit.'),
    restartWaitSec: count
  },
  'What a run does, with texts as written. Steps of one level may run at the same time; each waits for a step of the level before.'
)

export const LocalDag = object({ name: text, dag: DagDetails, errors: array(text) })

export const Pagination = object({
  totalRecords: count,
  currentPage: integer,
  totalPages: integer,
  nextPage: orNull(integer),
  prevPage: orNull(integer)
})

const Week = object({ runs: count, p50Ms: count })
export const Trend = object(
  { thisWeek: Week, lastWeek: Week, percent: integer },
  'Half of the successful runs of the last seven days, and of the seven before, took at most `p50Ms`. `runs`: how many were looked at, the newest 25 of a week. `percent`: by how much that of this week is longer; 0 if it is less than a second. Missing where one of the weeks has fewer than 5.'
)

/** In a row of a list. */
export const MOST_LATEST_RUNS = 20

export const LatestRun = object({
  dagRunId: text,
  status: RunStatusNumber,
  statusLabel: RunStatusLabel,
  waitingFor: optional(RunWaitingFor),
  createdAtMs: count,
  ms: optional(count)
})

export const DagListItem = object({
  fileName: text,
  dag: DagSummary,
  latestDAGRun: RunSummary,
  suspended: flag,
  errors: array(text),
  permissions: optional(Permissions),
  trend: optional(Trend),
  latestRuns: optional({
    ...array(LatestRun),
    description: 'As many as asked for, the newest first. `ms` is missing until it has ended.'
  })
})

export const DagAnswer = object({
  dag: DagDetails,
  localDags: array(LocalDag),
  latestDAGRun: RunDetails,
  suspended: flag,
  errors: array(text),
  trend: optional(Trend)
})

export const SearchMatch = object({ line: text, lineNumber: count, startLine: count })

export const SearchResult = object({ name: text, dag: DagSummary, matches: array(SearchMatch) })
