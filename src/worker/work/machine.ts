/** What the steps of a worker need of its machine: launcher, executors, logs. The same rooms as an engine's. Source: distribution 2, 5. */
import { join } from 'node:path'
import type { RunKey } from '../../../machines/vocabulary.ts'
import { openDiskSpace } from '../../actors/pace/disk-space.ts'
import { fewEachRound } from '../../actors/pace/few-each-round.ts'
import type { StepServices } from '../../actors/root/step-services.ts'
import { keyOfLabel } from '../../actors/run/run-container.ts'
import { openRunLogs } from '../../actors/run/run-log.ts'
import type { SecretProviders } from '../../actors/run/secrets/secret-providers.ts'
import { type Clock, uuidV7 } from '../../clock.ts'
import { messageOf, thrownText } from '../../errors.ts'
import type { CustomExecutor } from '../../executors/custom/custom.ts'
import { dockerEngine, LABEL } from '../../executors/docker/connection.ts'
import { sharedContainers } from '../../executors/docker/shared-container.ts'
import { type Fence, openFence } from '../../executors/fence/fence.ts'
import { missingCode } from '../../executors/function/missing-code.ts'
import { type ExecutorRules, openExecutors } from '../../executors/index.ts'
import { capturing, killLeftCommands } from '../../executors/launcher/capture.ts'
import { openLauncher } from '../../executors/launcher/launcher.ts'
import { launcherFolder } from '../../executors/launcher/launcher-folder.ts'
import { nativeLauncher } from '../../executors/launcher/native-binary.ts'
import type { StepPolicy } from '../../executors/limits/step-policy.ts'
import type { Log } from '../../log.ts'
import { allowedEnvironment } from '../../platform/allowed-environment.ts'
import { makeFolderAtOnce } from '../../platform/make-folder.ts'

export interface MachineParts {
  /** The folder of the worker's own files; this process has locked it. */
  folder: string
  /** The worker's own. */
  environment: Readonly<Record<string, string>>
  defaultShell: string
  maxProcesses: number
  executors?: readonly CustomExecutor[]
  /** What executors are held to here; absent: nothing. */
  rules?: ExecutorRules
  /** What steps are held to; absent: nothing. */
  policy?: StepPolicy
  /** Where secrets come from, besides variables and files. Absent: programs print them. */
  secretProviders?: SecretProviders
  clock: Clock
  log: Pick<Log, 'info' | 'warn' | 'error'>
}

export interface Machine {
  /** Without the scopes of runs. */
  services: Omit<StepServices, 'scope'>
  /** Types of steps that it can execute. */
  executors: string[]
  /** Removes containers of runs that are not open. */
  sweep(isOpen: (run: RunKey) => boolean): void
  /** Ends what is at work here when the engine is not heard for long. */
  fence: Fence
  /** Steps at work live on. */
  close(): Promise<void>
}

/** Executions that are searched for in one round of the event loop. */
const LOOKED_FOR = 50

export const fenceFolder = (folder: string): string => join(folder, 'fence')

export function openMachine(parts: MachineParts): Machine {
  const { folder, environment, defaultShell, clock, log } = parts
  makeFolderAtOnce(folder, 0o700)
  const native = nativeLauncher()
  const own = join(launcherFolder(folder), uuidV7(clock))
  killLeftCommands(own)
  const { DOCKER_HOST } = environment
  const docker = dockerEngine(folder, environment, clock)
  const fence = openFence({
    folder: fenceFolder(folder),
    ownLabel: () => `${LABEL}owner=${docker.owner()}`, // other workers may use the same Docker engine
    environment: { ...allowedEnvironment(environment), ...(DOCKER_HOST === undefined ? {} : { DOCKER_HOST }) }
  })
  const launcher = openLauncher({
    folder: own,
    starting: parts.maxProcesses,
    clock,
    native,
    environment: allowedEnvironment(environment),
    limitOf: fence.limitOf
  })
  const logs = openRunLogs(clock, (path, error) =>
    log.error('a run log cannot be written', { path, error: String(error) })
  )
  const containers = sharedContainers(docker, clock)
  const capture = capturing(launcher, own)
  const executors = openExecutors(launcher, capture, clock, docker, parts.executors, parts.rules)
  const { secretProviders } = parts
  return {
    executors: [...executors.keys()],
    fence,
    services: {
      clock,
      logs,
      capture,
      containers,
      defaultShell,
      environment,
      ...(secretProviders ? { secretProviders } : {}),
      ...(parts.policy ? { commands: parts.policy.commands, refused: parts.policy.refused } : {}),
      mayLook: fewEachRound(clock, LOOKED_FOR),
      diskSpace: openDiskSpace(clock),
      functions: new Map(), // they exist in the process of the host application alone
      missing: missingCode({ hasExecutor: (type) => executors.has(type), hasFunction: () => false }).missing,
      missingIn: () => undefined, // a run does not wait here: its engine is told
      executorFor({ executor: { type } }) {
        const executor = executors.get(type)
        if (!executor) throw new Error(`executor type "${type}" is not registered`)
        return executor
      }
    },
    sweep(isOpen) {
      containers
        .sweep((run) => isOpen(keyOfLabel(run)))
        .catch((error) => log.warn(`containers of earlier runs may be left: ${messageOf(error)}`))
    },
    async close() {
      for (const [type, executor] of executors)
        try {
          await executor.close?.()
        } catch (error) {
          log.error('an executor could not be closed', { type, error: thrownText(error) })
        }
      await logs.flushed()
      await launcher.close()
    }
  }
}
