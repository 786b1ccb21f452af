/**
 * A worker: takes part in a cluster from its home folder, over a bus that it is given. Source: distribution 2, 5.
 */
import { hostname } from 'node:os'
import type { Bus } from '../bus/bus.ts'
import { PROTOCOL } from '../bus/messages.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log.ts'
import { openDraining } from './draining.ts'
import type { WorkerHome } from './home.ts'
import { type Load, loadMeter } from './load.ts'
import { type EngineStart, openMembership } from './membership.ts'
import type { WorkerTasks } from './open-tasks.ts'

export interface WorkerParts {
  bus: Bus
  /** Addresses of the bus, for people. */
  where(): string
  clock: Pick<Clock, 'after' | 'elapsed'>
  log: Pick<Log, 'info' | 'warn'>
  home: Pick<WorkerHome, 'folder' | 'id' | 'session'>
  /** First word of the subjects. */
  cluster: string
  /** The name that people know the worker by; unique in its cluster. */
  id: string
  labels: Readonly<Record<string, string>>
  /** Runs that it takes at a time. */
  slots: number
  /** Version of the program. */
  version: string
  /** The work of the worker for its engine. */
  tasks: Pick<
    WorkerTasks,
    'executors' | 'progress' | 'held' | 'trouble' | 'askForOverRuns' | 'unwritten' | 'contact' | 'listenAnew' | 'close'
  >
  /** Default: what its machine says. */
  load?: () => Load
}

export interface Worker {
  /** The start of an engine that has welcomed it; undefined: it asks for a welcome. */
  engine(): EngineStart | undefined
  /** Resolves with the reason when another process has taken its place. */
  replaced: Promise<string>
  /** Takes no further run. @param timeoutMs runs that it still has then are stopped; absent: it waits for them without a limit */
  drain(timeoutMs?: number): void
  /** Resolves when it drains, for itself or for its engine, and nothing is left to be done here. */
  drained: Promise<void>
  /** Leaves. Steps at work go on; the next process of its home goes on with them. */
  close(): Promise<void>
}

export function openWorker(parts: WorkerParts): Worker {
  const { bus, clock, log, where, home, cluster, id, labels, slots, version, tasks } = parts
  const { load = loadMeter(home.folder) } = parts
  let said = ''
  let leave: (reason: string) => void = () => {}
  const replaced = new Promise<string>((resolve) => {
    leave = resolve
  })
  const say = (level: 'info' | 'warn', text: string) => {
    if (text !== said) log[level](text)
    said = text
  }
  const draining = openDraining({
    clock,
    isIdle: () => tasks.held().length === 0,
    unwritten: tasks.unwritten,
    askForOverRuns: tasks.askForOverRuns,
    say: (level, text) => log[level](text)
  })
  const membership = openMembership({
    bus,
    clock,
    where,
    cluster,
    leave,
    load,
    progress: tasks.progress,
    trouble: tasks.trouble,
    draining,
    say,
    contact: tasks.contact,
    listenAnew: tasks.listenAnew,
    self: {
      v: PROTOCOL.max,
      minV: PROTOCOL.min,
      home: home.id,
      session: home.session,
      id,
      labels: { ...labels },
      slots,
      version,
      host: hostname(),
      pid: process.pid,
      executors: tasks.executors,
      fences: true
    }
  })
  return {
    engine: membership.engine,
    replaced,
    drained: draining.over,
    drain(timeoutMs) {
      draining.begin(timeoutMs)
      membership.hurry()
    },
    async close() {
      membership.close()
      await tasks.close()
      await bus.close()
    }
  }
}
