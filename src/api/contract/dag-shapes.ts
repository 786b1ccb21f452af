/** Shapes of definitions; made by `../shapes/dag-shapes.ts` and `../input/pages.ts`. Source: http-api "DAG details", "Pagination", api-semantics 2, 3.2, 3.3. */
import { array, count, flag, integer, object, optional, orNull, text } from '../../schema/schema.ts'
import { described } from './operation.ts'
import { Condition, Permissions, RunDetails, RunSummary, Step, Time } from './run-shapes.ts'

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

export const DagListItem = object({
  fileName: text,
  dag: DagSummary,
  latestDAGRun: RunSummary,
  suspended: flag,
  errors: array(text),
  permissions: optional(Permissions)
})

export const DagAnswer = object({
  dag: DagDetails,
  localDags: array(LocalDag),
  latestDAGRun: RunDetails,
  suspended: flag,
  errors: array(text)
})

export const SearchMatch = object({ line: text, lineNumber: count, startLine: count })

export const SearchResult = object({ name: text, dag: DagSummary, matches: array(SearchMatch) })
