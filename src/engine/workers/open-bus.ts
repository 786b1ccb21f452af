/** The bus of an engine and the room of its workers. Loaded where there is a coordinator. Source: distribution 2, 9. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import type { System } from '../../actors/root/system.ts'
import { remoteRunner } from '../../actors/workers/tasks/remote-runner.ts'
import { runOnBus } from '../../actors/workers/tasks/task-ids.ts'
import { openWorkers } from '../../actors/workers/workers.ts'
import { coordinatorIn } from '../../bus/address-file.ts'
import type { Bus } from '../../bus/bus.ts'
import { countedBus } from '../../bus/counted.ts'
import { engineServers } from '../../bus/engine-servers.ts'
import { subjectsOf } from '../../bus/messages.ts'
import { openNatsBus } from '../../bus/nats.ts'
import type { WorkerSeen } from '../../inspect/explain/situation.ts'
import { survived } from '../../log.ts'
import { beginEpoch, type EngineIdentity } from '../../store/workers.ts'
import { VERSION } from '../../version.ts'
import type { EngineParts } from '../engine-parts.ts'
import type { BusView, CoordinatorView, WorkerTask, WorkerView } from './worker-views.ts'

export interface OpenBus {
  workers(): WorkerView[]
  /** Those that serve: one that is refused gets nothing, whatever its labels. */
  seen(): WorkerSeen[]
  view(): BusView
  /** Whether it was connected at some time. */
  wasReached(): boolean
  rival(): string | undefined
  close(): Promise<void>
}

/** What of the system of actors has to do with workers. */
export type ServedSystem = Pick<
  System,
  'transactions' | 'serveWorkers' | 'isComplete' | 'workerChanged' | 'workerGone' | 'placements'
>

export async function openBus(parts: EngineParts, system: ServedSystem): Promise<OpenBus> {
  const { config, clock, log, store } = parts
  const { coordination } = config
  const { transactions, isComplete } = system
  const openedAt = clock.now()
  const engine = await beginEpoch(store, clock)
  const bus = countedBus(parts.openBus?.(engine) ?? natsBus(parts, engine))
  let wasReached = bus.state === 'connected'
  bus.onState((state) => {
    if (state === 'connected') log.info('the message bus of the workers is connected')
    else log.warn('the message bus of the workers is out of reach', { reason: bus.trouble })
    wasReached ||= state === 'connected'
  })
  const room = openWorkers({
    ...{ bus, clock, store, transactions, engine, version: VERSION, cluster: coordination.cluster },
    lostAfterMs: coordination.worker.lostAfterMs,
    isComplete,
    openRuns: (home) => new Set((system.placements().get(home)?.runs ?? []).map(nameOnBus)),
    changed: (home, worker) => (worker ? system.workerChanged(worker) : system.workerGone(home)),
    fault: (error) => survived(log, error)
  })

  const { desk, isLost } = room
  system.serveWorkers((runs) => remoteRunner({ ...runs, desk, isLost }))

  function taskOf({ name, dagRunId, caller, startedAt }: RunRecord): WorkerTask {
    return {
      ...{ name, dagRunId, root: caller?.root ?? { name, dagRunId } },
      ...(caller ? { parent: caller.parent } : {}),
      ...(startedAt === undefined ? {} : { startedAt })
    }
  }
  function coordinators(): CoordinatorView[] {
    if (coordination.nats.length > 0)
      return coordination.nats.map((address) => ({ ...hostAndPort(address), startedAt: openedAt }))
    const found = coordinatorIn(coordination.registryDir)
    return found ? [{ host: found.advertise || found.host, port: found.port, startedAt: found.startedAt }] : []
  }
  return {
    workers() {
      const placements = system.placements()
      return room.list().map((worker) => ({ ...worker, tasks: (placements.get(worker.home)?.runs ?? []).map(taskOf) }))
    },
    seen() {
      const placements = system.placements()
      const serving = room.list().filter(({ status }) => status === 'serving')
      return serving.map(({ id, labels, slots, executors, heardAt, health, home }) => ({
        ...{ id, labels, slots, executors, heardAt, isTaking: health === 'healthy' },
        taken: placements.get(home)?.taken ?? 0
      }))
    },
    view: () => ({
      connected: bus.state === 'connected',
      trouble: bus.trouble,
      coordinators: coordinators(),
      messages: bus.traffic()
    }),
    wasReached: () => wasReached,
    rival: room.rival,
    async close() {
      await room.close()
      await bus.close()
    }
  }
}

const nameOnBus = ({ placement, attempt, ...key }: RunRecord) => `${runOnBus(key, attempt)}-${placement?.lease}`

function natsBus({ config, clock }: EngineParts, { id }: EngineIdentity): Bus {
  const { coordination } = config
  return openNatsBus({
    find: () => engineServers(coordination),
    name: `engine ${id}`,
    inbox: subjectsOf(coordination.cluster).inbox(id),
    clock
  })
}

const NATS_PORT = 4222

function hostAndPort(address: string): { host: string; port: number } {
  const [, host = '', port] = /^(?:\w+:\/\/)?\[?(.*?)\]?(?::(\d+))?$/.exec(address) ?? []
  return { host, port: Number(port ?? NATS_PORT) }
}
