/** The bus of an engine and the room of its workers. Loaded where there is a coordinator. Source: distribution 2, 9. */
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { System } from '../../actors/root/system.ts'
import { givenUpOf } from '../../actors/workers/tasks/given-up.ts'
import { lateEnds } from '../../actors/workers/tasks/late-ends.ts'
import { remoteRunner } from '../../actors/workers/tasks/remote-runner.ts'
import { runOnBus } from '../../actors/workers/tasks/task-ids.ts'
import { openWorkers } from '../../actors/workers/workers.ts'
import { coordinatorIn } from '../../bus/address-file.ts'
import type { Bus } from '../../bus/bus.ts'
import { countedBus } from '../../bus/counted.ts'
import { engineServers } from '../../bus/engine-servers.ts'
import { watchEnrolment } from '../../bus/enrolment-watch.ts'
import { subjectsOf } from '../../bus/messages.ts'
import { openNatsBus } from '../../bus/nats.ts'
import type { WorkerSeen } from '../../inspect/explain/situation.ts'
import { survived } from '../../log.ts'
import { beginEpoch, type EngineIdentity } from '../../store/tables/workers.ts'
import { VERSION } from '../../version.ts'
import type { EngineParts } from '../engine-parts.ts'
import { drainable } from './drainable.ts'
import { enrolledViews } from './enrolled-views.ts'
import type { BusView, CoordinatorView, DrainRequest, EnrolledView, WorkerTask, WorkerView } from './worker-views.ts'

export interface OpenBus {
  workers(): WorkerView[]
  /** Workers with a key, by id. */
  enrolled(): EnrolledView[]
  /** Workers that serve: one that is refused gets nothing, whatever its labels. */
  seen(): WorkerSeen[]
  view(): BusView
  /** Whether the bus was connected at some time. */
  wasReached(): boolean
  rival(): string | undefined
  /** @throws TroupeError not_found, already_leaving */
  drainWorker(id: string, request: DrainRequest): Promise<WorkerView>
  close(): Promise<void>
}

/** What of the system of actors has to do with workers. */
export type ServedSystem = Pick<
  System,
  | 'transactions'
  | 'serveWorkers'
  | 'isComplete'
  | 'workerChanged'
  | 'placements'
  | 'waitingForWorkers'
  | 'stop'
  | 'tellRuns'
  | 'noteLateEnd'
  | 'noticeWorker'
>

