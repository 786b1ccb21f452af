/** Tells the engine what came of tasks, until it says that it knows. Source: distribution 3, D8. */
import { INLINE_BYTES, TAIL_BYTES, type TaskEvent, writtenTask } from '../../bus/tasks.ts'
import type { Clock } from '../../clock.ts'
import type { Asking } from './asking.ts'
import { sizeOf } from './file-part.ts'
import type { HeldTask } from './held-task.ts'
import { type LogPart, logPart } from './log-part.ts'
import type { Spool } from './spool.ts'

export interface Reports {
  /** There is something new to tell of a task. What it replaces is told no more. */
  tell(task: HeldTask): void
  drop(task: HeldTask): void
  /** Nothing is told any more. */
  close(): void
}

export interface ReportParts {
  clock: Clock
  spool: Pick<Spool, 'result'>
  asking: Asking
  subject: string
  session: string
  /** The engine has the end of a task on record (`acked`), or waits for no such task (`unknown`). */
  settled(task: HeldTask, how: 'acked' | 'unknown'): void
  /** The task cannot be told of before the next start. */
  fault(task: HeldTask, error: unknown): void
}

export function openReports({ clock, spool, asking, subject, session, settled, fault }: ReportParts): Reports {
  const telling = new Map<HeldTask, AbortController>()

  async function insist(task: HeldTask, isOver: boolean, until: AbortSignal): Promise<void> {
    const word = await asking.insist(subject, () => eventOf(task, isOver), until)
    if (until.aborted) return
    telling.delete(task)
    if (isOver && (word?.kind === 'acked' || word?.kind === 'unknown')) settled(task, word.kind)
  }

  async function eventOf(task: HeldTask, isOver: boolean): Promise<string | undefined> {
    const { record, told } = task
    const { task: id, lease, engine, name, began, ended } = record
    const from = { outFrom: began?.outFrom ?? 0, errFrom: began?.errFrom ?? 0 }
    const self = { task: id, lease, engine, session, name, ...from }
    if (!isOver || !ended) {
      if (!told) return undefined
      const agoMs = agoOf(told.at)
      const [out = 0, err = 0] = began?.logs.map(sizeOf) ?? []
      return writtenTask({ kind: 'event', ...self, what: told.what, agoMs, out, err })
    }
    const { at, out, err, bytes, result } = ended
    const event: TaskEvent = { ...self, what: 'ended', agoMs: agoOf(at), out, err }
    const tails = began && {
      ...tailed('Out', await tailOf(began.logs[0], from.outFrom, out)),
      ...tailed('Err', await tailOf(began.logs[1], from.errFrom, err))
    }
    const isShort = bytes <= INLINE_BYTES
    const text = result ?? (isShort ? await spool.result(task.id).catch(() => undefined) : undefined)
    const said = text === undefined ? { resultBytes: bytes } : { result: text }
    return writtenTask({ kind: 'event', ...event, ...said, ...tails })
  }
  /** What was written between two sizes of a log, unless that is much. */
  async function tailOf(path: string, from: number, to: number): Promise<LogPart | undefined> {
    if (to < from || to - from > TAIL_BYTES) return undefined
    const part = await logPart(path, from, to - from, clock.now()).catch(() => undefined)
    return part?.data.length === to - from ? part : undefined
  }
  const agoOf = (at: number) => Math.max(0, Math.round(clock.now() - at))

  return {
    tell(task) {
      telling.get(task)?.abort()
      const one = new AbortController()
      telling.set(task, one)
      insist(task, task.record.ended !== undefined, one.signal).catch((error) => fault(task, error))
    },
    drop(task) {
      telling.get(task)?.abort()
      telling.delete(task)
    },
    close() {
      for (const one of telling.values()) one.abort()
      telling.clear()
    }
  }
}

const tailed = (of: 'Out' | 'Err', tail: LogPart | undefined) =>
  tail ? { [`tail${of}`]: tail.data, ...(tail.seconds ? { [`seconds${of}`]: tail.seconds } : {}) } : {}
