/** A worker in a host application: it runs steps with executors of that application. Source: distribution 2, 3 (`executors[]` in hello). */
import type { Bus } from '../bus/bus.ts'
import { type Clock, systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { TroupeError } from '../errors.ts'
import type { CustomExecutor } from '../executors/custom/custom.ts'
import type { HostSecrets } from '../executors/custom/host-secrets.ts'
import { type Log, openLog, silent, withstood } from '../log.ts'
import { array } from '../schema/schema.ts'
import { VERSION } from '../version.ts'
import { executor } from './host-options.ts'
import { anything, callable, mustBe, only, readable, unless, withFunctions } from './host-values.ts'

export interface WorkerOptions {
  /** Folder that it lives in; default: that of `ENGINE_HOME`. One process at a time; started again there it is the same worker. */
  home?: string
  /** Configuration file; it must exist. */
  config?: string
  /** Name of the worker; default: that of its key, else host@pid. */
  id?: string
  labels?: Readonly<Record<string, string>>
  /** Runs that it takes at a time; default 100. */
  maxActiveRuns?: number
  /** Addresses of the coordinator: `host:port` of each; default: as for `troupe worker`. */
  coordinators?: readonly string[]
  /** Path of the worker's key, from `troupe worker enroll`. */
  keyFile?: string
  /** Executors besides the built-in ones. The engine must know them, too, to read definitions that use them. @see defineExecutor */
  executors?: readonly CustomExecutor[]
  /** Values of secrets of the provider `host`, by what a definition calls them. They never leave the worker. Default: none */
  secrets?: HostSecrets
  /** Any other setting, by its key in docs/configuration.md, such as `'peer.token'`. */
  settings?: Readonly<Record<string, unknown>>
  /** Time, timers and random numbers; default: of the system. */
  clock?: Clock
  /** The log of the worker; default: none. */
  log?: Log | 'stderr'
  /** Opens the message bus; default: NATS. For tests that lose and delay messages: a `Bus`, whose types need not compile in a host. */
  openBus?: (home: string) => object
}

/** A worker that takes part. */
export interface HostWorker {
  id: string
  /** Id of the worker's home folder. */
  home: string
  /** Whether an engine has welcomed it. */
  readonly isServing: boolean
  /** Takes no further run, and waits for the present ones; after `timeoutSec` they are stopped. Resolves when it has none. */
  drain(timeoutSec?: number): Promise<void>
  /** Resolves when it should be closed: an engine has drained it. Rejects when another process has taken its place. */
  done: Promise<void>
  /** Leaves at once. Steps in processes of their own go on, and the next worker in this home goes on with them; others are cut off. */
  close(): Promise<void>
}

const options = {
  home: anything,
  config: anything,
  id: anything,
  labels: anything,
  maxActiveRuns: anything,
  coordinators: anything,
  keyFile: anything,
  settings: readable,
  executors: array(executor),
  secrets: callable,
  clock: withFunctions(['now', 'elapsed', 'at', 'after', 'soon', 'random']),
  log: unless('stderr', withFunctions(['debug', 'info', 'warn', 'error'], '"stderr" or ')),
  openBus: callable
} satisfies Record<keyof WorkerOptions, unknown>
const wholeOptions = only('option', options)

/** Options that are settings. */
const SETTINGS = {
  id: 'worker.id',
  labels: 'worker.labels',
  maxActiveRuns: 'worker.maxActiveRuns',
  coordinators: 'worker.coordinators',
  keyFile: 'worker.keyFile'
} as const

/** @throws TroupeError bad_request (options, settings, key), service_unavailable (the home is in use) */
export async function createWorker(given: WorkerOptions = {}): Promise<HostWorker> {
  mustBe(wholeOptions, given, 'options')
  const { clock = systemClock, executors = [], secrets, openBus, home: folder, config: file } = given
  const named = Object.entries(SETTINGS).flatMap(([option, key]) => {
    const value = given[option as keyof typeof SETTINGS]
    return value === undefined ? [] : [[key, value] as const]
  })
  const config = readConfig(
    {
      ...(folder === undefined ? {} : { home: folder }),
      ...(file === undefined ? {} : { config: file }),
      settings: { ...given.settings, ...Object.fromEntries(named) }
    },
    undefined,
    { problems: [] }
  )
  const log =
    given.log === 'stderr'
      ? openLog(clock, { format: config.logFormat, debug: config.debug })
      : withstood(given.log ?? silent)
  // Bus and worker are loaded where there is one.
  const { startWorker } = await import('../worker/start-worker.ts')
  const { id, home, worker } = await startWorker({
    config,
    clock,
    log,
    executors,
    version: VERSION,
    ...(secrets ? { secrets } : {}),
    ...(openBus ? { openBus: (of) => openBus(of) as Bus } : {}) // as in the option
  })
  let closing: Promise<void> | undefined
  const replaced = worker.replaced.then((reason) => {
    throw new TroupeError('service_unavailable', `this worker leaves: ${reason}`)
  })
  const done = Promise.race([worker.drained, replaced])
  done.catch(() => {}) // whoever does not look need not
  return {
    id,
    home: home.id,
    get isServing() {
      return worker.engine() !== undefined
    },
    drain(timeoutSec) {
      worker.drain(timeoutSec === undefined ? undefined : timeoutSec * 1_000)
      return done
    },
    done,
    close() {
      closing ??= worker.close().finally(home.release)
      return closing
    }
  }
}
