/** The HTTP API of a real engine for the end-to-end tests of a file. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createEngine, type Engine, type EngineOptions } from '../../../src/index.ts'
import { type Answer, type Sent, served } from '../../api/client.ts'
import { type StateDigest, stateDigests } from '../store/state-digest.ts'
import { eventually } from '../waiting.ts'

/** Members of an answer: tests look into all shapes. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type Json = any

/** Run logs are written at most this long after the event. */
const LOG_LAG_MS = 250

export interface LiveApi {
  /** Open while tests run. */
  readonly engine: Engine
  readonly port: number
  /** Sends to a path below `/api/v2`. */
  call(method: string, path: string, sent?: Sent): Promise<Answer>
  /** Sends to a whole path. */
  callAt(method: string, path: string, sent?: Sent): Promise<Answer>
  /** Reads a path and expects a 200. */
  get(path: string): Promise<Json>
  /** Sends, with a JSON body if there is one. @returns the status, and the code of an Error object */
  codeOf(method: string, path: string, body?: unknown): Promise<[number, string | undefined]>
  /** Writes a definition as an editor would: not through the API. `fileName` without its extension. */
  write(fileName: string, text: string): void
  /** Posts a start and expects a 200. @returns the run's id */
  started(fileName: string, body?: object): Promise<string>
  /** The same with an inline spec. */
  startedInline(body: object): Promise<string>
  /** Run details, as the API shows them once the run has ended. */
  ended(name: string, dagRunId: string): Promise<Json>
  /** What is on disk now. */
  digest(): StateDigest
  /** The same, when runs have come to where they stay for a while. */
  quiet(): Promise<StateDigest>
  /** Causes of internal errors so far. */
  readonly faults: unknown[]
}

/** Serves a temporary engine on a free port before the tests of a `describe`, and ends both after them. */
export function liveApi(options: EngineOptions = {}): LiveApi {
  let parts:
    | { engine: Engine; server: Awaited<ReturnType<typeof served>>; digests: ReturnType<typeof stateDigests> }
    | undefined
  const faults: unknown[] = []
  before(async () => {
    const engine = await createEngine({ temporary: true, defaultShell: 'sh', ...options })
    const server = await served(engine, { log: (_message, cause) => faults.push(cause) })
    parts = { engine, server, digests: stateDigests(engine.config) }
  })
  after(async () => {
    await parts?.server.close()
    await parts?.digests.close()
    await parts?.engine.close()
  })
  const open = () => {
    if (parts) return parts
    throw new Error('the API is served in tests only')
  }
  const idOf = ({ status, json, text }: Answer): string => {
    if (status === 200) return json.dagRunId
    throw new Error(`the start was answered with ${status}: ${text}`)
  }
  const api: LiveApi = {
    get engine() {
      return open().engine
    },
    get port() {
      return open().server.port
    },
    faults,
    call: (method, path, sent) => open().server.call(method, path, sent),
    callAt: (method, path, sent) => open().server.callAt(method, path, sent),
    async get(path) {
      const { status, json, text } = await api.call('GET', path)
      if (status === 200) return json
      throw new Error(`GET ${path} was answered with ${status}: ${text}`)
    },
    async codeOf(method, path, body) {
      const { status, json } = await api.call(method, path, body === undefined ? {} : { body })
      return [status, json?.code]
    },
    write(fileName, text) {
      const { dagsDir } = api.engine.config
      mkdirSync(dagsDir, { recursive: true })
      writeFileSync(join(dagsDir, `${fileName}.yaml`), text)
    },
    started: async (fileName, body) => idOf(await api.call('POST', `/dags/${fileName}/start`, body ? { body } : {})),
    startedInline: async (body) => idOf(await api.call('POST', '/dag-runs', { body })),
    ended: (name, dagRunId) =>
      eventually(`the end of ${name}/${dagRunId}`, async () => {
        const { dagRun } = (await api.call('GET', `/dag-runs/${name}/${dagRunId}`)).json
        return dagRun.finishedAt === '' ? undefined : dagRun
      }),
    digest: () => open().digests.take(),
    quiet() {
      let last: string | undefined
      return eventually('an end of all writing', async () => {
        await new Promise((resolve) => setTimeout(resolve, LOG_LAG_MS))
        const digest = api.digest()
        const same = JSON.stringify(digest) === last
        last = JSON.stringify(digest)
        return same ? digest : undefined
      })
    }
  }
  return api
}
