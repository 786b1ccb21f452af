/** Runs of one definition. Source: http-api "Starting and queueing from a definition"; api-semantics 3.4, 3.5, 4. */
import { HOLDS } from '../../../machines/vocabulary/lists.ts'
import { array, object, optional, text } from '../../schema/schema.ts'
import {
  DagNameOverride,
  FallbackName,
  IdempotencyKey,
  InlineSpec,
  QueueName,
  StopBody,
  startFields,
  Unlimited
} from './body-fields.ts'
import { Outline } from './dag-shapes.ts'
import { DagName } from './names.ts'
import { RUN, RUN_TEXT, VIEW, VIEW_PART } from './needs.ts'
import { described, type Operation, ok, operation, ranged, texts } from './operation.ts'
import { GridRow, RunAnswer, RunDetails } from './run-shapes.ts'

const Started = object(
  { dagRunId: text, warnings: optional(texts), waitsFor: optional(array({ type: 'string', enum: HOLDS })) },
  '`warnings`: what may not have been meant, such as a parameter that nothing uses. `waitsFor`, of a dry run: what would hold the run now, by the causes of an explanation. Each is missing when there is nothing.'
)

const started = (description: string) =>
  ({
    200: {
      description,
      schema: Started,
      sometimes: { 'Idempotent-Replayed': '`true` if an earlier request with this idempotency key has made the run.' }
    }
  }) as const
/** What the four ways to start a run have in common. */
const starting = {
  starts: true,
  headers: { 'Idempotency-Key': { ...IdempotencyKey, description: 'As `idempotencyKey` of the body.' } },
  errors: ['already_exists', 'already_running', 'max_run_reached', 'idempotency_mismatch']
} as const

const ParamForm = object(
  {
    params: array(object({ name: text, value: text })),
    schema: optional({ type: 'object', additionalProperties: {} }),
    problem: optional(text)
  },
  'In written order. `schema`: the JSON Schema of the params, missing when there is none; `problem` says why it could not be read.'
)

export const startOperations = {
  getDagParams: operation(
    'GET',
    '/dags/{fileName}/params',
    VIEW,
    'Starting',
    'Parameters of a definition, with their schema',
    {
      description: 'Defaults are as written: nothing in them is evaluated.',
      answers: ok('What a form for a start is made of.', ParamForm)
    }
  ),
  getRunParams: operation(
    'GET',
    '/dag-runs/{name}/{dagRunId}/params',
    VIEW,
    'Runs',
    'Parameters that a run was started with, with their schema',
    {
      answers: ok('What a form for another run like it is made of.', ParamForm)
    }
  ),
  getDagOutline: operation(
    'GET',
    '/dags/{fileName}/outline',
    VIEW,
    'Starting',
    'What a run of a definition would do, and in which order',
    {
      description:
        'Nothing is started or evaluated. A definition with problems is refused, and `details.errors` has them.',
      query: {
        params: described(text, 'Params of the start, as text.'),
        name: { ...DagName, description: `DAG name of the run. ${DagName.description}` }
      },
      answers: ok('As it would be now.', Outline)
    }
  ),
  getRunOutline: operation(
    'GET',
    '/dag-runs/{name}/{dagRunId}/outline',
    VIEW,
    'Runs',
    'What a run does, and in which order',
    {
      answers: ok('As it was started, whatever has become of its definition.', Outline)
    }
  ),
  startDag: operation('POST', '/dags/{fileName}/start', RUN, 'Starting', 'Start a run of a definition', {
    ...starting,
    body: object({
      ...startFields,
      dagName: optional(DagNameOverride),
      queue: optional(QueueName),
      disableMaxActiveRuns: optional(Unlimited)
    }),
    answers: started('The run has started, or waits in its queue.')
  }),
  enqueueDag: operation(
    'POST',
    '/dags/{fileName}/enqueue',
    RUN,
    'Starting',
    'Put a run of a definition into its queue',
    {
      ...starting,
      body: object({ ...startFields, dagName: optional(DagNameOverride), queue: optional(QueueName) }),
      answers: started('The run waits.')
    }
  ),
  stopAllRuns: operation(
    'POST',
    '/dags/{fileName}/stop-all',
    RUN,
    'Starting',
    'Stop all running runs of a definition',
    {
      body: StopBody,
      answers: ok('A line for each run that could not be stopped.', object({ errors: texts }))
    }
  ),
  listRunsOfDag: operation(
    'GET',
    '/dags/{fileName}/dag-runs',
    VIEW_PART,
    'Starting',
    'Newest runs of a definition, and the grid of their steps',
    {
      query: {
        limit: ranged('Default 30, also for what is less than 1; more than 200 counts as 200.', 1, 200)
      },
      answers: ok('The newest first.', object({ dagRuns: array(RunDetails), gridData: array(GridRow) }))
    }
  ),
  getRunOfDag: operation(
    'GET',
    '/dags/{fileName}/dag-runs/{dagRunId}',
    VIEW_PART,
    'Starting',
    'A run of a definition',
    {
      answers: ok('The run.', RunAnswer)
    }
  ),
  startInline: operation('POST', '/dag-runs', RUN_TEXT, 'Runs', 'Start a run of a text', {
    ...starting,
    body: object({ ...startFields, spec: InlineSpec, name: optional(FallbackName) }),
    answers: started('The run has started, or waits in its queue.')
  }),
  enqueueInline: operation('POST', '/dag-runs/enqueue', RUN_TEXT, 'Runs', 'Put a run of a text into its queue', {
    ...starting,
    body: object({
      ...startFields,
      spec: InlineSpec,
      name: optional(FallbackName),
      queue: optional(QueueName)
    }),
    answers: started('The run waits.')
  })
} as const satisfies Record<string, Operation>
