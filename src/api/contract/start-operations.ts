/** Runs of one definition. Source: http-api "Starting and queueing from a definition"; api-semantics 3.4, 3.5, 4. */
import { array, integer, object, optional, text } from '../../schema/schema.ts'
import {
  DagNameOverride,
  FallbackName,
  InlineSpec,
  QueueName,
  StopBody,
  startFields,
  Unlimited
} from './body-fields.ts'
import { Outline } from './dag-shapes.ts'
import { DagName } from './names.ts'
import { RUN, RUN_TEXT, VIEW, VIEW_PART } from './needs.ts'
import { described, type Operation, ok, ranged, texts } from './operation.ts'
import { GridRow, RunAnswer, RunDetails } from './run-shapes.ts'

const Started = object(
  { dagRunId: text, warnings: optional(texts) },
  '`warnings`: what may not have been meant, such as a parameter that nothing uses; missing when there is nothing.'
)

const ParamForm = object(
  {
    params: array(object({ name: text, value: text })),
    schema: optional({ type: 'object', additionalProperties: {} }),
    problem: optional(text)
  },
  'In written order. `schema`: the JSON Schema of the params, missing when there is none; `problem` says why it could not be read.'
)

export const startOperations = {
  getDagParams: {
    method: 'GET',
    path: '/dags/{fileName}/params',
    needs: VIEW,
    tag: 'Starting',
    summary: 'Parameters of a definition, with their schema',
    description: 'Defaults are as written: nothing in them is evaluated.',
    answers: ok('What a form for a start is made of.', ParamForm)
  },
  getRunParams: {
    method: 'GET',
    path: '/dag-runs/{name}/{dagRunId}/params',
    needs: VIEW,
    tag: 'Runs',
    summary: 'Parameters that a run was started with, with their schema',
    answers: ok('What a form for another run like it is made of.', ParamForm)
  },
  getDagOutline: {
    method: 'GET',
    path: '/dags/{fileName}/outline',
    needs: VIEW,
    tag: 'Starting',
    summary: 'What a run of a definition would do, and in which order',
    description:
      'Nothing is started or evaluated. A definition with problems is refused, and `details.errors` has them.',
    query: {
      params: described(text, 'Params of the start, as text.'),
      name: { ...DagName, description: `DAG name of the run. ${DagName.description}` }
    },
    answers: ok('As it would be now.', Outline)
  },
  getRunOutline: {
    method: 'GET',
    path: '/dag-runs/{name}/{dagRunId}/outline',
    needs: VIEW,
    tag: 'Runs',
    summary: 'What a run does, and in which order',
    answers: ok('As it was started, whatever has become of its definition.', Outline)
  },
  startDag: {
    method: 'POST',
    path: '/dags/{fileName}/start',
    needs: RUN,
    starts: true,
    tag: 'Starting',
    summary: 'Start a run of a definition',
    body: object({ ...startFields, dagName: optional(DagNameOverride), disableMaxActiveRuns: optional(Unlimited) }),
    answers: ok('The run has started, or waits in its queue.', Started),
    errors: ['already_exists', 'already_running', 'max_run_reached']
  },
  enqueueDag: {
    method: 'POST',
    path: '/dags/{fileName}/enqueue',
    needs: RUN,
    starts: true,
    tag: 'Starting',
    summary: 'Put a run of a definition into its queue',
    body: object({ ...startFields, dagName: optional(DagNameOverride), queue: optional(QueueName) }),
    answers: ok('The run waits.', Started),
    errors: ['already_exists', 'already_running', 'max_run_reached']
  },
  stopAllRuns: {
    method: 'POST',
    path: '/dags/{fileName}/stop-all',
    needs: RUN,
    tag: 'Starting',
    summary: 'Stop all running runs of a definition',
    body: StopBody,
    answers: ok('A line for each run that could not be stopped.', object({ errors: texts }))
  },
  listRunsOfDag: {
    method: 'GET',
    path: '/dags/{fileName}/dag-runs',
    needs: VIEW_PART,
    tag: 'Starting',
    summary: 'Newest runs of a definition, and the grid of their steps',
    query: {
      limit: ranged(
        described(integer, 'Default 30, also for what is less than 1; more than 200 counts as 200.'),
        1,
        200
      )
    },
    answers: ok('The newest first.', object({ dagRuns: array(RunDetails), gridData: array(GridRow) }))
  },
  getRunOfDag: {
    method: 'GET',
    path: '/dags/{fileName}/dag-runs/{dagRunId}',
    needs: VIEW_PART,
    tag: 'Starting',
    summary: 'A run of a definition',
    answers: ok('The run.', RunAnswer)
  },
  startInline: {
    method: 'POST',
    path: '/dag-runs',
    needs: RUN_TEXT,
    starts: true,
    tag: 'Runs',
    summary: 'Start a run of a text',
    body: object({ ...startFields, spec: InlineSpec, name: optional(FallbackName) }),
    answers: ok('The run has started, or waits in its queue.', Started),
    errors: ['already_exists', 'already_running', 'max_run_reached']
  },
  enqueueInline: {
    method: 'POST',
    path: '/dag-runs/enqueue',
    needs: RUN_TEXT,
    starts: true,
    tag: 'Runs',
    summary: 'Put a run of a text into its queue',
    body: object({
      ...startFields,
      spec: InlineSpec,
      name: optional(FallbackName),
      queue: optional(QueueName)
    }),
    answers: ok('The run waits.', Started),
    errors: ['already_exists', 'already_running', 'max_run_reached']
  }
} as const satisfies Record<string, Operation>
