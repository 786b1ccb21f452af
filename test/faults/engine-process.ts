/** An engine that may be killed, as a suite sees it: its API, its process, the points it has passed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { launcherFolder } from '../../src/executors/launcher/launcher-folder.ts'
import { parseStat } from '../../src/platform/process-identity.ts'
import type { ChildOptions } from './engine-child.ts'
import type { Point } from './points/points.ts'

export interface Reply {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: suites look into answers of all shapes
  json: any
  text: string
}

export interface EngineProcess {
  readonly port: number
  readonly pid: number
  /** From the spawn until it served, recovery included. */
  readonly startedInMs: number
  /** How often each named point was passed so far. */
  readonly points: ReadonlyMap<Point, number>
  /** Whether it has ended. */
  readonly gone: boolean
  /** What it has logged. */
  log(): string
  /** To a path below `/api/v2`. @throws Error when the connection breaks or nothing comes */
  call(method: string, path: string, body?: unknown): Promise<Reply>
  /** By SIGKILL; at once. */
  kill(): Promise<void>
  /** Changes of files and transactions so far. */
  calls(): Promise<number>
  /** As an operator would. */
  close(): Promise<void>
  /** Resolves with what ended it. */
  readonly ended: Promise<string>
}

const child = fileURLToPath(new URL('./engine-child.js', import.meta.url))
/** A dead engine answers nothing; one that answers nothing for so long is as good as dead. */
const NO_ANSWER_MS = 20_000
const NOT_SERVING_MS = 40_000

/** @throws Error when it ends before it serves: `died` of the message says how */
export async function startEngine(options: ChildOptions, env: Record<string, string> = {}): Promise<EngineProcess> {
  const begun = performance.now()
  const process_ = fork(child, [JSON.stringify(options)], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { PATH: process.env.PATH, HOME: options.home, ...env }
  })
  const points = new Map<Point, number>()
  let log = ''
  process_.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const ended = once(process_, 'exit').then(([code, signal]) => String(signal ?? code))
  const port = await serving(process_, points, ended, () => log)
  const agent = new Agent({ keepAlive: true })
  return {
    port,
    pid: process_.pid ?? 0,
    startedInMs: performance.now() - begun,
    points,
    ended,
    get gone() {
      return process_.exitCode !== null || process_.signalCode !== null
    },
    log: () => log,
    calls: () =>
      new Promise((resolve) => {
        process_.on('message', (message: { calls?: number }) => message.calls !== undefined && resolve(message.calls))
        process_.send('calls')
      }),
    call: (method, path, body) => call(agent, port, method, path, body),
    async kill() {
      process_.kill('SIGKILL')
      await ended
      agent.destroy()
    },
    async close() {
      process_.kill('SIGTERM')
      await ended
      agent.destroy()
    }
  }
}

function serving(
  process_: ChildProcess,
  points: Map<Point, number>,
  ended: Promise<string>,
  log: () => string
): Promise<number> {
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      process_.kill('SIGKILL')
      reject(new Error(`the engine does not serve after ${NOT_SERVING_MS} ms: ${log().slice(-600)}`))
    }, NOT_SERVING_MS)
    process_.on('message', (message: { port?: number; point?: Point }) => {
      if (message.point) points.set(message.point, (points.get(message.point) ?? 0) + 1)
      if (message.port === undefined) return
      clearTimeout(late)
      resolve(message.port)
    })
    void ended.then((how) => {
      clearTimeout(late)
      reject(new Error(`the engine ended with ${how}: ${log().slice(-4_000)}`))
    })
  })
}

function call(agent: Agent, port: number, method: string, path: string, body?: unknown): Promise<Reply> {
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = text ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) } : {}
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, agent, method, path: `/api/v2${path}`, headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        const isJson = answer.headers['content-type']?.includes('json') && text !== ''
        resolve({ status: answer.statusCode ?? 0, text, json: isJson ? JSON.parse(text) : undefined })
      })
    })
    sent.setTimeout(NO_ANSWER_MS, () => sent.destroy(new Error(`${method} ${path}: no answer`)))
    sent.on('error', reject)
    sent.end(text)
  })
}

const OPEN = ['not_started', 'queued', 'running']

/** How many runs of these definitions have not ended; nobody knows when one that cannot be read has. @throws Error when the connection breaks */
export async function openRunsOf(engine: EngineProcess, names: readonly string[]): Promise<number> {
  const answers = await Promise.all(names.map((name) => engine.call('GET', `/dag-runs/${name}`)))
  const runs: { statusLabel: string }[] = answers.flatMap(({ json }) => json?.dagRuns ?? [])
  return runs.filter(({ statusLabel }) => OPEN.includes(statusLabel)).length
}

/** Processes that the steps of a home have started and that are alive: their environment says so. */
export const stepProcesses = (home: string): number[] =>
  livingWhere((pid) => {
    const environment = readFileSync(`/proc/${pid}/environ`, 'latin1')
    return environment.includes(`${home}/`) && environment.includes('DAG_RUN_ID=')
  })

/** Processes whose command line mentions a text. */
export const processesNaming = (text: string): number[] =>
  livingWhere((pid) => readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(text))

/** Kills what holds the steps of a home: its launchers. @returns how many */
export function killHolders(home: string): number {
  const folder = launcherFolder(join(home, 'data'))
  const holders = livingWhere((pid) => readlinkSync(`/proc/${pid}/cwd`).startsWith(folder))
  killAll(holders)
  return holders.length
}

/** By SIGKILL; some may have ended by themselves. */
export function killAll(pids: number[]): void {
  for (const pid of pids) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It has ended.
    }
  }
}

function livingWhere(holds: (pid: number) => boolean): number[] {
  return readdirSync('/proc').flatMap((entry) => {
    const pid = Number(entry)
    if (!Number.isInteger(pid)) return []
    try {
      const isZombie = parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'))?.alive !== true
      return !isZombie && holds(pid) ? [pid] : []
    } catch {
      return [] // It has ended meanwhile, or belongs to another user.
    }
  })
}
