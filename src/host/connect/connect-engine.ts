/** The engine of another process, for host applications: typed as in the process that has it. Source: docs/embedding/several-processes.md. */
import type { ConnectedEngine, ConnectedRun, StartOptions } from '../../builder/run-types.ts'
import { systemClock, uuidV7 } from '../../clock.ts'
import { readConfig } from '../../config.ts'
import type { Schema } from '../../schema/schema.ts'
import { noteConnected } from '../../store/disk/connected-home.ts'
import { signalled } from '../checked-engine.ts'
import { duration, durationMs } from '../duration.ts'
import { anything, mustBe, only, refuse, text, thing } from '../host-values.ts'
import { mustBeDag, paramsText, startOptions } from '../typed-runs.ts'
import type { Owner } from './owner.ts'

export interface ConnectOptions {
  /** Home of an engine that takes clients, on this machine and of this user. Default: as for `createEngine` */
  home?: string
  /** Configuration file and data folder of that home, where its engine is told of others. */
  config?: string
  dataDir?: string
  /** Instead of a home, the URL of the API of a server, such as `https://shop.example/flows/api/v2`. */
  url?: string
  /** With `url`: sent as `Authorization: Bearer`. */
  token?: string
  /** How long each request waits while no owner answers: a duration such as `30s`, or milliseconds. Default: 30s */
  waitForOwner?: string | number
}

const httpUrl = thing('an http or https URL of an API, such as http://127.0.0.1:8080/api/v2', (value) =>
  typeof value === 'string' && URL.canParse(value) ? /^https?:$/.test(new URL(value).protocol) : false
)
const options = only('option', {
  home: anything,
  config: anything,
  dataDir: anything,
  url: httpUrl,
  token: text,
  waitForOwner: duration
} satisfies Record<keyof ConnectOptions, Schema>)

/**
 * Connects to the engine that owns a home, and to the next one when that ends. Nothing is sent before something is asked.
 * @throws TroupeError bad_request (options, settings)
 */
export function connectEngine(given: ConnectOptions = {}): ConnectedEngine {
  mustBe(options, given, 'options')
  const { url, token, waitForOwner = '30s', ...place } = given
  const isThere = url !== undefined
  refuse([
    ...(isThere && Object.values(place).some((value) => value !== undefined)
      ? ['url: wanted without home, config and dataDir, which are of this machine']
      : []),
    ...(token !== undefined && !isThere ? ['token: wanted with url; who may open the socket of a home needs none'] : [])
  ])
  const closing = new AbortController()
  const home = isThere ? undefined : readConfig(place)
  const way = {
    ...(home ? { home } : { url, token }),
    waitMs: durationMs(waitForOwner, 'waitForOwner'),
    clock: systemClock,
    closed: closing.signal
  }
  let opened: Promise<Owner> | undefined
  // D1763: what talks to an owner is loaded with the first request
  const owner = () => {
    opened ??= import('./owner.ts').then(({ openOwner }) => openOwner(way))
    return opened
  }

  const handle = (name: string, dagRunId: string): ConnectedRun => {
    const of = async () => (await import('./connected-run.ts')).connectedRun(await owner(), { name, dagRunId })
    return {
      name,
      dagRunId,
      result: async (how) => (await of()).result(how),
      signal: async (...given) => (await of()).signal(...given),
      stop: async (how) => (await of()).stop(how),
      async *events(how) {
        yield* (await of()).events(how)
      }
    }
  }

  const client: ConnectedEngine = {
    async start<_PI, R, W>(dag: unknown, params: unknown, wanted: StartOptions = {}) {
      const inside = mustBeDag(dag)
      mustBe(startOptions, wanted, 'start')
      const { enqueue = false, dagRunId = uuidV7(systemClock), ...names } = wanted
      const body = { params: paramsText(inside, params), dagRunId, ...names }
      const { started } = await import('./connected-run.ts')
      await started(await owner(), { name: inside.name, dagRunId }, body, enqueue)
      return handle(inside.name, dagRunId) as ConnectedRun<R, W> // as its DAG says
    },
    handle<_PI, R, W>(dag: unknown, dagRunId: string) {
      const { name } = mustBeDag(dag)
      mustBe(text, dagRunId, 'handle: dagRunId')
      return handle(name, dagRunId) as ConnectedRun<R, W> // as its DAG says
    },
    async signal(step, payload, options) {
      mustBe(signalled, step, 'signal')
      const { signaled } = await import('./connected-run.ts')
      await signaled(await owner(), step, payload, options)
    },
    close: () => closing.abort()
  }
  if (home) noteConnected(client, { dataDir: home.dataDir, ready: async () => (await owner()).ready() })
  return client
}
