/** What mocks stand for: what there is to know of each executor, and the real ones for steps that pass through. */
import { join } from 'node:path'
import { systemClock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import { dockerEngine } from '../executors/docker/connection.ts'
import type { Executor } from '../executors/executor.ts'
import { openExecutors } from '../executors/index.ts'
import type { Capture } from '../executors/launcher/capture.ts'
import { type Launcher, openLauncher } from '../executors/launcher/launcher.ts'
import { launcherFolder } from '../executors/launcher/launcher-folder.ts'
import { nativeLauncher } from '../executors/launcher/native-binary.ts'
import { allowedEnvironment } from '../platform/allowed-environment.ts'

export interface RealExecutors {
  /** The executors as far as they are known; none of these may start anything. */
  all: ReadonlyMap<string, Executor>
  /** An executor that executes. @throws Error for a type without one */
  get(type: string): Executor
  close(): Promise<void>
}

/** A launcher is opened for the first step that passes through. */
export function openRealExecutors(config: Config, custom: readonly CustomExecutor[]): RealExecutors {
  const { dataDir, environment } = config
  let launcher: Launcher | undefined
  const opened = (): Launcher => {
    launcher ??= openLauncher({
      folder: join(launcherFolder(dataDir), 'test'),
      environment: allowedEnvironment(environment),
      starting: config.maxProcesses,
      clock: systemClock,
      native: nativeLauncher()
    })
    return launcher
  }
  const late: Launcher = {
    launch: (job) => opened().launch(job),
    watch: (...args) => opened().watch(...args),
    get holdersBelow() {
      return opened().holdersBelow
    },
    get load() {
      return opened().load
    },
    close: async () => launcher?.close()
  }
  const capture: Capture = () => Promise.reject(new Error('commands do not pass through'))
  const all = openExecutors(late, capture, systemClock, dockerEngine(dataDir, environment, systemClock), custom)
  return {
    all,
    get(type) {
      const executor = all.get(type)
      if (executor) return executor
      throw new Error(`executor type "${type}" is not registered`)
    },
    async close() {
      for (const executor of all.values()) await executor.close?.()
      await late.close()
    }
  }
}
