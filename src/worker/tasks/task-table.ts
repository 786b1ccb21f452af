/** The tasks that a worker has on record, from the claim of each until it is forgotten. */
import { type Forget, MOST_TASKS, type Progress } from '../../bus/tasks.ts'
import type { Clock } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import type { Fence } from '../../executors/fence/fence.ts'
import type { Log } from '../../log.ts'
import type { Contact } from '../contact.ts'
import { sizeOf } from './file-part.ts'
import { type HeldTask, heldTask } from './held-task.ts'
import type { TaskRecord } from './record.ts'
import type { Reports } from './reports.ts'
import { idOf, type Spool } from './spool.ts'
import { runOf, type Work } from './work.ts'

type Named = Pick<TaskRecord, 'task' | 'lease'>

export interface TaskTable {
  get(named: Named): HeldTask | undefined
  all(): HeldTask[]
  /** Whether a task must not begin: a higher lease of it is known, or this one was forgotten. */
  isStale(named: Named): boolean
  /** The claim of the task is on record. Begins it in a later turn: the engine that waits for the claim is answered first. */
  enter(record: TaskRecord): HeldTask
  /** Tells the end of a task once more. */
  repeat(task: HeldTask): void
  settled(task: HeldTask, how: 'acked' | 'unknown'): void
  forget(wanted: Forget): void
  /** The engine says that these runs have ended without this worker: what is at work for them is killed, and its end told. */
  over(runs: readonly Pick<TaskRecord, 'run' | 'lease'>[]): void
  progress(): Progress[]
  /** Nothing was heard of the engine for so long that what is at work must end, unless it was offered otherwise. */
  fence(): void
  /** Goes on with what is on record of a process before this one. */
  resume(): void
}

export interface TaskTableParts {
  clock: Clock
  log: Pick<Log, 'warn' | 'error'>
  spool: Spool
  work: Work
  reports: Reports
  contact: Contact
  fence: Pick<Fence, 'wasFenced' | 'unlist'>
  leaving: AbortSignal
}

/** Ended tasks of a run that are kept: an engine that was killed may ask for them again. A step may repeat for months, so only so many. */
const KEPT = 100
/** Forgotten tasks that are remembered: an offer of one of them may be late. */
const REMEMBERED = 20_000

