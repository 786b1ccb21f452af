/** Takes ownership of a home: takes the lock, replays the write-ahead file, starts launcher and actors. Source: architecture 5. */
import { join } from 'node:path'
import type { RunKey } from '../../machines/vocabulary.ts'
import { openSystem, type SystemParts } from '../actors/root/system.ts'
import { ownFolder } from '../actors/run/run-environment.ts'
import { openRunLogs } from '../actors/run/run-log.ts'
import { openSecretProviders } from '../actors/run/secrets/secret-providers.ts'
import type { Scheduling } from '../actors/schedule/scheduling.ts'
import { type Clock, everyNowAndThen, pause, uuidV7 } from '../clock.ts'
import { type Config, useOf } from '../config.ts'
import { resumeMoves } from '../definitions/rename-definition.ts'
import { TroupeError, thrownText, whenRejected } from '../errors.ts'
import { dockerEngine } from '../executors/docker/connection.ts'
import { sharedContainers } from '../executors/docker/shared-container.ts'
import { openExecutors } from '../executors/index.ts'
import { capturing, killLeftCommands } from '../executors/launcher/capture.ts'
import { openLauncher } from '../executors/launcher/launcher.ts'
import { launcherFolder } from '../executors/launcher/launcher-folder.ts'
import { nativeLauncher } from '../executors/launcher/native-binary.ts'
import { keepCheckpoints } from '../inspect/checkpoint-keeper.ts'
import { survived } from '../log.ts'
import { allowedEnvironment } from '../platform/allowed-environment.ts'
import { openMeters } from '../platform/meters.ts'
import { commit } from '../store/commit.ts'
import { ownedBy } from '../store/disk/home-owner.ts'
import { takeLock } from '../store/disk/lock.ts'
import { openFiles } from '../store/disk/open-files.ts'
import { entriesIn, openWriteAhead } from '../store/disk/write-ahead.ts'
import { findRuns } from '../store/find-runs.ts'
import { rememberExecutors } from '../store/host-executors.ts'
import { asDamage, type Store } from '../store/open.ts'
import { leaseAfter } from '../store/tables/workers.ts'
import type { EngineEvent } from './engine.ts'
import type { EngineParts } from './engine-parts.ts'
import { heldIn, openPassage, stepGroupsFor } from './limits/step-limits.ts'
import { openNotifications } from './notifications.ts'
import type { OwnedHome } from './owned-home.ts'
import { isBounded } from './start/admission.ts'
import { calledWorkflow } from './start/called-workflow.ts'
import { codeOf, loadCodeParams } from './start/code-params.ts'
import { loadParams, overrideOf } from './start/params.ts'
import { schedulesOf } from './start/schedules.ts'

/** Interval at which the files of the home are checked while there are no requests. */
const LOOK_MS = 5_000

/** @throws TroupeError service_unavailable: another engine owns the home. Closes what was opened, also after any other failure */
export async function ownHome(parts: EngineParts): Promise<OwnedHome> {
  const { store, definitions, whole, config } = parts
  let unlock = () => {}
  let hasDied = false
  try {
    unlock = lockedBy(store, config, () => {
      hasDied = true
    })
    whole?.opened(store)
    return await openHome(parts, unlock, hasDied)
  } catch (error) {
    definitions.close()
    unlock() // this process continues, and may open the home again once the problem is solved
    await store.root.close()
    whole?.abandoned(error)
    throw error
  }
}

/** Where there can be no coordinator, there are no workers. */
function fleetOf({ coordination }: Config, store: Store): Pick<SystemParts, 'fleet'> {
  const use = useOf(coordination)
  const { lostAfterMs } = coordination.worker
  return use === 'never' ? {} : { fleet: { lease: leaseAfter(store), maybe: use === 'found', lostAfterMs } }
}

/** @throws TroupeError also for a store that is damaged, so that it cannot be written */
function lockedBy(store: Store, { home, dataDir }: Config, wasLeft: () => void): () => void {
  try {
    return takeLock(store, wasLeft)
  } catch (error) {
    if (error instanceof TroupeError && error.details?.owner === process.pid) throw ownedBy(process.pid, home)
    throw asDamage(join(dataDir, 'troupe.mdb'), error)
  }
}

