/** A worker as its settings say: its key, its home, its bus, its tasks. Source: distribution 2, 5, 6. */
import { hostname } from 'node:os'
import { join } from 'node:path'
import { openSecretProviders } from '../actors/run/secrets/secret-providers.ts'
import type { Bus } from '../bus/bus.ts'
import { checkSeed, readKeyFile, type WorkerKey } from '../bus/key-file.ts'
import { subjectsOf } from '../bus/messages.ts'
import { openNatsBus } from '../bus/nats.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { TroupeError } from '../errors.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import type { HostSecrets } from '../executors/custom/host-secrets.ts'
import { stepPolicyOf } from '../executors/limits/open-policy.ts'
import type { Log } from '../log.ts'
import { prepareHome } from '../platform/home-folder.ts'
import { serversFor } from './coordinators.ts'
import { openWorkerHome, type WorkerHome } from './home.ts'
import { openWorkerTasks } from './open-tasks.ts'
import { openWorker, type Worker } from './worker.ts'

export interface StartParts {
  config: Config
  clock: Clock
  log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Version of the program. */
  version: string
  /** Besides the built-in ones. */
  executors?: readonly CustomExecutor[]
  secrets?: HostSecrets
  /** Default: NATS, as the settings say. */
  openBus?(home: string): Bus
}

export interface StartedWorker {
  /** The name that people know the worker by. */
  id: string
  /** The user of the home releases it, once the worker has left. */
  home: WorkerHome
  worker: Worker
}

/** @throws TroupeError bad_request: its key, or a folder; service_unavailable: another worker has the home */
export async function startWorker(parts: StartParts): Promise<StartedWorker> {
  const { config, clock, log, version, executors, secrets } = parts
  const { environment, defaultShell, maxProcesses, coordination } = config
  const { cluster } = coordination
  const { labels, slots, spoolLimit } = coordination.worker
  const key = await keyFor(coordination)
  const id = coordination.worker.id || key?.id || `${hostname()}@${process.pid}`
  // D1473: a worker has its own limits, and none of users or cgroups
  if (config.stepRules)
    throw new TroupeError(
      'bad_request',
      'steps.*: a worker runs steps as itself, without limits: leave these settings out, or limit the worker as a whole'
    )
  const policy = stepPolicyOf(config)
  prepareHome(config, 'write')
  const home = openWorkerHome(join(config.home, 'worker'), clock, key?.home)
  try {
    let servers: readonly string[] = []
    function natsBus(): Bus {
      return openNatsBus({
        name: `worker ${id}`,
        inbox: subjectsOf(cluster).inbox(home.id),
        clock,
        find() {
          const found = serversFor(coordination)
          servers = found.servers
          return found
        }
      })
    }
    const bus = parts.openBus?.(home.id) ?? natsBus()
    const tasks = openWorkerTasks({
      bus,
      clock,
      log,
      folder: home.folder,
      homeId: home.id,
      session: home.session,
      cluster,
      id,
      slots,
      spoolLimit,
      environment,
      defaultShell,
      maxProcesses,
      ...(executors ? { executors } : {}),
      rules: config,
      ...(policy ? { policy } : {}),
      secretProviders: openSecretProviders({ host: secrets, clock })
    })
    const where = () => servers.join(', ')
    const worker = openWorker({ bus, where, clock, log, home, cluster, id, labels, slots, version, tasks })
    return { id, home, worker }
  } catch (error) {
    home.release()
    throw error
  }
}

/** @throws TroupeError bad_request: it cannot be read, or does not fit the settings */
async function keyFor({ cluster, worker }: Config['coordination']): Promise<WorkerKey | undefined> {
  const { keyFile, id } = worker
  if (keyFile === '') return undefined
  const key = readKeyFile(keyFile)
  await checkSeed(key, keyFile)
  const problems = [
    ...(key.cluster === cluster
      ? []
      : [`it is for the cluster ${key.cluster}, and coordinator.cluster is ${cluster}: set that`]),
    ...(id === '' || id === key.id
      ? []
      : [`it is the key of ${key.id}, and worker.id is ${id}: leave that out, or enroll ${id}`])
  ]
  if (problems.length > 0) throw new TroupeError('bad_request', `worker.keyFile: ${problems.join('; ')}`)
  return key
}
