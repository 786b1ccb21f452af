/** Runs and their steps. Source: http-api "Runs (global)", "Steps", "Sub DAG runs"; api-semantics 3.6, 3.7, 3.10, 4.7, 4.8, 5, 12. */
import { array, flag, integer, object, optional, orNull, text } from '../../schema/schema.ts'
import { DagNameOverride, IncludeDownstream, NewRunId, StopBody, Unlimited } from './body-fields.ts'
import { RunId } from './names.ts'
import { RUN, VIEW, VIEW_PART } from './needs.ts'
import { described, done, type Operation, ok, operation, ranged } from './operation.ts'
import { RunAnswer, RunSummary, SubRunTiming, TriggerType, WaitKind } from './run-shapes.ts'
import { RunStatusNumber, SettableStatusNumber } from './statuses.ts'

const runFilters = {
  status: described(array(RunStatusNumber), 'A status. Several: any of them.'),
  waitingFor: described(array(WaitKind), 'What it waits for. Several: any of them.'),
  fromDate: described(integer, 'Unix seconds; created then or later.'),
  toDate: described(integer, 'Unix seconds; created before.'),
  dagRunId: described(text, 'Part of the run id.'),
  trigger: described(array(TriggerType), 'What asked for it, or for its latest attempt. Several: any of them.'),
  by: described(text, 'Part of the name of the user or token that asked for it, case-insensitive.'),
  params: described(text, 'Part of one of its params, written as `NAME=value`, case-insensitive.'),
  tag: described(array(text), 'A tag of its definition, as that was then. Several: all of them.'),
  limit: ranged(
    'With it, or a cursor, the answer is a part of at most so many runs; more than 1000 counts as 1000, less than 1 as none given. A part may have fewer runs, and still a `nextCursor`, when few of many runs match.',
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
const Status = object({
  status: SettableStatusNumber,
  output: optional(
    described(
      text,
      'With the status 4: what the step captures, at most `maxOutputSize` bytes. Secrets in it are masked. JSON for functions, calls, signals and approvals. A step that captures nothing is 400.'
    )
  )
})

export const runOperations = {
  listRuns: operation('GET', '/dag-runs', VIEW_PART, 'Runs', 'Runs of all DAGs, the newest first', {
    query: { name: described(text, 'Part of the DAG name, case-insensitive.'), ...runFilters },
    answers: ok('Root runs.', RunList)
  }),
  listRunsByName: operation('GET', '/dag-runs/{name}', VIEW_PART, 'Runs', 'Runs of one DAG, the newest first', {
    query: runFilters,
    answers: ok('Root runs.', RunList)
  }),
  getRun: operation('GET', run, VIEW, 'Runs', 'A run with its nodes', {
    answers: ok('The run.', RunAnswer)
  }),
  stopRun: operation('POST', `${run}/stop`, RUN, 'Runs', 'Stop a run', {
    description: 'A second stop changes nothing, and no stop interrupts a handler; only `force` does.',
    body: StopBody,
    answers: done('It was asked to stop; it is `canceled` once its steps have ended.'),
    errors: ['not_running']
  }),
  retryRun: operation('POST', `${run}/retry`, RUN, 'Runs', 'Run again what failed', {
    starts: true,
    description:
      'Without an id, or with its own, in place; with another id, as a new run made from it. `includeDownstream` without `stepName` is 400.',
    body: object({
      dagRunId: optional(NewRunId),
      stepName: optional(
        described(text, 'The only step to rerun; its `retryPolicy` is ignored, but with `includeDownstream`.')
      ),
      includeDownstream: optional(IncludeDownstream),
      disableMaxActiveRuns: optional(Unlimited)
    }),
    answers: { 200: { description: 'It runs.', headers: { 'Engine-Run-Id': 'Id of the run.' } } },
    errors: ['already_exists', 'already_running', 'max_run_reached'],
    errorStatus: { already_running: 400 }
  }),
  rescheduleRun: operation(
    'POST',
    `${run}/reschedule`,
    RUN,
    'Runs',
    'Start a fresh run of the same text with the same parameters, or with some of them changed',
    {
      starts: true,
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
    }
  ),
  dequeueRun: operation('POST', `${run}/dequeue`, RUN, 'Runs', 'Take a run out of its queue', {
    description: 'A run that never started is deleted.',
    answers: done('It waits no longer.'),
    also: [
      { method: 'DELETE', path: `${run}/dequeue` },
      { method: 'GET', path: `${run}/dequeue` }
    ]
  }),
  getRunSpec: operation('GET', `${run}/spec`, VIEW, 'Runs', 'Text that a run was started with', {
    answers: ok('The text.', object({ spec: text }))
  }),
  getRunOutputs: operation('GET', `${run}/outputs`, VIEW, 'Runs', 'Outputs of the steps of a run', {
    answers: ok(
      'By name.',
      object({
        outputs: { type: 'object', additionalProperties: text },
        result: optional(
          described({ 'x-any': true }, 'What the run has come to, of a definition that says what that is.')
        )
      })
    )
  }),
  setStepStatus: operation('PATCH', `${run}/steps/{stepName}/status`, RUN, 'Runs', 'Set the status of a step by hand', {
    description: 'Only in a run that has ended; a retry follows it, and steps after it see the `output`.',
    body: Status,
    answers: done('It was set.')
  }),
  listSubRuns: operation('GET', `${run}/sub-dag-runs`, VIEW, 'Sub DAG runs', 'Runs that a run has called', {
    query: {
      parentSubDAGRunId: {
        ...RunId,
        description: 'A sub DAG run whose own are wanted: 1 to 64 of the characters A-Z a-z 0-9 _ -'
      }
    },
    answers: ok('In the order of the steps.', object({ subRuns: array(SubRunTiming) })),
    also: [{ method: 'GET', path: `${run}/children` }]
  }),
  getSubRun: operation(
    'GET',
    `${run}/sub-dag-runs/{subDAGRunId}`,
    VIEW,
    'Sub DAG runs',
    'A sub DAG run with its nodes',
    {
      answers: ok('The run.', RunAnswer),
      also: [{ method: 'GET', path: `${run}/children/{subDAGRunId}` }]
    }
  ),
  setSubRunStepStatus: operation(
    'PATCH',
    `${run}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/status`,
    RUN,
    'Sub DAG runs',
    'Set the status of a step of a sub DAG run by hand',
    {
      body: Status,
      answers: done('It was set.'),
      also: [{ method: 'PATCH', path: `${run}/children/{subDAGRunId}/steps/{stepName}/status` }]
    }
  )
} as const satisfies Record<string, Operation>
