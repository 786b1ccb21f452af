/** Workers of a server elsewhere, over its HTTP API: what it does not show stays empty. Source: distribution 9; http-api "Worker". */
import type { EngineClient } from '../../api/owner/engine-client.ts'
import type { Client, Worker } from '../../client/index.ts'
import type { WorkersView, WorkerView } from '../../engine/engine.ts'
import { instant } from './views.ts'

export const remoteWorkers = (api: Client): Pick<EngineClient, 'workers' | 'drainWorker'> => ({
  async workers(): Promise<WorkersView> {
    const { workers, errors, enrolled } = await api.listWorkers()
    return {
      workers: workers.map(workerOf),
      errors,
      enrolled: enrolled.map(({ id, enrolledAt, revokedAt }) => {
        const revoked = instant(revokedAt)
        const known = { id, home: id, enrolledAt: instant(enrolledAt) ?? 0 }
        return revoked === undefined ? known : { ...known, revokedAt: revoked }
      })
    }
  },
  drainWorker: async (workerId, { drain = true, timeoutSec }) =>
    workerOf(
      await api.drainWorker({
        path: { workerId },
        body: { drain, ...(timeoutSec === undefined ? {} : { timeoutSec }) }
      })
    )
})

/** Homes are not shown: a worker goes by its id. */
function workerOf(worker: Worker): WorkerView {
  const { id, labels, slots, version, host, status, reason, healthStatus, load, runningTasks } = worker
  return {
    id,
    home: id,
    labels,
    slots,
    version,
    host,
    status,
    load,
    pid: 0,
    executors: [],
    isLeaving: false,
    refusal: reason,
    trouble: '',
    health: healthStatus,
    taken: runningTasks.length,
    heardAt: instant(worker.lastHeartbeatAt) ?? 0,
    connectedAt: instant(worker.connectedAt) ?? 0,
    tasks: runningTasks.map((task) => {
      const startedAt = instant(task.startedAt)
      const parent = { name: task.parentDagRunName, dagRunId: task.parentDagRunId }
      return {
        name: task.dagName,
        dagRunId: task.dagRunId,
        root: { name: task.rootDagRunName, dagRunId: task.rootDagRunId },
        ...(parent.dagRunId === '' ? {} : { parent }),
        ...(startedAt === undefined ? {} : { startedAt })
      }
    })
  }
}
