/** An engine, its broker and three workers, each a program as users start it, and what can be done to them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Program, program, type RunningServer, runningServer } from '../../support/cli/program.ts'
import { freePort } from '../../support/free-port.ts'
import { eventually } from '../../support/waiting.ts'
import { killAll, processesNaming } from '../engine-process.ts'
import { type Link, openLink } from './link.ts'
import { LABELS, SLOTS } from './placed-workload.ts'

/** Every connection to the broker of this one goes through the proxy. */
export const BEHIND_PROXY = 'wa'
export const WORKERS = Object.keys(LABELS)
/** Less than `worker.lostAfter`: from then on runs that are stopped do not wait for their worker. */
const HEALTHY_MS = 25_000

/** Whoever answers nothing for so long is as good as dead. */
const NO_ANSWER_MS = 20_000

export interface Cluster {
  /** Home of engine and coordinator. */
  home: string
  link: Link
  homeOf(worker: string): string
  /** @returns undefined: no engine answered */
  // biome-ignore lint/suspicious/noExplicitAny: suites look into answers of all shapes
  ask(path: string, method?: string, body?: object): Promise<{ status: number; json: any } | undefined>
  killEngine(): Promise<void>
  startEngine(): Promise<void>
  /** Its coordinator starts another one. */
  killBroker(): void
  /** Its broker lives on. */
  killCoordinator(): Promise<void>
  startCoordinator(): Promise<void>
  killWorker(id: string): Promise<void>
  startWorker(id: string): void
  /** For so long. */
  freezeWorker(id: string, ms: number): Promise<void>
  /** Waits until the engine hears every worker. @throws Error when that takes too long */
  healthy(): Promise<void>
  /** As an operator would. */
  close(): Promise<void>
  /** What the programs have said that points to a defect. */
  faults(): string[]
  /** Writes what each program has said into a file of the folder of all homes. */
  keepLogs(): void
}

export interface ClusterOptions {
  /** All homes are below it. */
  folder: string
  /** Environment of the workers, beside their own. */
  workerEnv?: Record<string, string>
  /** The same of the engine. */
  engineEnv?: Record<string, string>
  /** What a worker says to the broker, changed on the way. */
  change?: (text: string) => string
}

export async function openCluster({
  folder,
  workerEnv = {},
  engineEnv = {},
  change
}: ClusterOptions): Promise<Cluster> {
  const home = join(folder, 'engine')
  const homeOf = (worker: string) => join(folder, worker)
  for (const made of [home, ...WORKERS.map(homeOf)]) mkdirSync(made, { recursive: true })
  const port = await freePort()
  const link = await openLink(port, change)
  const programs: (Program & { name: string })[] = []
  const current = new Map<string, Program>()
  const kept = <T extends Program>(name: string, one: T): T => {
    programs.push({ ...one, name })
    current.set(name, one)
    return one
  }
  const kill = async (name: string) => {
    current.get(name)?.child.kill('SIGKILL')
    await current.get(name)?.code
  }
  let server: RunningServer

  const cluster: Cluster = {
    home,
    link,
    homeOf,
    async ask(path, method = 'GET', body) {
      const sent = body === undefined ? {} : { body: JSON.stringify(body) }
      try {
        const signal = AbortSignal.timeout(NO_ANSWER_MS)
        const answer = await fetch(`${server.address}/api/v2${path}`, { method, signal, ...sent })
        return { status: answer.status, json: await answer.json() }
      } catch {
        return undefined
      }
    },
    killEngine: () => kill('engine'),
    async startEngine() {
      server = kept('engine', await runningServer(engineEnv, { folder: home }))
    },
    killBroker: () => killAll(processesNaming(join(home, 'data', 'broker'))),
    killCoordinator: () => kill('coordinator'),
    async startCoordinator() {
      const argv = ['coordinator', '--json', '-P', `${port}`]
      const one = kept('coordinator', program(home, { ENGINE_HOME: home }, ...argv))
      await eventually('a coordinator', () => {
        if (one.child.exitCode !== null) throw new Error(`the coordinator has ended: ${one.written.err}`)
        return one.written.out.endsWith('\n') || undefined
      })
    },
    killWorker: kill,
    startWorker(id) {
      const own = homeOf(id)
      const labels = Object.entries(LABELS[id] ?? {}).map((pair) => pair.join('='))
      const at = `127.0.0.1:${id === BEHIND_PROXY ? link.port : port}`
      const argv = ['-w', id, '-l', labels.join(','), '-m', `${SLOTS}`, '--worker.coordinators', at, '--leave-running']
      kept(id, program(own, { ...workerEnv, ENGINE_HOME: own }, 'worker', '--json', ...argv))
    },
    async freezeWorker(id, ms) {
      const one = current.get(id)?.child
      one?.kill('SIGSTOP')
      await new Promise((resolve) => setTimeout(resolve, ms))
      one?.kill('SIGCONT')
    },
    async healthy() {
      const heard = async () => {
        const workers: { id: string; healthStatus: string }[] = (await cluster.ask('/workers'))?.json?.workers ?? []
        const found = workers.filter(({ healthStatus }) => healthStatus === 'healthy').map(({ id }) => id)
        return WORKERS.every((id) => found.includes(id)) || undefined
      }
      await eventually('healthy workers', heard, HEALTHY_MS)
    },
    async close() {
      for (const name of [...WORKERS, 'engine', 'coordinator']) {
        current.get(name)?.child.kill('SIGTERM')
        await current.get(name)?.code
      }
      link.close()
    },
    keepLogs() {
      for (const [index, { name, written }] of programs.entries())
        writeFileSync(join(folder, `${index}-${name}.log`), written.out + written.err)
    },
    faults: () => programs.flatMap(({ written: { err } }) => err.split('\n')).filter((line) => DEFECT.test(line))
  }
  await cluster.startCoordinator()
  await cluster.startEngine()
  for (const id of WORKERS) cluster.startWorker(id)
  await cluster.healthy()
  return cluster
}

const DEFECT = / a (defect|failure) was survived|came to nothing|is damaged/

/** Whether a process of a step is alive. */
export function isStepAlive(pid: number, script: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(script)
  } catch {
    return false
  }
}
