/** What a command finds around it: terminal, clock, settings, signals, and the ways to an engine. Tests hand in their own. */
import { type Clock, systemClock } from '../clock.ts'
import { type Config, explainConfig, readConfig, type Settings, type ShownSetting } from '../config.ts'
import type { Engine } from '../engine/engine.ts'
import type { EngineOptions } from '../host/options.ts'
import type { OtherServer } from './owner/other-servers.ts'

/** Where text goes; a terminal tells its size. */
export interface Output {
  write(text: string): unknown
  isTTY?: boolean
  columns?: number
  rows?: number
  /** Resolves when its reader has gone; absent: who reads it cannot go. */
  left?: Promise<void>
  /** Resolves when what was written has been taken, as far as to write more; absent: whatever is written is taken at once. */
  room?(): Promise<void>
}

/** The API on a port. */
export interface Served {
  /** Such as `http://127.0.0.1:8080`. */
  address: string
  close(): Promise<void>
}

export interface Surroundings {
  /** Results. */
  out: Output
  /** Logs and errors. */
  err: Output
  /** Working directory, absolute. */
  cwd: string
  clock: Clock
  /** @throws TroupeError bad_request for a setting that is wrong */
  configure(settings: Settings): Config
  /** The same, with every setting as people want to see it. */
  explain(settings: Settings): { config: Config; shown(): ShownSetting[] }
  /** Opens the engine in this process. @throws TroupeError service_unavailable when another one owns the home */
  createEngine(
    options: Settings & Pick<EngineOptions, 'readOnly' | 'holdQueues' | 'log' | 'monitoring' | 'schedules'>
  ): Promise<Engine>
  /** Serves the API where the engine's settings say. */
  serve(engine: Engine, options: { log: (message: string, cause: unknown) => void }): Promise<Served>
  /** Tells the runtime that this process serves from now on. */
  serving(): Promise<void>
  /** Other homes that an engine of this user is at work on. @param home the one that is not meant */
  otherServers(home: string): Promise<OtherServer[]>
  /** Calls `listen` with each SIGINT and SIGTERM, which then no longer end the process. Returns the way to end that. */
  onSignal(listen: () => void): () => void
  /** Calls `listen` with each SIGHUP, SIGUSR1 and SIGUSR2, which then do not end the process. Returns the way to end that. */
  onNotice(listen: (signal: NodeJS.Signals) => void): () => void
  /** Closes a debugger that a signal has opened; one that the options of Node ask for stays. @returns whether there was one */
  closeDebugger(nodeOptions?: string): Promise<boolean>
  /** Calls `last` when the process exits, however it does. Returns the way to call that off. */
  onExit(last: () => void): () => void
}

/** What options of Node that open one begin with. */
const ASKS_FOR_DEBUGGER = /(^|\s)--(inspect|debug)/

/** The real ones. */
export const surroundings = (out: Output): Surroundings => ({
  out,
  err: process.stderr,
  cwd: process.cwd(),
  clock: systemClock,
  configure: (settings) => readConfig(settings),
  explain: (settings) => explainConfig(settings),
  async createEngine(options) {
    // A server's API is loaded before it opens runs again: that may keep the processor busy.
    if (options.schedules) await import('../api/server.ts')
    return (await import('../host/create-engine.ts')).createEngine(options)
  },
  serve: async (engine, options) => (await import('../api/server.ts')).serve(engine, options),
  serving: async () => (await import('./program/serving-flags.ts')).setServingFlags(),
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
    // Of a signal that came early Node is told twice: it may have opened one at once, and would open another in its next turn.
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
