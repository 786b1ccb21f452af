/** A server, its coordinator and workers, each a program as users start it, and a client of that server. */
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../free-port.ts'
import { temporaryFolder } from '../homes.ts'
import { eventually } from '../waiting.ts'
import { installedProgram, PROGRAM, type Program, program, type RunningServer, runningServer } from './program.ts'

export interface ShownRun {
  statusLabel: string
  workerId: string
  finishedAt: string
  error?: string
  nodes: {
    step: { name: string }
    statusLabel: string
    stdout: string
    stderr: string
    error: string
    retryCount: number
    workerId?: string
    lease?: number
    subRuns: { dagRunId: string }[]
    waitingFor?: { ask: string }
  }[]
  onExit: { stdout: string; workerId?: string } | null
  onCancel: { stdout: string; error: string } | null
}

export interface Placing {
  /** Home of server and coordinator. */
  home: string
  readonly server: RunningServer
  readonly coordinator: Program
  /** Home folders, by id of the worker. */
  homes: Record<string, string>
  /** Starts a worker, or its successor in the same home. */
  worker(id: string, argv?: string[], env?: Record<string, string>): Program
  /** Those that were started under an id, in that order. */
  workersOf(id: string): Program[]
  ask(path: string, method?: string, body?: unknown): Promise<{ status: number; json: unknown }>
  /** @returns its id */
  start(spec: string): Promise<string>
  run(name: string, id: string): Promise<ShownRun>
  ended(name: string, id: string): Promise<ShownRun>
  /** Waits for workers that are healthy. */
  healthy(...ids: string[]): Promise<void>
  killServer(): Promise<void>
  startServer(): Promise<void>
  close(): Promise<void>
}

/** @param installed path of the `troupe.js` of its workers @param file text of config.yaml of the server */
export async function openPlacing(env: Record<string, string> = {}, installed = PROGRAM, file = ''): Promise<Placing> {
  const home = temporaryFolder()
  const port = await freePort()
  const coordinator = program(home, { ENGINE_HOME: home }, 'coordinator', '--json', '-P', `${port}`)
  await eventually('a coordinator', () => {
    if (coordinator.child.exitCode !== null) throw new Error(`it has ended: ${coordinator.written.err}`)
    return coordinator.written.out.endsWith('\n') ? true : undefined
  })
  let server = await runningServer(env, { folder: home, file })
  const workers: { id: string; program: Program }[] = []
  const homes: Record<string, string> = {}
  const placing: Placing = {
    home,
    coordinator,
    homes,
    get server() {
      return server
    },
    worker(id, argv = [], own = {}) {
      homes[id] ??= temporaryFolder()
      const folder = homes[id] ?? ''
      const words = ['-w', id, ...argv, '--worker.coordinators', `127.0.0.1:${port}`]
      const one = installedProgram(installed, folder, { ENGINE_HOME: folder, ...own }, 'worker', '--json', ...words)
      workers.push({ id, program: one })
      return one
    },
    workersOf: (id) => workers.flatMap((one) => (one.id === id ? [one.program] : [])),
    async ask(path, method = 'GET', body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(`${server.address}/api/v2${path}`, { method, ...sent })
      return { status: answer.status, json: await answer.json().catch(() => undefined) }
    },
    async start(spec) {
      const { status, json } = await placing.ask('/dag-runs', 'POST', { spec })
      if (status !== 200) throw new Error(JSON.stringify(json))
      return (json as { dagRunId: string }).dagRunId
    },
    async run(name, id) {
      const { json } = await placing.ask(`/dag-runs/${name}/${id}`)
      return (json as { dagRun: ShownRun }).dagRun
    },
    ended: (name, id) =>
      eventually(`the end of ${name} ${id}`, async () => {
        const run = await placing.run(name, id)
        return run?.finishedAt ? run : undefined
      }),
    healthy: (...ids) =>
      eventually(`healthy: ${ids}`, async () => {
        const { json } = await placing.ask('/workers')
        const { workers = [] } = json as { workers?: { id: string; healthStatus: string }[] }
        const found = workers.filter(({ healthStatus }) => healthStatus === 'healthy').map(({ id }) => id)
        return ids.every((id) => found.includes(id)) || undefined
      }).then(() => {}),
    async killServer() {
      server.child.kill('SIGKILL')
      await server.code
    },
    async startServer() {
      server = await runningServer(env, { folder: home })
    },
    async close() {
      for (const { program } of workers) program.child.kill('SIGKILL')
      server.child.kill('SIGKILL')
      coordinator.child.kill('SIGTERM')
      await Promise.all([coordinator.code, server.code])
    }
  }
  return placing
}

/** What a log contains; nothing of one that is not there. */
export const logIn = (path: string | undefined): string =>
  path !== undefined && existsSync(path) && statSync(path).isFile() ? readFileSync(path, 'utf8') : ''
/** Process id of the broker that a coordinator guards. */
export const brokerPid = (home: string): number =>
  Number(readFileSync(join(home, 'data', 'broker', 'nats.pid'), 'utf8'))
