/** The server itself. Source: http-api "System", "Queues and workers", "Remote nodes"; api-semantics 3.1, 6.1, 7.1, 8 R11. */
import { array, flag, object, optional, text } from '../../schema/schema.ts'
import { NOTHING, OPERATE, VIEW, VIEW_PART } from './needs.ts'
import { described, type Operation, ok, operation, texts } from './operation.ts'
import {
  Coordinator,
  Dead,
  EnrolledWorker,
  Healthy,
  Live,
  NotReady,
  Queue,
  QueuesSummary,
  Ready,
  Resources,
  Scheduler,
  Unhealthy,
  Worker
} from './service-shapes.ts'

export const systemOperations = {
  getHealth: operation('GET', '/health', NOTHING, 'System', 'Whether the server is healthy', {
    own: true,
    description: 'Open to everyone.',
    answers: {
      200: { description: 'It is.', schema: Healthy },
      503: {
        description:
          'It is not: the store takes no writes, the scheduler has not ticked or has failed, or another engine uses the same cluster of workers.',
        schema: Unhealthy
      }
    }
  }),
  getLiveness: operation('GET', '/health/live', NOTHING, 'System', 'Whether the process works, or must be restarted', {
    own: true,
    description: 'Open to everyone. A disk that is full, or a recovery that takes long, is no reason for a restart.',
    answers: {
      200: { description: 'It works.', schema: Live },
      503: { description: 'Only a restart of the process helps.', schema: Dead }
    }
  }),
  getReadiness: operation('GET', '/health/ready', NOTHING, 'System', 'Whether the server should get requests now', {
    own: true,
    description: 'Open to everyone.',
    answers: {
      200: { description: 'It should.', schema: Ready },
      503: { description: 'It should not, for a reason that may pass.', schema: NotReady }
    }
  }),
  getMetrics: operation('GET', '/metrics', VIEW, 'System', 'Metrics in the text form of Prometheus', {
    own: true,
    answers: { 200: { description: 'The metrics.', schema: text, type: 'text/plain' } }
  }),
  getOpenApi: operation('GET', '/openapi.json', NOTHING, 'System', 'This document', {
    own: true,
    description: 'Open to everyone.',
    answers: ok('OpenAPI 3.1.', { type: 'object' })
  }),
  getDocs: operation('GET', '/docs', NOTHING, 'System', 'This document as a page to read', {
    own: true,
    description: 'Open to everyone.',
    answers: { 200: { description: 'The page.', schema: text, type: 'text/html' } }
  }),
  getDocsStyle: operation('GET', '/docs.css', NOTHING, 'System', 'Style sheet of that page', {
    own: true,
    description: 'Open to everyone.',
    answers: { 200: { description: 'The style sheet.', schema: text, type: 'text/css' } }
  }),
  getResources: operation('GET', '/services/resources/history', VIEW, 'System', 'Resources of the machine', {
    query: {
      duration: {
        ...described(text, 'A duration such as `90s` or `1h30m`. Default: `1h`, also for an invalid one.'),
        'x-strict': {
          description: 'a length of time such as 90s or 1h30m',
          pattern: '^(?=.*[1-9])(?:\\d+(?:\\.\\d+)?(?:ms|s|m|h))+$'
        }
      }
    },
    answers: ok('Points of time, the oldest first.', Resources)
  }),
  listRemoteNodes: operation('GET', '/remote-nodes', VIEW_PART, 'System', 'Names that `remoteNode` may have', {
    answers: ok('The names; the first is this server.', object({ remoteNodes: texts }))
  }),
  listSchedulers: operation('GET', '/services/scheduler', VIEW, 'Queues', 'Schedulers', {
    answers: ok('The schedulers.', object({ schedulers: array(Scheduler) }))
  }),
  listCoordinators: operation('GET', '/services/coordinator', VIEW, 'Queues', 'Coordinators of workers', {
    answers: ok('The coordinators.', object({ coordinators: array(Coordinator) }))
  }),
  listQueues: operation('GET', '/queues', VIEW_PART, 'Queues', 'Queues with their runs', {
    description: 'Configured queues in their order, then those of DAGs with running or queued runs, by name.',
    answers: ok('The queues.', object({ queues: array(Queue), summary: QueuesSummary }))
  }),
  listWorkers: operation('GET', '/workers', VIEW, 'Queues', 'Workers', {
    description:
      'Answered with 503 when there is no coordinator, or when it has never been reached. When it cannot be reached any more, `errors` says so.',
    answers: ok(
      'The workers, by id.',
      object({ workers: array(Worker), errors: texts, enrolled: array(EnrolledWorker) })
    ),
    errors: ['service_unavailable']
  }),
  drainWorker: operation(
    'POST',
    '/workers/{workerId}/drain',
    OPERATE,
    'Queues',
    'Drain a worker, or let it take runs again',
    {
      description:
        'A worker that drains gets no further run, and its program ends when it has none. A process that is started in its place takes runs again.',
      body: object({
        drain: described(flag, '`false`: it takes runs again.'),
        timeoutSec: optional(
          described(
            { type: 'integer', minimum: 1, maximum: 31_536_000 },
            'Runs that it still has after so many seconds are stopped. Default: it waits for them.'
          )
        )
      }),
      answers: ok('The worker.', Worker),
      errors: ['already_leaving', 'service_unavailable']
    }
  )
} as const satisfies Record<string, Operation>
