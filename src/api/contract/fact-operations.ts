/** Charts, and inspection of the actors of a run. Source: docs/inspect.md; our addition. */
import { array, flag, integer, object, text } from '../../schema/schema.ts'
import {
  Chart,
  ChartSummary,
  DecisionsPart,
  Explanation,
  JournalPart,
  Preview,
  RunFacts,
  Sequence,
  Statechart,
  StepValues
} from './fact-shapes.ts'
import { VIEW, VIEW_PART } from './needs.ts'
import { described, type Operation, ok, operation, ranged } from './operation.ts'

const run = '/dag-runs/{name}/{dagRunId}'
const decisionsQuery = {
  before: described(
    integer,
    'The `number` that the part comes before, `next` of the part before it. Default: the newest first.'
  ),
  limit: ranged(
    'Maximum number of decisions: default 100, also for less than 1; more than 1000 counts as 1000.',
    1,
    1_000
  )
} as const

export const factOperations = {
  listMachines: operation('GET', '/machines', VIEW_PART, 'Facts', 'Statecharts of the engine', {
    answers: ok('In the order in which their actors make each other.', object({ machines: array(ChartSummary) }))
  }),
  getMachine: operation('GET', '/machines/{machineId}', VIEW_PART, 'Facts', 'A statechart as data', {
    query: { format: { type: 'string', enum: ['json', 'mermaid', 'stately'], default: 'json' } },
    answers: {
      200: {
        description: 'The chart. With `format=stately` the config of a machine, as editors of statecharts import it.',
        schema: { anyOf: [Chart, { type: 'object' }] },
        asText: 'A Mermaid state diagram, with `format=mermaid`.'
      }
    }
  }),
  getActors: operation(
    'GET',
    `${run}/actors`,
    VIEW,
    'Facts',
    'Actors of a run, now or as of an event that has passed',
    {
      query: {
        at: described(integer, 'The `seq` of an event. Default: the latest.'),
        actor: described(text, 'Address of a single actor.'),
        brief: described(flag, 'Without the actors.')
      },
      answers: ok('As stored with that event.', RunFacts)
    }
  ),
  getStepValues: operation(
    'GET',
    `${run}/steps/{stepName}/values`,
    VIEW,
    'Facts',
    'What a step had: its texts, its variables, and what differs from its last success',
    {
      query: { at: described(integer, 'The `seq` of an event: outputs as of then. Default: the latest.') },
      answers: ok('Of the plan, params and outputs that are stored with the run.', StepValues)
    }
  ),
  previewEvent: operation(
    'GET',
    `${run}/preview`,
    VIEW,
    'Facts',
    'What an event would do to an actor of a run, tried on a copy',
    {
      query: {
        actor: { ...text, description: 'Address of the actor.', 'x-required': true },
        event: {
          ...text,
          description: 'The type of the event, or the event as a JSON object with `type`. `at` is added when absent.',
          'x-required': true
        },
        at: described(integer, 'The `seq` of an event: the actor as of then. Default: the latest.')
      },
      answers: ok('Nothing has happened to the run.', Preview)
    }
  ),
  getStatechart: operation(
    'GET',
    `${run}/statechart`,
    VIEW,
    'Facts',
    'The statecharts of a run, and where its actors are in them',
    {
      query: { format: { type: 'string', enum: ['json', 'mermaid'], default: 'json' } },
      answers: {
        200: {
          description: 'The charts that its actors follow, and the actors.',
          schema: Statechart,
          asText: "A Mermaid state diagram of the run's own chart with the active states marked, with `format=mermaid`."
        }
      }
    }
  ),
  getJournal: operation('GET', `${run}/journal`, VIEW, 'Facts', 'A part of the journal of a run', {
    query: {
      after: described(integer, 'The `seq` that the part comes after. Default: 0.'),
      limit: ranged(
        'Maximum number of events: default 1000, also for less than 1; more than 10000 counts as 10000.',
        1,
        10_000
      ),
      causes: described(flag, 'Whether to include the causes of each event.')
    },
    answers: ok('Events in their order.', JournalPart)
  }),
  explainRun: operation('GET', `${run}/explain`, VIEW, 'Facts', 'Why a run and its steps wait, or ended as they did', {
    query: { step: described(text, 'Name of a single step to explain.') },
    answers: ok('Reasons, nearest first.', Explanation)
  }),
  explainDag: operation('GET', '/dags/{fileName}/explain', VIEW, 'Facts', 'Why a definition has no run now', {
    answers: ok('Reasons, nearest first.', Explanation)
  }),
  listDagDecisions: operation(
    'GET',
    '/dags/{fileName}/decisions',
    VIEW,
    'Facts',
    'What the scheduler made of scheduled minutes of a definition',
    {
      query: decisionsQuery,
      answers: ok('Newest first, of the latest 50,000 of all definitions.', DecisionsPart)
    }
  ),
  listDecisions: operation(
    'GET',
    '/services/scheduler/decisions',
    VIEW_PART,
    'Facts',
    'What the scheduler made of scheduled minutes of all definitions, removed ones too',
    {
      query: {
        ...decisionsQuery,
        fileName: described(text, 'Only those of the definition of this file name, which may be gone.')
      },
      answers: ok('Newest first, of the latest 50,000.', DecisionsPart)
    }
  ),
  getSequence: operation('GET', `${run}/sequence`, VIEW, 'Facts', 'Messages between the actors of a run', {
    query: {
      format: { type: 'string', enum: ['json', 'mermaid'], default: 'json' },
      after: described(integer, 'The `seq` that the part comes after. Default: 0.'),
      limit: ranged(
        'Maximum number of messages: default 500, also for less than 1; more than 5000 counts as 5000.',
        1,
        5_000
      )
    },
    answers: {
      200: {
        description: 'In their order.',
        schema: Sequence,
        asText: 'A Mermaid sequence diagram, with `format=mermaid`.'
      }
    }
  })
} as const satisfies Record<string, Operation>
