/** The tasks of a worker, on the machine and in the home that it has. Source: distribution 2, 5. */
import { join } from 'node:path'
import type { Bus } from '../bus/bus.ts'
import type { Progress } from '../bus/tasks.ts'
import { messageOf } from '../errors.ts'
import { forgetOthers } from '../executors/fence/fence.ts'
import { uptimeMs } from '../platform/uptime.ts'
import { type Contact, openContact } from './contact.ts'
import { openSpace } from './space.ts'
import { openSpool, type Spool } from './tasks/spool.ts'
import { openTasks, type Tasks } from './tasks/tasks.ts'
import { runOf } from './tasks/work.ts'
import { type RunFolders, runFolders } from './work/kept-run.ts'
import { fenceFolder, type Machine, type MachineParts, openMachine } from './work/machine.ts'
import { runWork } from './work/run-work.ts'
import { openRuns } from './work/runs.ts'

/** `folder`: its home, which this process has locked. */
export type WorkerTasksParts = MachineParts & PlacedParts

export interface PlacedParts extends Pick<MachineParts, 'folder' | 'clock' | 'log'> {
  bus: Bus
  homeId: string
  /** Session of this process. */
  session: string
  /** First word of the subjects. */
  cluster: string
  /** What people know the worker by. */
  id: string
  /** Runs that it takes at a time; absent: as many as its engine gives it. */
  slots?: number
  /** Bytes of runs that it keeps for its engine; absent: without a limit. */
  spoolLimit?: number
  /** Milliseconds since boot; absent: the machine's. */
  uptime?: () => number
}

export interface WorkerTasks {
  /** Types of steps that it can execute. */
  executors: string[]
  /** Tasks whose logs have grown since the last call. */
  progress(): Progress[]
  /** Every task on record. */
  held: Tasks['held']
  unwritten: Tasks['unwritten']
  /** Runs that are open, whether tasks of them are on record or not. */
  runs(): { run: string; lease: number }[]
  /** Slots that they take: a run below another one takes none. */
  taken(): number
  /** Why the worker takes no further run; undefined: it takes some. */
  trouble(): string | undefined
  askForOverRuns: Tasks['askForOverRuns']
  /** When the engine was heard. */
  contact: Contact
  listenAnew: Tasks['listenAnew']
  /** Steps at work go on without it. */
  close(): Promise<void>
}

/** Goes on with what a process before this one has left. @throws Error when its folders cannot be made */
export const openWorkerTasks = (parts: WorkerTasksParts): WorkerTasks => openTasksOn(openMachine(parts), parts)

/** The tasks on a machine that somebody else has opened; it is closed with them. */
export function openTasksOn(machine: Machine, parts: PlacedParts): WorkerTasks {
  const { bus, clock, log, folder, cluster, homeId, session, id, slots, spoolLimit = Number.MAX_SAFE_INTEGER } = parts
  const { fence } = machine
  const contact = openContact(fence, session, parts.uptime ?? uptimeMs, (text) => log.warn(text))
  const folders = runFolders(join(folder, 'runs'), (path) => log.error('a run is lost: its file is damaged', { path }))
  const spool = openSpool(join(folder, 'spool'))
  removeForgotten(spool, folders, log)
  forgetOthers(fenceFolder(folder), new Set(spool.found.keys()))
  const runs = openRuns({ services: machine.services, folders, worker: id })
  const space = openSpace({ folder, limit: spoolLimit, clock })
  const work = runWork({
    machine,
    runs,
    folders,
    log,
    fence,
    hasSpace: () => space.trouble() === undefined,
    ...(slots === undefined ? {} : { slots })
  })
  const tasks = openTasks({ bus, clock, log, cluster, homeId, session, spool, work, contact, fence })
  machine.sweep(runs.hasKey)
  return {
    executors: machine.executors,
    progress: tasks.progress,
    held: tasks.held,
    unwritten: tasks.unwritten,
    trouble: space.trouble,
    askForOverRuns: tasks.askForOverRuns,
    contact,
    listenAnew: tasks.listenAnew,
    runs: runs.all,
    taken: runs.taken,
    async close() {
      space.close()
      tasks.close()
      await machine.close()
    }
  }
}

/**
 * A run is forgotten record by record, and then its folder. A process that was killed in between has left a folder that no task belongs
 * to: nobody would ask for it again, and it would have a slot.
 */
function removeForgotten({ found, damaged }: Spool, folders: RunFolders, log: MachineParts['log']): void {
  if (damaged.length > 0) return // whose they were is not known
  try {
    folders.removeOthers(new Set([...found.values()].map(runOf)))
  } catch (error) {
    log.error('what is left of a forgotten run cannot be removed', { reason: messageOf(error) })
  }
}
