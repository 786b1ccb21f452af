/** Options of `createEngine`. */
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { MonitoringOptions } from '../engine/resources.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import type { Log } from '../log.ts'
import type { InspectOptions } from './inspected-engine.ts'

export interface EngineOptions extends Settings {
  /** A home of its own that is removed at close. Runs are stopped then, unless `close` says otherwise. */
  temporary?: boolean
  /** Takes no lock, recovers nothing, refuses every command and every change: for looking at a home that another engine may own. */
  readOnly?: boolean
  /** Looks at the machine's resources now and then, `true`: as configured; default: never. */
  monitoring?: MonitoringOptions | true
  /** Lets no queued run go: for a process that leaves soon. They wait for the next engine on this home. */
  holdQueues?: boolean
  /**
   * Starts, stops and restarts runs by the schedules of the stored definitions. Default: no, so that an engine in another
   * program, or for one run in the foreground, begins nothing by itself; `troupe start-all` and `server` say yes.
   */
  schedules?: boolean
  /**
   * For debugging a host application. `true`: the API and its page are served to this machine on a free port, and the address is
   * printed on stderr. `to`: each transition is told to the WebSocket of an inspector that speaks the protocol of
   * `@statelyai/inspect`. Default: nothing of it, at no cost.
   */
  inspect?: boolean | InspectOptions
  /** Executors beside the built-in ones, for `executor.type` in definitions that this engine reads. @see defineExecutor */
  executors?: readonly CustomExecutor[]
  /** The time, waits and random numbers; default: the system's. */
  clock?: Clock
  /** Where the engine says what it does; default: nowhere. */
  log?: Log | 'stderr'
  /**
   * Opens the store; default: LMDB below the data folder. For tests that put one in between that refuses or dies: it is a `Store`, whose
   * types need not compile in a host.
   */
  openStore?: (dataDir: string, options: { readOnly: boolean }) => object
}
