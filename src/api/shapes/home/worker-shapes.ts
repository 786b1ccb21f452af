/** Workers and coordinators as JSON. Source: http-api "Worker"; api-semantics 3.1, 7.1; distribution 9. */
import type { BusView, WorkersView, WorkerTask, WorkerView } from '../../../engine/engine.ts'
import type { Shape } from '../../../schema/schema.ts'
import type { Coordinator, EnrolledWorker, Worker } from '../../contract/service-shapes.ts'
import type { TimeText } from '../time-text.ts'

const HEALTH = {
  healthy: 'WORKER_HEALTH_STATUS_HEALTHY',
  warning: 'WORKER_HEALTH_STATUS_WARNING',
  unhealthy: 'WORKER_HEALTH_STATUS_UNHEALTHY'
} as const satisfies Record<WorkerView['health'], string>

export const workersShape = ({ workers, errors, enrolled }: WorkersView, time: TimeText) => ({
  workers: workers.map((worker) => workerShape(worker, time)),
  errors,
  enrolled: enrolled.map(
    ({ id, enrolledAt, revokedAt }): Shape<typeof EnrolledWorker> => ({
      id,
      enrolledAt: time(enrolledAt),
      revokedAt: time(revokedAt)
    })
  )
})

export function workerShape(worker: WorkerView, time: TimeText): Shape<typeof Worker> {
  const { id, labels, status, health, refusal, slots, version, host, load, heardAt, connectedAt } = worker
  const tasks = worker.tasks.map((task) => taskShape(task, time))
  const heard = time(heardAt)
  return {
    id,
    labels: { ...labels },
    health_status: HEALTH[health],
    last_heartbeat: heard,
    running_tasks: tasks,
    healthStatus: health,
    lastHeartbeatAt: heard,
    totalPollers: slots,
    busyPollers: tasks.length,
    runningTasks: tasks,
    status,
    reason: refusal,
    slots,
    version,
    host,
    load: { ...load },
    connectedAt: time(connectedAt)
  }
}

const taskShape = ({ name, dagRunId, root, parent, startedAt }: WorkerTask, time: TimeText) => ({
  dagName: name,
  dagRunId,
  rootDagRunName: root.name,
  rootDagRunId: root.dagRunId,
  parentDagRunName: parent?.name ?? '',
  parentDagRunId: parent?.dagRunId ?? '',
  startedAt: time(startedAt)
})

export const coordinatorsShape = (
  bus: BusView | undefined,
  time: TimeText
): { coordinators: Shape<typeof Coordinator>[] } => ({
  coordinators: (bus?.coordinators ?? []).map(({ host, port, startedAt }) => ({
    instanceId: `${host}@${port}`,
    host,
    port,
    status: bus?.connected ? 'active' : 'inactive',
    startedAt: time(startedAt)
  }))
})
