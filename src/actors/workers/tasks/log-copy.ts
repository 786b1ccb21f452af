/**
 * The logs of a step on a worker, copied into those of its run here. How far the copy is follows from the sizes of files, so that an
 * engine that was killed goes on where it was. Source: distribution 5, D9, D10.
 */
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { appendFile } from 'node:fs/promises'
import { Unanswered } from '../../../bus/bus.ts'
import { Unreadable } from '../../../bus/readers.ts'
import { ANSWER_MS, PART_BYTES, type Seconds, type TaskEvent } from '../../../bus/tasks.ts'
import { type Clock, pause } from '../../../clock.ts'
import { codeOf } from '../../../errors.ts'
import { timesLine } from '../../../platform/log-times.ts'
import { appendTimes, noteBefore } from '../../../platform/note-times.ts'
import type { DiskSpace } from '../../pace/disk-space.ts'
import { appendNow } from '../../step/append.ts'
import type { Task } from './asked-task.ts'

export type Stream = 'stdout' | 'stderr'
/** Sizes of the two logs. */
export type Sizes = Record<Stream, number>

export interface LogCopyParts {
  clock: Clock
  diskSpace: DiskSpace
  /** Logs of the step here, whose folder exists. */
  paths: Record<Stream, string>
  /** Beside the records of its executions: where its output begins in them. */
  record: string
  task: Pick<Task, 'read'>
  leaving: AbortSignal
}

export interface LogCopy {
  /** The execution has begun, with these sizes of the worker's logs. */
  began(at: Sizes): void
  /** Copies up to these sizes, in the background. */
  upTo(sizes: Sizes): void
  /** Resolves when all of it is here. @param tails what the execution wrote, if that is short */
  all(sizes: Sizes, tails: Partial<Record<Stream, Tail>>): Promise<void>
}

interface Tail {
  data: Buffer | undefined
  seconds?: Seconds | undefined
}

const STREAMS = ['stdout', 'stderr'] as const

/** What came with the end of a task. */
export const tailsOf = ({ tailOut, tailErr, secondsOut, secondsErr }: TaskEvent): Record<Stream, Tail> => ({
  stdout: { data: tailOut, seconds: secondsOut },
  stderr: { data: tailErr, seconds: secondsErr }
})

