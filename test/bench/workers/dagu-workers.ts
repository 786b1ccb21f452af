/**
 * The same questions asked of Dagu with its coordinator and three workers: those that it can answer. A start over its API runs on the server
 * whatever its `workerSelector` says, so runs are enqueued. Source: distribution 10.
 */
import { spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../support/free-port.ts'
import { hasEnded, hasSucceeded } from '../client.ts'
import { dagu, findDagu } from '../engines.ts'
import { median } from '../figures.ts'
import { removedAtTheEnd } from '../leaving.ts'
import { type Server, startServer } from '../server.ts'
import { until } from '../waiting.ts'

const WORKERS = ['wa', 'wb', 'wc']
const MARKS = 10
/** 200 would take minutes: rates are compared. */
const RUNS = 60
const LIMIT_MS = 300_000

export interface DaguFigures {
  version: string
  markMs: number
  perSecond: number
  /** Of server, coordinator, workers and what they have started. */
  cpuMsOfRun: number
}

/** Undefined: there is none, by `BENCH_DAGU=none`, or no registry to install it from. */
export async function daguFigures(): Promise<DaguFigures | undefined> {
  if (process.env.BENCH_DAGU === 'none') return undefined
  const program = await findDagu(process.env.BENCH_DAGU).catch(() => undefined)
  if (program === undefined) return undefined
  const coordinator = await freePort()
  const plain = dagu(program)
  const engine: typeof plain = {
    ...plain,
    server(place) {
      const { command, args, env } = plain.server(place)
      return { command, args: args.toSpliced(args.indexOf('--coordinator.port') + 1, 1, String(coordinator)), env }
    }
  }
  const definition = (command: string) =>
    `workerSelector: {kind: bench}\nmaxActiveRuns: 1000\nsteps:\n  - name: one\n    command: ${command}\n`
  const server = await startServer(engine, {
    mark: definition('date +%s%N > $DAGU_HOME/mark'),
    burst: definition('"true"')
  })
  try {
    for (const id of WORKERS) startWorker(program, server, id)
    await until('workers', LIMIT_MS, async () => {
      const text = await (await fetch(`http://127.0.0.1:${server.port}/api/v2/workers`)).text()
      return WORKERS.every((id) => text.includes(`"${id}"`)) || undefined
    })
    const marks: number[] = []
    for (let n = 0; n < MARKS; n++) marks.push(await firstMark(server, n + 1))
    return { version: server.version, markMs: median(marks), ...(await burst(server)) }
  } finally {
    server.end()
  }
}

/** A child of this process with the environment of the server, so that it counts and ends as the server does. */
function startWorker(program: string, server: Server, id: string): void {
  const environment = readFileSync(`/proc/${server.pid}/environ`, 'utf8').split('\0')
  const env = Object.fromEntries(environment.filter(Boolean).map((line) => line.split(/=(.*)/s).slice(0, 2)))
  const args = ['worker', '--worker.id', id, '--worker.labels', 'kind=bench']
  const child = spawn(program, args, { cwd: server.home, stdio: 'ignore', env })
  removedAtTheEnd(() => child.kill())
}

/** From the request to the first mark that the step has made, ms. */
async function firstMark(server: Server, count: number): Promise<number> {
  const mark = join(server.home, 'mark')
  rmSync(mark, { force: true })
  const from = Date.now()
  await server.client.enqueue('mark')
  await until('a marked run', LIMIT_MS, async () => {
    const runs = (await server.client.runs('mark')).filter(hasEnded)
    return runs.length >= count || undefined
  })
  return Number(BigInt(readFileSync(mark, 'utf8').trim()) / 1_000_000n) - from
}

async function burst(server: Server): Promise<Pick<DaguFigures, 'perSecond' | 'cpuMsOfRun'>> {
  const before = server.tree.cpuSeconds()
  const from = performance.now()
  await Promise.all(Array.from({ length: RUNS }, () => server.client.enqueue('burst')))
  const runs = await until(`${RUNS} runs`, LIMIT_MS, async () => {
    const ended = (await server.client.runs('burst')).filter(hasEnded)
    return ended.length >= RUNS ? ended : undefined
  })
  if (!runs.every(hasSucceeded)) throw new Error('not all runs of Dagu have succeeded')
  const seconds = (performance.now() - from) / 1_000
  return { perSecond: RUNS / seconds, cpuMsOfRun: ((server.tree.cpuSeconds() - before) / RUNS) * 1_000 }
}
