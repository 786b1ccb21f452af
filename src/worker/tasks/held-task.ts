/** One task, from the moment it is on record: it is begun once, and its end is on record before it is told. Source: distribution 5, D3. */
import type { TaskState } from '../../bus/tasks.ts'
import { type Clock, pause } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
import type { Fence } from '../../executors/fence/fence.ts'
import type { Contact } from '../contact.ts'
import { sizeOf } from './file-part.ts'
import { apply, type Ended, type Line, type Stopped, type TaskRecord } from './record.ts'
import { idOf, type Spool } from './spool.ts'
import type { Doing, Work } from './work.ts'

export interface HeldTask {
  readonly id: string
  readonly record: TaskRecord
  readonly state: TaskState
  /** Nobody waits for its end: it goes then. */
  isForgotten: boolean
  /** The disk refuses what came of it. */
  isUnwritten: boolean
  /** The run of the task is over: the task goes when its end was told. */
  isOver: boolean
  /** When the task began or was found, if that is worth telling. */
  told?: { what: 'began' | 'found'; at: number }
  /** Begins the task, or goes on with it. Resolves when its end is on record; never when the worker leaves before. */
  /** @param isOfBefore a process before this one has left it */
  perform(resumed: boolean, isOfBefore?: boolean): Promise<void>
  /** Resolves when that is on record. @throws Error of the file system: it was told nevertheless */
  ask(asked: Stopped): Promise<void>
  /** Nothing was heard of the engine for too long. */
  endByFence(): void
  leave(): void
}

export interface TaskParts {
  clock: Clock
  spool: Spool
  work: Work
  /** There is something to tell of it. */
  changed(task: HeldTask): void
  /** A line for those who look after the worker. */
  warn(message: string, fields: Record<string, string>): void
  contact: Pick<Contact, 'isFresh' | 'lapses'>
  fence: Pick<Fence, 'wasFenced' | 'unlist'>
  leaving: AbortSignal
}

/** Between looks whether the engine is heard. */
const LOOK_MS = 250
/** Deaths of the worker within this time while it began a task, after which it is begun no more. */
const DEATHS = 3
const DEATHS_MS = 600_000
const FENCED = 'fenced: nothing was heard of the engine for so long that the worker ended the step'
const NOT_BEGUN = 'it never began: nothing was heard of the engine for too long'
const POISONED = `the worker ended ${DEATHS} times while it began`
const AGAIN_MS = 2_000
const UNWRITTEN = 'what came of a task cannot be written down, and is tried again'
/** Limit of a result that stays in memory. */
const SHORT_BYTES = 4 * 1024