async function openHome(parts: EngineParts, unlock: () => void, hasDied: boolean): Promise<OwnedHome> {
  const { config, clock, log, store, definitions, flags, holdQueues, whole, policy } = parts
  const native = nativeLauncher()
  if (policy) await openPassage(config, policy.accounts)
  const groups = stepGroupsFor(config)
  const commands = policy && heldIn(groups, policy)
  if (commands) config.commands = commands
  const aheadPath = join(config.dataDir, 'write-ahead')
  const left = entriesIn(aheadPath)
  if (left.length > 0) await commit(store, left, { again: true })
  await resumeMoves({ store, definitions, flags })
  rememberExecutors(
    store,
    parts.executors.map(({ type }) => type)
  )
  const ahead = openWriteAhead(aheadPath)
  const files = openFiles(config, () => clock.elapsed())
  let reported: string | undefined
  const unwatch = everyNowAndThen(LOOK_MS, () => {
    const fault = files.fault()
    if (fault !== reported) {
      if (fault === undefined) log.warn('the home is where it was: runs can be started', { home: config.home })
      else log.error(fault, { home: config.home })
    }
    reported = fault
  })
  const refuseLost = () => {
    const fault = files.fault()
    if (fault !== undefined) throw new TroupeError('service_unavailable', fault)
  }
  const listeners = new Set<{ listen(event: EngineEvent): void; run?: RunKey }>()
  const checkpoints = keepCheckpoints(store, (next) => clock.soon(next))
  const thrown = (error: unknown) => log.error('a subscriber has thrown', { error: thrownText(error) })
  const publish = (event: EngineEvent) => {
    checkpoints.told(event)
    for (const { listen, run } of listeners)
      if (!run || (run.name === event.run?.name && run.dagRunId === event.run?.dagRunId))
        try {
          whenRejected(listen(event), thrown) // an async function
        } catch (error) {
          thrown(error) // the other subscribers are still called
        }
  }
  const meters = openMeters()
  const folder = join(launcherFolder(config.dataDir), uuidV7(clock))
  killLeftCommands(folder)
  const launcher = openLauncher({
    folder,
    environment: allowedEnvironment(config.environment),
    starting: config.maxProcesses,
    clock,
    native,
    meters
  })
  const logs = openRunLogs(clock, (path, error) =>
    log.error('a run log cannot be written', { path, error: String(error) })
  )
  const docker = dockerEngine(config.dataDir, config.environment, clock)
  const containers = sharedContainers(docker, clock)
  const capture = capturing(launcher, folder, groups)
  const executors = openExecutors(launcher, capture, clock, docker, parts.executors, {
    ...(config.egress ? { egress: config.egress } : {}),
    scripts: join(config.dataDir, 'scripts'),
    groups
  })
  const notifications = await openNotifications(parts)
  const system = openSystem({
    store,
    hasDied,
    ahead,
    clock,
    logs,
    executors,
    functions: parts.functions,
    secretProviders: openSecretProviders({ host: parts.secrets, clock }),
    capture,
    containers,
    paramsOf: (plan, key, { params, written = [] }, options) => {
      const code = codeOf(definitions, plan)
      const own = ownFolder(config.dataDir, key)
      const { defaultShell, commands } = config
      return code
        ? loadCodeParams(code, plan, params, { defaultShell, own, commands, ...options })
        : loadParams(plan, overrideOf(plan, params), written, { defaultShell, own, clock, commands, ...options })
    },
    workflow: (target, workingDir, besides, starter) =>
      calledWorkflow(definitions, target, { workingDir, dagsDir: config.dagsDir, besides }, starter),
    releaseOf: (dag) => definitions.code(dag)?.dag.release,
    dataDir: config.dataDir,
    environment: config.environment,
    defaultShell: config.defaultShell,
    ...(policy && commands ? { commands, refused: policy.refused } : {}),
    strict: config.durability === 'strict',
    queues: config.queues.enabled
      ? Object.fromEntries(config.queues.config.map((queue) => [queue.name, queue.maxConcurrency]))
      : {},
    holdQueues,
    ...fleetOf(config, store),
    ...(parts.schedules ? { scheduling: refusing(schedulesOf(parts, isBounded), refuseLost) } : {}),
    publish,
    ...(notifications?.notices ? { notices: notifications.notices } : {}),
    meters,
    stalled: (reason) =>
      reason === undefined
        ? log.warn('the store is writable again: runs continue')
        : log.warn('runs wait, and nothing can be started', { reason }),
    fault: (error) => survived(log, error)
  })
  const deliveries = notifications?.begin(system)
  return {
    system,
    logs,
    containers,
    deliveries,
    publish,
    measured: { meters, launcher },
    lost: () => files.fault() ?? whole?.damage(),
    subscribe(listen, run) {
      const listener = { listen, ...(run ? { run } : {}) }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    async close() {
      unwatch()
      await system.close()
      const { left } = system.transactions
      if (left === undefined) await deliveries?.close()
      else log.warn('the end was not stored: the next engine goes on from what is stored', leftOpen(store, left))
      checkpoints.close()
      await Promise.all(
        [...executors].map(async ([type, executor]) => {
          try {
            await executor.close?.()
          } catch (error) {
            log.error('an executor could not be closed', { type, error: thrownText(error) }) // the home is still released
          }
        })
      )
      await logs.flushed()
      await launcher.close()
      definitions.close()
      ahead.close()
      if (left === undefined) {
        unlock()
        await store.root.close()
      } else await closeUnwritten(store, unlock, clock)
      whole?.closed()
    }
  }
}

/** For what lmdb closes by itself after a write that the disk has refused, ms. */
const CLOSING_MS = 500

/** lmdb waits for ever for the flush of a write that was refused, and the lock cannot be removed. */
async function closeUnwritten({ root }: Store, unlock: () => void, clock: Clock): Promise<void> {
  try {
    unlock()
  } catch {
    // The lock is known not to be held, by this process, and by others once this process has ended.
  }
  await Promise.race([root.close(), pause(clock, CLOSING_MS)])
}

/** Runs that are named where an engine leaves them to the next one. */
const NAMED = 10

function leftOpen(store: Store, reason: string) {
  const runs = findRuns(store, { status: ['running'] })
  const named = runs.slice(0, NAMED).map(({ name, dagRunId }) => `${name} ${dagRunId}`)
  return { reason, open: runs.length, ...(named.length > 0 ? { runs: named } : {}) }
}

/** Schedules that start nothing while `refuse` throws; the decision says why. The other members, getters included, stay as they are. */
const refusing = (scheduling: Scheduling, refuse: () => void): Scheduling =>
  Object.assign<Scheduling, Partial<Scheduling>>(Object.create(scheduling), {
    async runRequest(fileName: string) {
      refuse()
      return scheduling.runRequest(fileName)
    },
    async restart(key: RunKey, dagRunId: string) {
      refuse()
      return scheduling.restart(key, dagRunId)
    }
  })
