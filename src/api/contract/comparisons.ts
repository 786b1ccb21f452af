/** What several runs tell together, and when a definition starts next: operations and shapes. Source: http-api "Definitions", "Runs". */
import { array, count, flag, object, optional, orNull, text } from '../../schema/schema.ts'
import { RunId } from './names.ts'
import { VIEW, VIEW_PART } from './needs.ts'
import { described, type Operation, ok, operation, ranged } from './operation.ts'
import { RunWaitingFor, Time } from './run-shapes.ts'
import { NodeStatusLabel, NodeStatusNumber, RunStatusLabel, RunStatusNumber } from './statuses.ts'

const measured = optional(count)
const durations = { count, failures: count, p50Ms: measured, p95Ms: measured, latestMs: measured }

const stepTime = object({ status: NodeStatusNumber, statusLabel: NodeStatusLabel, ms: optional(count) })
const pastStep = object({
  status: NodeStatusNumber,
  statusLabel: NodeStatusLabel,
  waitingFor: optional(RunWaitingFor),
  ms: optional(count)
})
const PastRun = object({
  dagRunId: text,
  status: RunStatusNumber,
  statusLabel: RunStatusLabel,
  waitingFor: optional(RunWaitingFor),
  createdAt: Time,
  createdAtMs: count,
  ms: optional(count),
  steps: array(orNull(pastStep))
})
export const Statistics = object(
  {
    runs: object(durations),
    steps: array(object({ name: text, ...durations })),
    history: optional({
      ...array(PastRun),
      description: 'With `history=true`: each run, newest first, and in the order of `steps` what it has of each.'
    })
  },
  '`runs` are the runs themselves. `count` is what ended by itself, neither skipped nor canceled; half of it took at most `p50Ms`, 95 of 100 at most `p95Ms`. Durations are missing where nothing has ended.'
)

export const NextRun = object(
  { at: Time, atMs: count, zone: text, expression: text },
  'A start that is due. `zone` is the one that the expression is written for; `at` is in the zone of the server.'
)

const ChangedText = object({ name: text, before: optional(text), after: optional(text) })
const ComparedEvent = object({ seq: count, at: Time, atMs: count, actor: text, event: text, from: text, to: text })

export const RunDiff = object(
  {
    params: array(ChangedText),
    env: object({ added: array(text), removed: array(text) }),
    definitionChanged: flag,
    definition: optional(text),
    steps: array(object({ name: text, before: optional(stepTime), after: optional(stepTime) })),
    event: optional(object({ before: optional(ComparedEvent), after: optional(ComparedEvent) })),
    outputs: array(ChangedText)
  },
  '`before` is the run given as `with`, `after` the run of the path. `params` and `outputs`: those that differ, cut after 1000 characters. `env`: names that only one definition has. `definition`: a unified diff, missing when nothing changed or too much. `event`: the first event of an actor that the same actor of the other run did not have at this place.'
)

export const comparisonOperations = {
  getStatistics: operation(
    'GET',
    '/dags/{fileName}/statistics',
    VIEW_PART,
    'Definitions',
    'Executions, failures and durations of the steps over the latest runs',
    {
      query: {
        runs: ranged('How many runs; default 50, also for less than 1; more than 200 counts as 200.', 1, 200),
        history: described(flag, 'Whether to include each of the runs with the status and duration of its steps.')
      },
      answers: ok('In the order of the steps.', Statistics)
    }
  ),
  listNextRuns: operation(
    'GET',
    '/dags/{fileName}/next-runs',
    VIEW,
    'Definitions',
    'When the start schedules of a definition fire next',
    {
      description: 'Also of a suspended definition: these would be its starts.',
      query: {
        limit: ranged('Default 5, also for less than 1; more than 100 counts as 100.', 1, 100)
      },
      answers: ok('The next one first; empty without a start schedule.', object({ nextRuns: array(NextRun) }))
    }
  ),
  compareRuns: operation(
    'GET',
    '/dag-runs/{name}/{dagRunId}/diff',
    VIEW,
    'Runs',
    'What is different between two runs of a DAG',
    {
      query: {
        with: {
          ...RunId,
          not: {},
          description: 'Id of the run to compare with; `latest` is the newest.',
          'x-required': true
        }
      },
      answers: ok('What is different.', RunDiff)
    }
  )
} as const satisfies Record<string, Operation>
