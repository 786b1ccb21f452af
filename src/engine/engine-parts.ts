/** What every engine works with, whether it owns its home or only reads it. */
import type { Bus } from '../bus/bus.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import type { Definitions } from '../definitions/definitions.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import type { HostSecrets } from '../executors/custom/host-secrets.ts'
import type { HostFunctions } from '../executors/function/function.ts'
import type { StepPolicy } from '../executors/limits/step-policy.ts'
import type { Log } from '../log.ts'
import type { WholeStore } from '../store/damage/whole-store.ts'
import type { SuspendFlags } from '../store/files/suspend-flags.ts'
import type { Store } from '../store/open.ts'
import type { EngineIdentity } from '../store/tables/workers.ts'
import type { OwnedHome } from './owned-home.ts'
import type { MonitoringOptions } from './resources.ts'

export interface EngineParts {
  config: Config
  clock: Clock
  log: Log
  store: Store
  definitions: Definitions
  flags: SuspendFlags
  temporary: boolean
  holdQueues: boolean
  monitoring?: MonitoringOptions
  schedules: boolean
  /** Present if the engine owns its home. */
  whole?: WholeStore
  /** Executors of the host application. */
  executors: readonly CustomExecutor[]
  /** What the configuration holds steps to; absent: nothing. */
  policy?: StepPolicy
  /** Opens the home instead of `ownHome`: a test engine has none on disk. */
  openHome?: (parts: EngineParts) => Promise<OwnedHome>
  /** Functions of the engine, by name. */
  functions: HostFunctions
  /** Values of secrets of the provider `host`. */
  secrets?: HostSecrets
  /** Opens the bus instead of the configured one. */
  openBus?: (engine: EngineIdentity) => Bus
}
