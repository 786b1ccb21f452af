/** The context of a command: terminal, clock, settings, signals, and how to open an engine. Tests pass their own. */
import type { ServeOptions } from '../api/server.ts'
import { type Clock, systemClock } from '../clock.ts'
import { type Config, explainConfig, readConfig, type Settings, type ShownSetting } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { EngineOptions } from '../host/options.ts'
import type { OtherServer } from './owner/other-servers.ts'

/** Where text is written; a terminal has a size. */
export interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
  /** Resolves when its reader has gone away; absent: its reader cannot go away. */
  left?: Promise<void>
  /** Resolves when more can be written without buffering; absent: writes never buffer. */
  drained?(): Promise<void>
}

/** A server elsewhere. */
export interface Remote {
  /** As it is shown: without credentials. */
  url: string
  /** Address of the API. */
  baseUrl: string
  token?: string
  basic?: { username: string; password: string }
}

/** The API on a port. */
export interface Served {
  /** Such as `http://127.0.0.1:8080`. */
  address: string
  /** Address of the web page, if there is one. */
  page?: string
  close(): Promise<void>
}

export interface CliContext {
  /** Results: text or JSON, without what a terminal would interpret. */
  out: Output
  /** Logs and errors, likewise. */
  err: Output
  /** Where results go, as bytes: for what is a file, and for control sequences of the command line itself. */
  verbatim: Output
  /** Working directory, absolute. */
  cwd: string
  /** The server that the command works on; absent: a home of this machine. */
  remote?: Remote
  clock: Clock
  /**
   * @param wrong told what is wrong, and each such setting has its default; absent: it is refused
   * @throws TroupeError bad_request for a setting that is wrong
   */
  configure(settings: Settings, wrong?: (problems: readonly string[]) => void): Config
  /** The same, with every setting in a form for people. */
  explain(settings: Settings): { config: Config; shown(): ShownSetting[] }
  /** Opens the engine in this process. @throws TroupeError service_unavailable when another one owns the home */
  createEngine(
    options: Settings & Pick<EngineOptions, 'readOnly' | 'holdQueues' | 'log' | 'monitoring' | 'schedules'>
  ): Promise<Engine>
  /** Serves the API on the address in the engine's settings. */
  serve(engine: Engine, options: Required<Pick<ServeOptions, 'log'>> & Pick<ServeOptions, 'answered'>): Promise<Served>
  /** Sets the runtime flags of a server. */
  serving(): Promise<void>
  /** From now on memory is given back whenever this process rests. */
  resting(): Promise<void>
  /** Other homes with a running engine of this user. @param home the one to leave out */
  otherServers(home: string): Promise<OtherServer[]>
  /** Calls `listen` with each SIGINT and SIGTERM, which then no longer end the process. Returns a function that undoes this. */
  onSignal(listen: () => void): () => void
  /** Calls `listen` with each SIGHUP, SIGUSR1 and SIGUSR2, which then no longer end the process. Returns a function that undoes this. */
  onNotice(listen: (signal: NodeJS.Signals) => void): () => void
  /** Closes a debugger that a signal has opened, unless options of Node asked for one. @returns whether it closed one */
  closeDebugger(nodeOptions?: string): Promise<boolean>
  /** Calls `last` when the process exits for any reason. Returns a function that undoes this. */
  onExit(last: () => void): () => void
}

/** Without where it writes. */
export type Surroundings = Omit<CliContext, 'out' | 'err' | 'verbatim'>

/** Options of Node that open a debugger. */
const ASKS_FOR_DEBUGGER = /(^|\s)--(inspect|debug)/

/** The context of the real program. */
export const context = (): Surroundings => ({
  cwd: process.cwd(),
  clock: systemClock,
  configure: (settings, wrong) => readConfig(settings, undefined, undefined, wrong),
  explain: (settings) => explainConfig(settings),
  async createEngine(options) {
    // A server loads its API first: recovering runs may keep the processor busy.
    if (options.schedules) await import('../api/server.ts')
    return (await import('../host/create-engine.ts')).createEngine(options)
  },
  serve: async (engine, options) => (await import('../api/server.ts')).serve(engine, options),
  serving: async () => (await import('./program/serving-flags.ts')).setServingFlags(),
  resting: async () => (await import('./program/resting-heap.ts')).giveBackAtRest(),
  otherServers: async (home) => (await import('./owner/other-servers.ts')).otherServers(home, systemClock),
  onSignal(listen) {
    const signals = ['SIGINT', 'SIGTERM'] as const
    for (const signal of signals) process.on(signal, listen)
    return () => {
      for (const signal of signals) process.off(signal, listen)
    }
  },
  onNotice(listen) {
    const signals = ['SIGHUP', 'SIGUSR1', 'SIGUSR2'] as const
    for (const signal of signals) process.on(signal, listen)
    return () => {
      for (const signal of signals) process.off(signal, listen)
    }
  },
  async closeDebugger(nodeOptions = '') {
    const isAsked = ASKS_FOR_DEBUGGER.test([...process.execArgv, nodeOptions].join(' '))
    const { close, url } = await import('node:inspector')
    // Node sees an early signal twice: it may have opened a debugger at once, and would open another in the next turn of the event loop.
    await new Promise(setImmediate)
    if (isAsked || url() === undefined) return false
    close()
    return true
  },
  onExit(last) {
    process.once('exit', last)
    return () => void process.off('exit', last)
  }
})
