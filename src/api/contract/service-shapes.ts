/** Shapes of the server's parts. Source: http-api "Error", "Queue", "Worker", "System"; api-semantics 1.4, 3.1, 6.1, 7.1. */
import { UNREADY_REASONS } from '../../../machines/vocabulary/lists.ts'
import { ERRORS } from '../../errors.ts'
import { array, count, object, optional, type Schema, text } from '../../schema/schema.ts'
import { RunSummary, Time } from './run-shapes.ts'

export const ErrorObject = object(
  {
    code: { type: 'string', enum: Object.keys(ERRORS) },
    message: { type: 'string', minLength: 1 },
    details: optional({ type: 'object' })
  },
  'What went wrong: what was wanted and what was found. `details.errors` lists all problems where there are several.'
)

const healthMembers = { version: text, uptime: count, timestamp: Time }
export const Healthy = object({ status: { const: 'healthy', type: 'string' }, ...healthMembers })
export const Unhealthy = object({ status: { const: 'unhealthy', type: 'string' }, ...healthMembers, error: text })

export const Live = object({ status: { const: 'live', type: 'string' } })
export const Dead = object({ status: { const: 'dead', type: 'string' }, error: text })
export const Ready = object({ status: { const: 'ready', type: 'string' } })
export const NotReady = object({
  status: { const: 'unready', type: 'string' },
  reason: { type: 'string', enum: UNREADY_REASONS },
  error: text
})

const points = array(object({ timestamp: count, value: { type: 'number' } }))
export const Resources = object(
  { cpu: points, memory: points, disk: points, load: points },
  'Oldest first; processor, memory and disk in percent, load as the average of a minute. `timestamp` in Unix seconds.'
)

const serviceStatus = { type: 'string', enum: ['active', 'inactive', 'unknown'] } as const satisfies Schema
export const Scheduler = object({ instanceId: text, host: text, status: serviceStatus, startedAt: Time })
export const Coordinator = object({
  instanceId: text,
  host: text,
  port: count,
  status: serviceStatus,
  startedAt: Time
})

const task = object({
  dagName: text,
  dagRunId: text,
  rootDagRunName: text,
  rootDagRunId: text,
  parentDagRunName: text,
  parentDagRunId: text,
  startedAt: Time
})
export const Worker = object(
  {
    id: text,
    labels: { type: 'object', additionalProperties: text },
    health_status: {
      type: 'string',
      enum: ['WORKER_HEALTH_STATUS_HEALTHY', 'WORKER_HEALTH_STATUS_WARNING', 'WORKER_HEALTH_STATUS_UNHEALTHY']
    },
    last_heartbeat: Time,
    running_tasks: array(task),
    healthStatus: { type: 'string', enum: ['healthy', 'warning', 'unhealthy'] },
    lastHeartbeatAt: Time,
    totalPollers: count,
    busyPollers: count,
    runningTasks: array(task),
    status: { type: 'string', enum: ['serving', 'draining', 'incompatible', 'lost'] },
    reason: text,
    slots: count,
    version: text,
    host: text,
    load: object({
      cpu: optional({ type: 'number' }),
      mem: optional({ type: 'number' }),
      disk: optional({ type: 'number' })
    }),
    connectedAt: Time
  },
  '`reason` says why a worker is `incompatible`: it gets nothing. One that is `draining` gets no further run, and leaves when it has none. One that is `lost` is silent and has runs. `load` is in percent. Members in camel case repeat others for older clients.'
)

export const EnrolledWorker = object(
  { id: text, enrolledAt: Time, revokedAt: Time },
  'A worker that was given a key, whether it takes part or not; `revokedAt` is empty while the key counts.'
)

export const Queue = object(
  {
    name: text,
    type: { type: 'string', enum: ['custom', 'dag-based'] },
    maxConcurrency: optional(count),
    summary: object({ running: count, queued: count, total: count }),
    runningDAGRuns: array(RunSummary),
    queuedDAGRuns: array(RunSummary),
    running: array(RunSummary),
    queued: array(RunSummary)
  },
  'A queue with its runs; `running` and `queued` are older names. Only a custom queue has `maxConcurrency`.'
)

export const QueuesSummary = object({
  totalQueues: count,
  totalRunning: count,
  totalQueued: count,
  totalCapacity: { type: 'integer' },
  utilizationPercentage: { type: 'integer' }
})