export async function openBus(parts: EngineParts, system: ServedSystem): Promise<OpenBus> {
  const { config, clock, log, store } = parts
  const { coordination } = config
  const { transactions, isComplete } = system
  const openedAt = clock.now()
  const engine = await beginEpoch(store, clock)
  const damaged = (error: unknown) => survived(log, error)
  const enrolment = watchEnrolment(coordination.enrolmentFile, clock, () => room.enrolmentChanged(), damaged)
  const bus = countedBus(parts.openBus?.(engine) ?? natsBus(parts, engine))
  let wasReached = bus.state === 'connected'
  bus.onState((state) => {
    if (state === 'connected') log.info('the message bus of the workers is connected')
    else log.warn('the message bus of the workers is out of reach', { reason: bus.trouble })
    wasReached ||= state === 'connected'
  })
  const room = openWorkers({
    bus,
    clock,
    store,
    transactions,
    engine,
    version: VERSION,
    cluster: coordination.cluster,
    lostAfterMs: coordination.worker.lostAfterMs,
    enrolment: enrolment.now,
    fenceAfterMs: coordination.worker.fenceAfterMs,
    isComplete,
    openRuns: (home) => new Set((system.placements().get(home)?.runs ?? []).map(nameOnBus)),
    givenUp: () =>
      givenUpOf(
        store,
        [...system.placements().values()].flatMap(({ runs }) => runs)
      ),
    hasRuns: (home) => system.placements().has(home),
    stopRuns,
    tellRuns: system.tellRuns,
    late: lateEnds({ store, clock, transactions, note: system.noteLateEnd }),
    neededHomes: () => system.placements().keys(),
    noticed: system.noticeWorker,
    changed: (home, _, latest) => system.workerChanged(home, latest),
    fault: (error) => survived(log, error)
  })

  // D1223: whose key was revoked is looked up before every decision of the engine
  transactions.before(enrolment.look)
  const { dispatcher, isAway } = room
  system.serveWorkers((runs) => remoteRunner({ ...runs, dispatcher, isAway }))

  /** A run that was called by another one there ends with that. */
  function stopRuns(home: string): void {
    const { runs = [] } = system.placements().get(home) ?? {}
    const isThere = ({ name, dagRunId }: RunKey) => runs.some((run) => run.name === name && run.dagRunId === dagRunId)
    for (const { name, dagRunId, caller } of runs)
      if (!caller || !isThere(caller.parent))
        system.stop({ name, dagRunId }).catch((error: unknown) => survived(log, error))
  }
  function taskOf({ name, dagRunId, caller, startedAt }: RunRecord): WorkerTask {
    return {
      name,
      dagRunId,
      root: caller?.root ?? { name, dagRunId },
      ...(caller ? { parent: caller.parent } : {}),
      ...(startedAt === undefined ? {} : { startedAt })
    }
  }
  function workers(): WorkerView[] {
    const placements = system.placements()
    return room.list().map((worker) => {
      const { runs = [], taken = 0 } = placements.get(worker.home) ?? {}
      return { ...worker, tasks: runs.map(taskOf), taken }
    })
  }
  function coordinators(): CoordinatorView[] {
    if (coordination.nats.length > 0)
      return coordination.nats.map((address) => ({ ...hostAndPort(address), startedAt: openedAt }))
    const found = coordinatorIn(coordination.registryDir)
    return found ? [{ host: found.advertise || found.host, port: found.port, startedAt: found.startedAt }] : []
  }
  function waiting(): BusView['waiting'] {
    const counts = new Map<string, number>()
    for (const { needs, count } of system.waitingForWorkers()) {
      const labels = Object.entries(needs.labels).map(([label, value]) => `${label}=${value}`)
      const selector = labels.sort().join(',')
      counts.set(selector, (counts.get(selector) ?? 0) + count)
    }
    return [...counts].map(([selector, count]) => ({ selector, count })).sort((one, other) => other.count - one.count)
  }
  return {
    workers,
    enrolled: () => enrolledViews(enrolment.now()),
    seen() {
      const placements = system.placements()
      const serving = room.list().filter(({ status }) => status !== 'incompatible' && status !== 'lost')
      return serving.map(({ id, labels, slots, executors, heardAt, lostAt, health, home, status, trouble }) => ({
        id,
        home,
        labels,
        slots,
        executors,
        heardAt,
        isDraining: status === 'draining',
        ...(lostAt === undefined ? {} : { lostAt }),
        isTaking: health === 'healthy' && status === 'serving' && trouble === '',
        ...(health === 'healthy' && status === 'serving' && trouble !== '' ? { trouble } : {}),
        taken: placements.get(home)?.taken ?? 0
      }))
    },
    view: () => ({
      connected: bus.state === 'connected',
      trouble: bus.trouble,
      coordinators: coordinators(),
      messages: bus.traffic(),
      waiting: waiting(),
      losses: room.losses()
    }),
    wasReached: () => wasReached,
    rival: room.rival,
    async drainWorker(id, request) {
      const { drain = true, timeoutSec, requestId } = request
      const asked = timeoutSec === undefined ? {} : { timeoutMs: Math.round(Math.min(timeoutSec, LONGEST_SEC) * 1_000) }
      await room.drain(drainable(workers(), id, drain).home, drain ? asked : undefined)
      log.info(drain ? 'a worker was asked to drain' : 'a worker takes runs again', {
        worker: id,
        ...asked,
        ...(requestId === undefined ? {} : { requestId })
      })
      return drainable(workers(), id, drain)
    },
    async close() {
      transactions.before(() => {})
      enrolment.close()
      await room.close()
      await bus.close()
    }
  }
}

/** A year. */
const LONGEST_SEC = 31_536_000

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
