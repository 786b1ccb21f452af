/** One task, from the moment it is on record: it is begun once, and its end is on record before it is told. Source: distribution 5, D3. */
import type { TaskState } from '../../bus/tasks.ts'
import { type Clock, pause } from '../../clock.ts'
import { messageOf } from '../../errors.ts'
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
  /** When it began or was found, if that is worth telling. */
  told?: { what: 'began' | 'found'; at: number }
  /** Begins it, or goes on with it. Resolves when its end is on record; never when the worker leaves before. */
  perform(resumed: boolean): Promise<void>
  /** Resolves when that is on record. @throws Error of the file system: it was told nevertheless */
  ask(asked: Stopped): Promise<void>
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
  leaving: AbortSignal
}

const AGAIN_MS = 2_000
const UNWRITTEN = 'what came of a task cannot be written down, and is tried again'
/** Of a result that stays in memory. */
const SHORT_BYTES = 4 * 1024

export function heldTask(record: TaskRecord, { clock, spool, work, changed, warn, leaving }: TaskParts): HeldTask {
  const id = idOf(record)
  let doing: Doing | undefined
  let hasWarned = false
  /** What was asked of it last. */
  let onRecord = JSON.stringify(record.asked)

  /** What has happened must be on record, however long the disk is full. Never resolves once the worker leaves. */
  async function surely(write: () => Promise<void>): Promise<void> {
    while (!leaving.aborted) if (await isDone(write)) break
    if (leaving.aborted) await new Promise<never>(() => {}) // the next process looks
  }
  async function isDone(write: () => Promise<void>): Promise<boolean> {
    try {
      await write()
      return true
    } catch (error) {
      if (!hasWarned) warn(UNWRITTEN, { task: record.name, reason: messageOf(error) })
      hasWarned = true
      await pause(clock, AGAIN_MS, leaving)
      return false
    }
  }
  const add = (line: Exclude<Line, { kind: 'claimed' }>) => spool.add(id, line)

  async function begun(resumed: boolean): Promise<Doing> {
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

  async function end({ result, at }: { result: object; at: number }): Promise<void> {
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

  const task: HeldTask = {
    id,
    record,
    isForgotten: false,
    get state() {
      return record.ended ? 'ended' : record.began || doing ? 'began' : 'claimed'
    },
    async perform(resumed) {
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
