/** Steps that wait for a signal or an approval. Source: embedding 2.5; docs/executors/signal.md. */
import { array, object, optional, orNull, text } from '../../schema/schema.ts'
import { DagName } from './names.ts'
import { RUN, VIEW_PART } from './needs.ts'
import { described, done, type Operation, ok, operation, ranged } from './operation.ts'
import { Permissions, WaitingFor } from './run-shapes.ts'

const run = '/dag-runs/{name}/{dagRunId}'

const SignalBody = object({
  payload: optional(
    described(
      { 'x-any': true },
      'Any JSON, at most 256 KiB. Of an approval: `{"approved": true, "note": "..."}`. Default null.'
    )
  ),
  id: optional(
    described(
      { ...text, minLength: 1, maxLength: 200 },
      'Chosen by the caller: the same one again is answered like the first.'
    )
  )
})
const errors = ['already_given', 'ended', 'not_running'] as const
const errorStatus = { not_running: 409 } as const

export const Waiting = object(
  {
    name: text,
    dagRunId: text,
    rootDAGRunName: text,
    rootDAGRunId: text,
    step: text,
    waitingFor: WaitingFor,
    permissions: optional(Permissions)
  },
  'A step that waits. The root run is the run itself, unless it is a sub DAG run.'
)

export const waitOperations = {
  listWaiting: operation('GET', '/waiting', VIEW_PART, 'Runs', 'Steps that wait for a signal or an approval', {
    description:
      'By DAG name and run id, in parts. A part may have fewer than `limit` steps, or none, and still not be the last one.',
    query: {
      name: { ...DagName, description: 'Name of the DAG of the run that waits.' },
      step: described(text, 'Name of the step.'),
      limit: ranged(
        'Steps in a part; more than 1000 counts as 1000, less than 1 as none given. Default 100.',
        1,
        1_000
      ),
      cursor: described(text, 'The `nextCursor` of the previous part.')
    },
    answers: ok(
      'A part of them.',
      object({ waiting: array(Waiting), nextCursor: { ...orNull(text), description: 'Null: there are no more.' } })
    )
  }),
  signalStep: operation(
    'POST',
    `${run}/steps/{stepName}/signal`,
    RUN,
    'Runs',
    'Give a step the signal or the approval that it waits for',
    {
      description: 'One payload a step. One that comes before its step is kept until the step waits for it.',
      body: SignalBody,
      answers: done('It is durable that the step has got it.'),
      errors,
      errorStatus
    }
  ),
  signalSubRunStep: operation(
    'POST',
    `${run}/sub-dag-runs/{subDAGRunId}/steps/{stepName}/signal`,
    RUN,
    'Sub DAG runs',
    'The same for a step of a sub DAG run',
    {
      body: SignalBody,
      answers: done('It is durable that the step has got it.'),
      errors,
      errorStatus,
      also: [{ method: 'POST', path: `${run}/children/{subDAGRunId}/steps/{stepName}/signal` }]
    }
  )
} as const satisfies Record<string, Operation>
