/** News of workers for the system, and its answers about runs that are on them or wait for one. Source: distribution 2, 4. */
import type { ActorRefFrom, SnapshotFrom } from 'xstate'
import type { engineMachine } from '../../../machines/engine.ts'
import { workerNeeds } from '../../../machines/policy/worker-needs.ts'
import type { queueMachine } from '../../../machines/queue.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import { workerFor } from '../../../machines/tables/fleet.ts'
import { heldBackWith } from '../../../machines/tables/standstill.ts'
import { lackingWorkers } from '../../../machines/tables/waiting-line.ts'
import type { OpenRun } from './open-run.ts'
import { keysOn, placementsOf } from './placed-runs.ts'
import type { Services } from './services.ts'
import type { System } from './system-parts.ts'

export function systemWorkers(
  root: ActorRefFrom<typeof engineMachine>,
  runs: ChurnMap<OpenRun>,
  { clock, transactions }: Pick<Services, 'clock' | 'transactions'>
): Pick<System, 'workerChanged' | 'tellRuns' | 'waitingForWorkers' | 'placements' | 'heldBackWith' | 'lacksWorker'> {
  return {
    // D1223: whose key was revoked is looked up before every decision of the engine
    workerChanged: (home, latest) =>
      transactions.take(() => {
        const worker = latest()
        root.send(
          worker ? { type: 'worker.changed', worker, at: clock.now() } : { type: 'worker.gone', home, at: clock.now() }
        )
      }),
    tellRuns({ type, home, worker, told }) {
      const news = { home, keys: keysOn(runs, home), at: clock.now() }
      transactions.take(() =>
        root.send(type === 'worker.lost' ? { type, ...news, worker, ...told } : { type, ...news })
      )
    },
    waitingForWorkers() {
      const lines = Object.entries(root.getSnapshot().children).flatMap(([id, child]) =>
        id.startsWith('queue/') && child
          ? [(child.getSnapshot() as SnapshotFrom<typeof queueMachine>).context.line]
          : []
      )
      return lines.flatMap(lackingWorkers)
    },
    placements: () => placementsOf(runs, root.getSnapshot().context.fleet),
    lacksWorker({ plan }) {
      const needs = workerNeeds(plan)
      const { fleet } = root.getSnapshot().context
      return needs !== undefined && !(fleet && workerFor(fleet, needs))
    },
    heldBackWith(key) {
      const { fleet } = root.getSnapshot().context
      return fleet && heldBackWith(fleet, key)
    }
  }
}