// D999: ended tasks of a run go before it is forgotten, but for the last hundred
export function openTaskTable({
  clock,
  log,
  spool,
  work,
  reports,
  contact,
  fence,
  leaving
}: TaskTableParts): TaskTable {
  const tasks = new Map<string, HeldTask>()
  /** The highest lease of each task. */
  const leases = new Map<string, number>()
  /** The highest lease of steps that are on record no more. Only in memory: no message from before reaches the next process. */
  const gone = new Map<string, number>()
  /** Steps at work, and the sizes that were last told. */
  const atWork = new Map<HeldTask, { out: number; err: number } | undefined>()
  /** Ended tasks of a run that the engine has on record. */
  const settledOf = new Map<string, HeldTask[]>()
  /** How many tasks of a run are on record. */
  const counts = new Map<string, number>()

  const fault = (task: HeldTask) => (error: unknown) =>
    log.error('a task came to nothing', { task: task.record.name, reason: messageOf(error) })

  function put(record: TaskRecord): HeldTask {
    const warn = log.warn
    const changed = (one: HeldTask) => reports.tell(one)
    const task = heldTask(record, { clock, spool, work, changed, warn, contact, fence, leaving })
    tasks.set(task.id, task)
    counts.set(record.run, (counts.get(record.run) ?? 0) + 1)
    leases.set(record.task, Math.max(record.lease, leases.get(record.task) ?? 0))
    return task
  }
  function perform(task: HeldTask, resumed: boolean, isOfBefore = false): void {
    if (task.record.what === 'step') atWork.set(task, undefined)
    task
      .perform(resumed, isOfBefore)
      .finally(() => atWork.delete(task))
      .then(() => {
        if (task.isForgotten) drop(task)
      })
      .catch(fault(task))
  }
  /** @param isUnknown the engine waits for nothing of it */
  function drop(task: HeldTask, isUnknown = false): void {
    const { record, id } = task
    if (tasks.get(id) !== task) return
    tasks.delete(id)
    reports.drop(task)
    if (leases.get(record.task) === record.lease) leases.delete(record.task)
    if (record.what === 'step' || task.isForgotten) remember(record)
    spool.remove(id).catch(fault(task))
    const left = (counts.get(record.run) ?? 1) - 1
    if (left > 0) counts.set(record.run, left)
    else counts.delete(record.run)
    if (left > 0) return
    settledOf.delete(record.run)
    // The news that the run is over may have been lost, and nothing is left by which the engine would be asked.
    if (task.isForgotten || isUnknown) work.forget(record.run)
  }
  function remember({ task, lease }: TaskRecord): void {
    gone.set(task, Math.max(lease, gone.get(task) ?? 0))
    const [oldest] = gone.keys()
    if (gone.size > REMEMBERED && oldest !== undefined) gone.delete(oldest)
  }
  function forgetTask(task: HeldTask): void {
    if (task.state === 'ended') drop(task)
  }

  // D1222: a worker tells how a step of a run that is over has ended, before it forgets it
  /** The run of a task is over. How a step ended that the engine has given up is told all the same. */
  function letGo(task: HeldTask): void {
    const isTold = settledOf.get(task.record.run)?.includes(task) === true
    if (task.record.what === 'step' && !isTold) task.isOver = true
    else task.isForgotten = true
    if (task.state !== 'ended') task.ask({ signal: 'SIGKILL', kill: true, force: true }).catch(fault(task))
    else if (task.isOver) reports.tell(task)
    else drop(task)
  }

  return {
    get: (named) => tasks.get(idOf(named)),
    all: () => [...tasks.values()],
    isStale: ({ task, lease }) => lease < (leases.get(task) ?? 0) || lease <= (gone.get(task) ?? 0),
    enter(record) {
      const task = put(record)
      clock.soon(() => {
        if (!leaving.aborted) perform(task, false)
      })
      return task
    },
    repeat: (task) => reports.tell(task),
    settled(task, how) {
      const { run, what } = task.record
      if (task.isOver) {
        task.isForgotten = true
        return drop(task)
      }
      // The `open` of a run stays, by which the engine is asked whether the run is over.
      if (what === 'open' && work.isOpen(runOf(task.record))) return
      if (how === 'unknown') return drop(task, true)
      const all = settledOf.get(run) ?? []
      settledOf.set(run, all)
      if (what === 'open' || all.includes(task)) return
      all.push(task)
      const oldest = all.length > KEPT ? all.shift() : undefined
      if (oldest) drop(oldest)
    },
    forget({ tasks: named, runs }) {
      for (const one of named) {
        const task = tasks.get(idOf(one))
        if (task) forgetTask(task)
      }
      const over = new Set(runs)
      if (over.size === 0) return
      for (const task of [...tasks.values()]) if (over.has(task.record.run)) letGo(task)
      for (const run of over) if (!counts.has(run)) work.forget(run) // also one of which no task is left
    },
    over(runs) {
      const ended = new Set(runs.map(runOf))
      for (const task of [...tasks.values()]) if (ended.has(runOf(task.record))) letGo(task)
    },
    progress() {
      const grown: Progress[] = []
      for (const [task, last] of [...atWork]) {
        const { began, task: name, lease } = task.record
        if (!began) continue
        const [out = 0, err = 0] = began.logs.map(sizeOf)
        if (out === (last?.out ?? began.outFrom) && err === (last?.err ?? began.errFrom)) continue
        grown.push({ task: name, lease, out, err })
        atWork.delete(task) // next time the others come first
        atWork.set(task, { out, err })
        if (grown.length === MOST_TASKS) break
      }
      return grown
    },
    fence() {
      for (const task of atWork.keys()) if (!task.record.unfenced) task.endByFence()
    },
    resume() {
      for (const record of spool.found.values()) {
        const task = put(record)
        if (record.ended) reports.tell(task)
        else perform(task, record.began !== undefined, true)
      }
      spool.found.clear()
    }
  }
}
