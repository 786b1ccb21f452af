/** Options of `createEngine`. */
import type { Dag } from '../builder/types.ts'
import type { Clock } from '../clock.ts'
import type { Settings } from '../config.ts'
import type { MonitoringOptions } from '../engine/resources.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import type { HostSecrets } from '../executors/custom/host-secrets.ts'
import type { Fn } from '../executors/function/types.ts'
import type { Log } from '../log.ts'
import type { InspectOptions } from './inspected-engine.ts'

export interface EngineOptions extends Settings {
  /** A temporary home that is removed at close. By default `close` then stops the runs. */
  temporary?: boolean
  /**
   * Takes no lock, continues no run and refuses every command: for reading a home that another engine may own. What an engine that died
   * had decided is put into the store first, as its next owner would; a home that cannot be written is read as it is, with a warning.
   * A home in which nothing has run has no runs; what runs there later is seen by a reader that is opened after that.
   */
  readOnly?: boolean
  /**
   * Waits for a home that another engine owns, and takes it over within 100 ms of that engine's end, be it closed or killed: a duration such
   * as `30s`, milliseconds, or `true` for as long as it takes. All options are checked first. Default: such a home is refused at once.
   */
  waitForHome?: string | number | true
  /** Ends the wait for the home, with its reason. */
  signal?: AbortSignal
  /**
   * Other processes of this user may use this engine: `connectEngine({ home })` and the commands of `troupe`, over a socket in the home that
   * only this user can open. Default: no
   */
  clients?: boolean
  /** Samples the resources of the machine; `true`: as configured; default: never. */
  monitoring?: MonitoringOptions | true
  /** Starts no queued run, for a process that leaves soon: queued runs wait for the next engine on this home. */
  holdQueues?: boolean
  /**
   * Starts, stops and restarts runs by the schedules of the stored definitions. Default: no, so that an engine in another
   * program, or for one run in the foreground, starts nothing by itself; `troupe start-all` and `server` set it.
   */
  schedules?: boolean
  /**
   * For debugging a host application. `true`: the API and its page are served to this machine on a free port, and the address is
   * printed on stderr. `to`: each transition is sent to the WebSocket of an inspector that speaks the protocol of
   * `@statelyai/inspect`. Default: none, at no cost.
   */
  inspect?: boolean | InspectOptions
  /** Executors besides the built-in ones, for `executor.type` in definitions that this engine reads. @see defineExecutor */
  executors?: readonly CustomExecutor[]
  /** Definitions in code: listed and shown like those that are files, and changed in the code only. @see defineDag */
  dags?: readonly Dag[]
  /** Functions that steps of the type `function` call by name. @see defineFunction */
  // biome-ignore lint/suspicious/noExplicitAny: functions of every type are taken, and their params are contravariant.
  functions?: readonly Fn<any, any>[]
  /** Values of secrets of the provider `host`, by what a definition calls them. They are masked like all others. Default: none */
  secrets?: HostSecrets
  /** Time, timers and random numbers; default: of the system. */
  clock?: Clock
  /** The log of the engine; default: none. */
  log?: Log | 'stderr'
  /**
   * Opens the store; default: LMDB below the data folder. For tests that inject a failing one: it is a `Store`, whose
   * types need not compile in a host.
   */
  openStore?: (dataDir: string, options: { readOnly: boolean }) => object
  /**
   * Opens the message bus of the workers; default: NATS, where there is a coordinator. For tests that lose and delay messages: it is a
   * `Bus`, whose types need not compile in a host.
   */
  openBus?: (engine: { id: string; epoch: number }) => object
}
