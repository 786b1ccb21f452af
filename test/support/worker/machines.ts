/** Workers on this machine, over a bus without a network: real steps, real files. */
import { join } from 'node:path'
import type { TaskKind } from '../../../src/bus/jobs.ts'
import { type ResultOf, resultIn } from '../../../src/bus/results.ts'
import type { TaskEvent } from '../../../src/bus/tasks.ts'
import { systemClock } from '../../../src/clock.ts'
import { openWorkerTasks, type WorkerTasks, type WorkerTasksParts } from '../../../src/worker/open-tasks.ts'
import { temporaryFolder } from '../homes.ts'
import { simulatedNet } from '../simulated/bus.ts'
import { eventually } from '../waiting.ts'
import { CLUSTER, type EngineEnd, engineEnd, HOME, named, offerOf } from './engine-end.ts'

export interface WorkerScene {
  engine: EngineEnd
  tasks: WorkerTasks
  /** Of the worker. */
  home: string
  warnings: string[]
  restart(): Promise<void>
  /** Offers a task, and waits for what comes of it. */
  done<K extends TaskKind>(what: K, job: object, given?: { run?: number; lease?: number }): Promise<ResultOf<K>>
  /** Offers it. @returns its number */
  begin(what: TaskKind, job: object, given?: { run?: number; lease?: number }): Promise<number>
  ended(task: number): Promise<TaskEvent>
  /** All that is in a log. */
  log(task: number, stream?: 'stdout' | 'stderr'): Promise<string>
}

/** Its user closes it. */
export function workerScene(given: Partial<WorkerTasksParts> = {}): WorkerScene {
  const net = simulatedNet(systemClock)
  const engine = engineEnd(net.open('engine'))
  const home = temporaryFolder()
  const warnings: string[] = []
  const note = (message: string, fields?: object) => warnings.push(`${message} ${JSON.stringify(fields ?? {})}`)
  const open = () =>
    openWorkerTasks({
      bus: net.open('worker'),
      clock: systemClock,
      folder: home,
      homeId: HOME,
      session: 's',
      cluster: CLUSTER,
      id: 'wa',
      environment: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'C' },
      defaultShell: 'sh',
      maxProcesses: 8,
      log: { info: () => {}, warn: note, error: note },
      ...given
    })
  let count = 0
  const scene: WorkerScene = {
    engine,
    home,
    warnings,
    tasks: open(),
    async restart() {
      await scene.tasks.close()
      scene.tasks = open()
    },
    async done(what, job, about) {
      const event = await scene.ended(await scene.begin(what, job, about))
      return resultIn(what, JSON.parse(event.result ?? ''))
    },
    async begin(what, job, { run = 1, lease = 7 } = {}) {
      const task = ++count
      const whole =
        what === 'open' || what === 'close' || what === 'conditions' ? job : { attempt: 1, nodes: [], ...job }
      const reply = await engine.insist(offerOf({ task: named(task), lease, what, run: named(1_000 + run) }, whole))
      if (reply.kind === 'claimed') return task
      throw new Error(reply.kind === 'refused' ? `${reply.why}: ${reply.text}` : reply.kind)
    },
    ended: (task) => eventually(`the end of task ${task}`, () => engine.told('ended', named(task))[0]),
    async log(task, stream = 'stdout') {
      const parts: Buffer[] = []
      for (let from = 0; ; ) {
        const order = { kind: 'read' as const, task: named(task), lease: 7, stream, from, max: 262_144 }
        const part = await engine.insist(order)
        if (part.kind !== 'part') throw new Error(part.kind)
        if (part.data.length === 0) return Buffer.concat(parts).toString()
        parts.push(part.data)
        from += part.data.length
      }
    }
  }
  return scene
}

/** Where the worker keeps a run. */
export const runFolder = ({ home }: WorkerScene, run = 1, lease = 7): string =>
  join(home, 'runs', `${named(1_000 + run)}-${lease}`)