/** @param resumed it may have been copied in part by an earlier engine @throws Error when the record cannot be written */
export function openLogCopy(
  { clock, diskSpace, paths, record, task, leaving }: LogCopyParts,
  resumed: boolean
): LogCopy {
  /** Where the output of the execution begins here, and there. That nothing was here before is not written down. */
  const here = resumed
    ? (recorded(record) ?? { stdout: 0, stderr: 0 })
    : { stdout: sizeOf(paths.stdout), stderr: sizeOf(paths.stderr) }
  const before: Promise<void>[] = []
  if (!resumed && here.stdout + here.stderr > 0) {
    writeFileSync(record, JSON.stringify(here), { mode: 0o600 })
    for (const stream of STREAMS) if (here[stream] > 0) before.push(noteBefore(paths[stream]))
  }
  let there: Sizes | undefined
  const wanted: Sizes = { stdout: 0, stderr: 0 }
  const copying: Partial<Record<Stream, Promise<void>>> = {}
  /** Logs of which a copy still looks whether more is wanted. */
  const atWork = new Set<Stream>()

  /** Somebody may have made the file shorter. */
  const copiedOf = (stream: Stream) => Math.max(0, sizeOf(paths[stream]) - here[stream])

  async function copy(stream: Stream, from: number): Promise<void> {
    const path = paths[stream]
    // Two of one log, or one of each: that bounds what is held in memory.
    const other = stream === 'stdout' ? 'stderr' : 'stdout'
    const parts = partsAhead(
      (at) => task.read(stream, at),
      () => (atWork.has(other) ? 1 : 2)
    )
    atWork.add(stream)
    try {
      for (let copied = copiedOf(stream); from + copied < wanted[stream] && !leaving.aborted; ) {
        try {
          const { data, seconds } = await parts.next(from + copied, wanted[stream])
          if (data.length === 0) return // somebody has made it shorter there
          await note(stream, seconds)
          await append(path, data)
          copied += data.length
        } catch (error) {
          if (!(error instanceof Unanswered || error instanceof Unreadable)) throw error
          await pause(clock, ANSWER_MS, leaving)
        }
      }
    } finally {
      atWork.delete(stream)
    }
  }
  // D1260: a part of a log says in which seconds it was written
  /** Before the bytes themselves: what is copied again is noted again, and counts once. A log without seconds is one all the same. */
  async function note(stream: Stream, seconds: Seconds = []): Promise<void> {
    await Promise.all(before)
    const began = there?.[stream] ?? 0
    const lines = seconds.map(({ agoMs, to }) =>
      timesLine(Math.floor((clock.now() - agoMs) / 1_000), to - began + here[stream])
    )
    if (lines.length > 0) await appendTimes(paths[stream], lines.join(''))
  }
  const append = (path: string, data: Buffer) =>
    diskSpace.take(() => appendFile(path, data, { mode: 0o600 }), { signal: leaving })

  /** Copies one part at a time: what is wanted meanwhile is copied by the one that is at work. */
  function follow(stream: Stream, size: number): Promise<void> {
    wanted[stream] = Math.max(wanted[stream], size)
    if (!there) return Promise.resolve()
    const from = there[stream]
    if (!atWork.has(stream)) copying[stream] = copy(stream, from)
    return copying[stream] ?? Promise.resolve()
  }

  return {
    began(at) {
      there ??= at
    },
    upTo(sizes) {
      for (const stream of STREAMS) follow(stream, sizes[stream]).catch(() => {}) // the end tries again, and says why
    },
    async all(sizes, tails) {
      for (const stream of STREAMS) {
        await copying[stream]?.catch(() => {})
        const tail = tails[stream]?.data
        const copied = copiedOf(stream)
        if (there && tail && tail.length === sizes[stream] - there[stream] && copied <= tail.length) {
          if (copied === tail.length) continue
          await note(stream, tails[stream]?.seconds)
          await diskSpace.take(() => appendNow(paths[stream], tail.subarray(copied)), { signal: leaving })
        } else await follow(stream, sizes[stream])
      }
    }
  }
}

/** The file may have been removed. */
function sizeOf(path: string): number {
  try {
    return statSync(path).size
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return 0
    throw error
  }
}

function recorded(path: string): Sizes | undefined {
  try {
    const { stdout, stderr }: Partial<Sizes> = JSON.parse(readFileSync(path, 'utf8'))
    return Number.isInteger(stdout) && Number.isInteger(stderr) ? ({ stdout, stderr } as Sizes) : undefined
  } catch {
    return undefined // it was not offered yet, or somebody has removed it
  }
}

type Part = Awaited<ReturnType<Task['read']>>

// D1025: bytes of logs travel beside the answer, two parts at a time
/** Parts of a log in their order: further ones are on their way while one is written. @param most number of questions at a time, at this moment */
function partsAhead(read: (at: number) => Promise<Part>, most: () => number) {
  let asked: { at: number; part: Promise<Part> }[] = []
  function ask(from: number, end: number): void {
    for (let at = from; asked.length < most() && at < end; at += PART_BYTES) {
      const part = read(at)
      part.catch(() => {}) // seen when it is its turn
      asked.push({ at, part })
    }
  }
  return {
    /** The part that begins at `at`; further ones up to `end` are asked for. @throws as `read`: then it is asked for again */
    async next(at: number, end: number): Promise<Part> {
      if (asked[0]?.at !== at) asked = [] // one before it was shorter, or failed
      if (asked.length === 0) ask(at, end)
      const part = await (asked.shift()?.part ?? read(at))
      const last = asked.at(-1)?.at ?? at
      if (part.data.length === PART_BYTES) ask(last + PART_BYTES, end)
      return part
    }
  }
}
