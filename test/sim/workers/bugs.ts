/** Bugs that the simulation of workers must find. They exist here only: each is switched on for the seeds that look for it. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { workerMachine } from '../../../machines/worker.ts'
import type { Heard } from '../../../src/bus/bus.ts'
import { subjectsOf } from '../../../src/bus/messages.ts'
import { eventIn } from '../../../src/bus/tasks.ts'
import type { Executor } from '../../../src/executors/executor.ts'
import type { Fence } from '../../../src/executors/fence/fence.ts'
import { CLUSTER } from './cluster.ts'

/** Where a bug sits. Absent: as it should be. */
export interface WorkerBug {
  name: string
  /** In the home of a worker that starts. */
  disk?(folder: string): void
  /** In what it says that it has. */
  slots?(slots: number): number
  labels?(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>>
  /** In how it starts and finds steps. */
  executor?(executor: Executor): Executor
  /** In the fence of a worker. */
  fence?(fence: Fence): Fence
  /** How long the engine counts before it begins something elsewhere, whatever it tells the workers. */
  fenceAfterMs?: number
  /** In what the engine says. */
  said?(text: string): string
  /** In whose word a message is. */
  subject?(heard: Heard): string | undefined
  /** In a guard of the chart of workers. */
  guards?: Record<string, () => boolean>
  /** True: what is written counts as flushed. */
  isUnflushed?: boolean
  /** It needs what few seeds have: the first that is played. Absent: 1. */
  from?: number
}

export const NO_BUG: WorkerBug = { name: 'none' }

const subjects = subjectsOf(CLUSTER)
/** Where the task of an event is placed; filled by the simulation. */
export const homesOfTasks = new Map<string, string>()

export const BUGS: WorkerBug[] = [
  {
    name: 'the spool is forgotten',
    from: 3,
    disk: (folder) => rmSync(join(folder, 'spool'), { recursive: true, force: true })
  },
  { name: 'a worker takes a run too many', slots: (slots) => slots + 1 },
  { name: 'labels are not compared', from: 4, labels: (own) => ({ ...own, gpu: 'true' }) },
  {
    name: 'what was begun before a restart is begun again',
    executor: (executor) => ({ ...executor, find: () => undefined })
  },
  {
    name: 'a stop does not reach the step',
    from: 9,
    executor: (executor) => ({
      ...executor,
      start: (execution) => ({ ...executor.start(execution), stop: () => {}, kill: () => {} })
    })
  },
  {
    name: 'another worker may speak of a task',
    from: 6,
    subject({ subject, text }) {
      const said = subjects.read(subject)
      if (said?.kind !== 'event') return undefined
      const { task, lease } = eventIn(text)
      const home = homesOfTasks.get(`${task}-${lease}`)
      return home === undefined ? undefined : subjects.up(home, 'event')
    }
  },
  { name: 'a silent worker counts as healthy', guards: { isAway: () => true } },
  { name: 'there is no fence', from: 11, fence: (fence) => ({ ...fence, list: () => {} }) },
  {
    name: 'a second execution begins before the fence has ended the first',
    from: 6,
    fenceAfterMs: 31_000,
    said: (text) => text.replace('"fenceMs":31000', '"fenceMs":60000')
  },
  { name: 'the spool is not flushed', from: 171, isUnflushed: true }
]

/** @returns what takes it away again */
export function plantGuards({ guards = {} }: WorkerBug): () => void {
  const { implementations } = workerMachine as unknown as { implementations: { guards: Record<string, unknown> } } // of its setup
  const before = { ...implementations.guards }
  Object.assign(implementations.guards, guards)
  return () => void Object.assign(implementations.guards, before)
}
