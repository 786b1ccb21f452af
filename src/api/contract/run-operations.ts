/** Runs and their steps. Source: http-api "Runs (global)", "Steps", "Sub DAG runs"; api-semantics 3.6, 3.7, 3.10, 4.7, 4.8, 5, 12. */
import { array, flag, integer, object, optional, orNull, text } from '../../schema/schema.ts'
import { DagNameOverride, NewRunId, StopBody, Unlimited } from './body-fields.ts'
import { RunId } from './names.ts'
import { RUN, VIEW, VIEW_PART } from './needs.ts'
import { described, done, type Operation, ok, ranged } from './operation.ts'
import { RunAnswer, RunSummary, SubRunTiming, TriggerType } from './run-shapes.ts'
import { RunStatusNumber, SettableStatusNumber } from './statuses.ts'

const runFilters = {
  status: described(array(RunStatusNumber), 'A status. Several: any of them.'),
  fromDate: described(integer, 'Unix seconds; created then or later.'),
  toDate: described(integer, 'Unix seconds; created before.'),
  dagRunId: described(text, 'Part of the run id.'),
  trigger: described(array(TriggerType), 'What asked for it, or for its latest attempt. Several: any of them.'),
  by: described(text, 'Part of the name of the user or token that asked for it, case-insensitive.'),
  params: described(text, 'Part of one of its params, written as `NAME=value`, case-insensitive.'),
  tag: described(array(text), 'A tag of its definition, as that was then. Several: all of them.'),
  limit: ranged(
    described(
      integer,
      'With it, or a cursor, the answer is a part of at most so many runs; more than 1000 counts as 1000, less than 1 as none given. A part may have fewer runs, and still a `nextCursor`, when few of many runs match.'
    ),
    1,
    1_000
  ),
  cursor: described(text, 'The `nextCursor` of the previous part.')
} as const
const RunList = object({
  dagRuns: array(RunSummary),
  nextCursor: optional({ ...orNull(text), description: 'Null: there are no more. Missing: all were asked for.' })
})
const run = '/dag-runs/{name}/{dagRunId}'
const Status = object({ status: SettableStatusNumber })

export const runOperations = {
  listRuns: {
    method: 'GET',
    path: '/dag-runs',
    needs: VIEW_PART,
    tag: 'Runs',
    summary: 'Runs of all DAGs, the newest first',
    query: { name: described(text, 'Part of the DAG name, case-insensitive.'), ...runFilters },
    answers: ok('Root runs.', RunList)
  },
  listRunsByName: {
    method: 'GET',
    path: '/dag-runs/{name}',
    needs: VIEW_PART,
    tag: 'Runs',
    summary: 'Runs of one DAG, the newest first',
    query: runFilters,
    answers: ok('Root runs.', RunList)
  },
  getRun: {
    method: 'GET',
    path: run,
    needs: VIEW,
    tag: 'Runs',
    summary: 'A run with its nodes',
    answers: ok('The run.', RunAnswer)
  },
  stopRun: {
    method: 'POST',
    path: `${run}/stop`,
    needs: RUN,
    tag: 'Runs',
    summary: 'Stop a run',
    description: 'A second stop changes nothing, and no stop interrupts a handler; only `force` does.',
    body: StopBody,
    answers: done('It was asked to stop; it is `canceled` once its steps have ended.'),
    errors: ['not_running']
  },
  retryRun: {
    method: 'POST',
    path: `${run}/retry`,
    needs: RUN,
    starts: true,
    tag: 'Runs',
    summary: 'Run again what failed',
    description: 'Without an id, or with its own, in place; with another id, as a new run made from it.',
    body: object({
      dagRunId: optional(NewRunId),
      stepName: optional(described(text, 'The only step to rerun; its `retryPolicy` is ignored.')),
      disableMaxActiveRuns: optional(Unlimited)
    }),
    answers: { 200: { description: 'It runs.', headers: { 'Engine-Run-Id': 'Id of the run.' } } },
    errors: ['already_exists', 'already_running', 'max_run_reached'],
    errorStatus: { already_running: 400 }
  },
  rescheduleRun: {
    method: 'POST',
    path: `${run}/reschedule`,
    needs: RUN,
    starts: true,
    tag: 'Runs',
    summary: 'Start a fresh run of the same text with the same parameters, or with some of them changed',
    body: object({
      dagRunId: optional(NewRunId),
      dagName: optional(DagNameOverride),
      params: optional(
        described(text, 'Parameters that are other ones now, as for a start; the others stay what they were.')
      ),
      disableMaxActiveRuns: optional(Unlimited)
    }),
    answers: ok('The new run.', object({ dagRunId: text, queued: flag })),
    errors: ['already_exists', 'max_run_reached']
  },
  dequeueRun: {
    method: 'POST',
    path: `${run}/dequeue`,
    needs: RUN,
    tag: 'Runs',
    summary: 'Take a run out of its queue',
    description: 'A run that never started is deleted.',
    answers: done('It waits no longer.'),
    also: [
      { method: 'DELETE', path: `${run}/dequeue` },
      { method: 'GET', path: `${run}/dequeue` }
    ]
  },
  getRunSpec: {
    method: 'GET',
    path: `${run}/spec`,
    needs: VIEW,
    tag: 'Runs',
    summary: 'Text that a run was started with',
    answers: ok('The text.', object({ spec: text }))
  },
  getRunOutputs: {
    method: 'GET',
    path: `${run}/outputs`,
    needs: VIEW,
    tag: 'Runs',
    summary: 'Outputs of the steps of a run',
    answers: ok('By name.', object({ outputs: { type: 'object', additionalProperties: text } }))
  },
  setStepStatus: {
    method: 'PATCH',
    path: `${run}/steps/{stepName}/status`,
    needs: RUN,
    tag: 'Runs',
    summary: 'Set the status of a step by hand',
    description: 'Only in a run that has ended; a retry follows it.',
    body: Status,
    answers: done('It was set.')
  },
  listSubRuns: {
    method: 'GET',
    path: `${run}/sub-dag-runs`,
    needs: VIEW,
    tag: 'Sub DAG runs',
    summary: 'Runs that a run has called',
    query: {
      parentSubDAGRunId: {
        ...RunId,
        description: 'A sub DAG run whose own are wanted: 1 to 64 of the characters A-Z a-z 0-9 _ -'
      }
    },
    answers: ok('In the order of the steps.', object({ subRuns: array(SubRunTiming) })),
    also: [{ method: 'GET', path: `${run}/children` }]
  },
  getSubRun: {
    method: 'GET',
    path: `${run}/sub-dag-runs/{subDAGRunId}`,
    needs: VIEW,
    tag: 'Sub DAG runs',
    summary: 'A sub DAG run with its nodes',
    answers: ok('The run.', RunAnswer),
    also: [{ method: 'GET', path: `${run}/children/{subDAGRunId}` }]
  },
  setSubRunStepStatus: {
    method: 'PATCH',
    path: `${run}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status`,
    needs: RUN,
    tag: 'Sub DAG runs',
    summary: 'Set the status of a step of a sub DAG run by hand',
    body: Status,
    answers: done('It was set.'),
    also: [{ method: 'PATCH', path: `${run}/children/{subDAGRunId}/steps/{stepName}/status` }]
  }
} as const satisfies Record<string, Operation>