export function heldTask(
  record: TaskRecord,
  { clock, spool, work, changed, warn, contact, fence, leaving }: TaskParts
): HeldTask {
  const id = idOf(record)
  let doing: Doing | undefined
  let isFound = false
  let hasWarned = false
  /** The latest request of the engine that is on record. */
  let onRecord = JSON.stringify(record.asked)

  /** What has happened must be on record, however long the disk is full. Never resolves once the worker leaves. */
  async function surely(write: () => Promise<void>): Promise<void> {
    while (!leaving.aborted) if (await isDone(write)) break
    if (leaving.aborted) await new Promise<never>(() => {}) // the next process looks
  }
  async function isDone(write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      task.isUnwritten = false
      return true
    } catch (error) {
      task.isUnwritten = true
      if (!hasWarned) warn(UNWRITTEN, { task: record.name, reason: messageOf(error) })
      hasWarned = true
      await pause(clock, AGAIN_MS, leaving)
      return false
    }
  }
  const add = (line: Exclude<Line, { kind: 'claimed' }>) => spool.add(id, line)

  /** Absences before it was claimed; of what a process before this one has left, none counts. */
  const lapsesBefore = contact.lapses()
  let isFenced = false
  /** @throws Error when it must not begin any more */
  async function whenHeard(): Promise<void> {
    while (!record.asked && !leaving.aborted) {
      if (contact.lapses() > lapsesBefore) throw new Error(NOT_BEGUN)
      if (contact.isFresh()) return
      await pause(clock, LOOK_MS, leaving)
    }
    if (leaving.aborted) await new Promise<never>(() => {}) // the next process looks
  }
  // D1008: three deaths within ten minutes end a task that was being begun
  /** A worker that dies of a task must not begin it for ever. @throws Error */
  async function noteDeath(): Promise<void> {
    const at = clock.now()
    await surely(() => add({ kind: 'resumed', at }))
    const deaths = [...(record.resumed ?? []), at].filter((then) => at - then < DEATHS_MS)
    record.resumed = deaths
    if (deaths.length >= DEATHS) throw new Error(POISONED)
  }

  async function begun(resumed: boolean): Promise<Doing> {
    if (isFound && !work.isAtWork(record)) await noteDeath()
    if (record.what === 'step' && !record.unfenced && !work.isAtWork(record)) await whenHeard()
    if (record.what === 'step' && !record.began) {
      const logs = work.logsOf(record)
      const began = { at: clock.now(), logs, outFrom: sizeOf(logs[0]), errFrom: sizeOf(logs[1]) }
      await surely(() => add({ kind: 'began', ...began }))
      record.began = began
    }
    doing = work.begin(record, resumed, (what, at = clock.now()) => {
      task.told = { what, at }
      changed(task)
    })
    if (record.asked && !resumed) doing.hear(record.asked) // it came meanwhile
    return doing
  }

  async function end({ result: found, at }: { result: object; at: number }): Promise<void> {
    const result = wasFenced(found) ? { ...found, error: FENCED } : found
    fence.unlist(id)
    const text = JSON.stringify(result)
    const bytes = Buffer.byteLength(text)
    const [out = 0, err = 0] = record.began?.logs.map(sizeOf) ?? []
    const ended: Ended = { at, out, err, bytes, ...(bytes <= SHORT_BYTES ? { result: text } : {}) }
    await surely(async () => {
      if (ended.result === undefined) await spool.keep(id, text)
      await add({ kind: 'ended', ...ended })
    })
    apply(record, { kind: 'ended', ...ended })
    changed(task)
  }

  /** The fence ended the step, which is why it failed. */
  const wasFenced = (result: object): boolean =>
    record.what === 'step' && (isFenced || fence.wasFenced(id)) && (result as { exitCode?: number }).exitCode !== 0

  const task: HeldTask = {
    id,
    record,
    isForgotten: false,
    isUnwritten: false,
    isOver: false,
    get state() {
      return record.ended ? 'ended' : record.began || doing ? 'began' : 'claimed'
    },
    async perform(resumed, isOfBefore = false) {
      isFound = isOfBefore
      const over = await begun(resumed).then(
        ({ ended }) => ended,
        (error: Error) => ({ result: failed(record.what, error.message), at: clock.now() })
      )
      if (!leaving.aborted) await end(over)
    },
    async ask(asked) {
      if (record.ended || JSON.stringify(asked) === onRecord) return
      try {
        await add({ kind: 'stopped', ...asked })
        onRecord = JSON.stringify(asked)
      } finally {
        record.asked = asked // a full disk must not keep a step from being stopped
        doing?.hear(asked)
      }
    },
    endByFence() {
      if (isFenced || !doing) return
      isFenced = true
      doing.hear({ signal: 'SIGKILL', kill: true, force: true })
    },
    leave: () => doing?.leave()
  }
  return task
}

/** The result of a task that could not be done. */
export function failed(what: TaskRecord['what'], error: string, notes: object[] = []): object {
  if (what === 'step') return { exitCode: 1, error, notes }
  if (what === 'conditions') return { met: false, conditions: [], error, notes }
  return what === 'repeat' ? { met: false, error, notes } : { error, notes }
}
