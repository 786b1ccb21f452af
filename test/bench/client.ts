/** The one client that drives every engine: HTTP API v2 over kept-alive connections. Source: http-api "Endpoints". */
import { Agent, request } from 'node:http'

/** The part of a DAG run summary that the benchmark reads. */
export interface RunSummary {
  dagRunId: string
  status: number
  statusLabel: string
}

export interface Client {
  /** The version of a healthy server; undefined as long as there is none. */
  health(): Promise<string | undefined>
  /** Starts a run of a stored definition and returns its id. @throws Error with the answer when it is refused */
  start(fileName: string): Promise<string>
  /** Puts a run of a stored definition into its queue. @throws Error with the answer when it is refused */
  enqueue(fileName: string): Promise<void>
  /** One run; undefined when it is not known yet. */
  run(name: string, dagRunId: string): Promise<RunSummary | undefined>
  /** The runs of a DAG. @param query such as `?status=1`; default: all of them */
  runs(name: string, query?: string): Promise<RunSummary[]>
  /** When the first record of a run was made, epoch ms; undefined: the engine has no journal. */
  startedAt(name: string, dagRunId: string): Promise<number | undefined>
  /** Has a text read and checked. @throws Error with the answer when it is not valid */
  validate(spec: string): Promise<void>
  /** Reads a path below `/api/v2` to its end. @throws Error with the answer unless it is a 200 */
  read(path: string): Promise<Read>
  close(): void
}

export interface Read {
  /** From the request to the last byte. */
  ms: number
  bytes: number
}

const RUNNING = 1
const SUCCEEDED = 4
const ENDED: readonly number[] = [2, 3, SUCCEEDED, 6]

export const isRunning = ({ status }: RunSummary): boolean => status === RUNNING
export const hasEnded = ({ status }: RunSummary): boolean => ENDED.includes(status)
export const hasSucceeded = ({ status }: RunSummary): boolean => status === SUCCEEDED

const NO_ANSWER_MS = 60_000

/** A client of the server at 127.0.0.1:`port`. */
export function apiClient(port: number): Client {
  const agent = new Agent({ keepAlive: true })
  const call = (method: 'GET' | 'POST', path: string, body?: object) => {
    const text = body && JSON.stringify(body)
    return new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}
      const sent = request({ host: '127.0.0.1', port, agent, method, path: `/api/v2${path}`, headers }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() }))
        answer.on('error', reject)
      })
      sent.setTimeout(NO_ANSWER_MS, () => sent.destroy(new Error(`${method} ${path}: no answer`)))
      sent.on('error', reject)
      sent.end(text)
    })
  }
  /** The body of a 200. The cast trusts the documented shape: an engine that answers otherwise fails the question. */
  const ok = async <T>(method: 'GET' | 'POST', path: string, body?: object) => {
    const { status, text } = await call(method, path, body)
    if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text.trim().slice(0, 200)}`)
    return JSON.parse(text) as T
  }
  return {
    async health() {
      const answer = await call('GET', '/health').catch(() => undefined)
      return answer?.status === 200 ? (JSON.parse(answer.text) as { version: string }).version : undefined
    },
    start: async (fileName) => (await ok<{ dagRunId: string }>('POST', `/dags/${fileName}/start`, {})).dagRunId,
    enqueue: async (fileName) => void (await ok('POST', `/dags/${fileName}/enqueue`, {})),
    async run(name, dagRunId) {
      const { status, text } = await call('GET', `/dag-runs/${name}/${dagRunId}`)
      if (status !== 200) return undefined
      const { dagRun, dagRunDetails } = JSON.parse(text) as { dagRun?: RunSummary; dagRunDetails?: RunSummary }
      return dagRun ?? dagRunDetails // The document shows both keys.
    },
    runs: async (name, query = '') => (await ok<{ dagRuns: RunSummary[] }>('GET', `/dag-runs/${name}${query}`)).dagRuns,
    async startedAt(name, dagRunId) {
      const { status, text } = await call('GET', `/dag-runs/${name}/${dagRunId}/journal?limit=5`)
      if (status !== 200) return undefined
      const { events } = JSON.parse(text) as { events: { actor: string; atMs: number }[] }
      return events.find(({ actor }) => actor.startsWith('run/'))?.atMs
    },
    async validate(spec) {
      const { valid, errors } = await ok<{ valid: boolean; errors: string[] }>('POST', '/dags/validate', { spec })
      if (!valid) throw new Error(`POST /dags/validate: ${errors.join('; ').slice(0, 200)}`)
    },
    read: (path) =>
      new Promise((resolve, reject) => {
        const begun = performance.now()
        const sent = request({ host: '127.0.0.1', port, agent, path: `/api/v2${path}` }, (answer) => {
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          answer.on('end', () => {
            if (answer.statusCode === 200) resolve({ ms: performance.now() - begun, bytes })
            else reject(new Error(`GET ${path}: ${answer.statusCode}`))
          })
          answer.on('error', reject)
        })
        sent.setTimeout(NO_ANSWER_MS, () => sent.destroy(new Error(`GET ${path}: no answer`)))
        sent.on('error', reject)
        sent.end()
      }),
    close: () => agent.destroy()
  }
}
