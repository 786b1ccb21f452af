/**
 * The process between a step and its logs: stdin is the step's stdout, fd 3 its stderr; on fd 4 it is told what to mask and
 * where to write (`MaskOrder`, one line), and when the step's leader has ended. It ends when both streams have, or two
 * seconds after the leader: a grandchild may hold the pipes for ever. Signals for all (a shutdown) are for the step: it goes on.
 */
import './signals-held-off.ts'
import { fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import { systemClock } from '../../clock.ts'
import { openMasker } from '../../masking/masker.ts'
import { patternsOf } from '../../masking/patterns.ts'
import { type TimedMasker, timedMasker } from '../../masking/timed-masker.ts'
import { markLine } from './marks.ts'
import { COPY_FAILED, LEADER_ENDED, type MaskOrder } from './mask-order.ts'

const DRAIN_MS = 2_000
const CHUNK_BYTES = 65_536
/** The largest pipe that Linux gives to everybody. */
const PIPE_BYTES = 1_048_576
const [STDOUT, STDERR, ORDER] = [0, 3, 4]

const [order = '', rest = ''] = firstLine(ORDER)
const { values, streams, account } = JSON.parse(order) as MaskOrder
const patterns = patternsOf(values)
let exitCode = 0
const open = new Map<number, TimedMasker>()
streams.forEach((stream, index) => {
  const fd = index === 0 ? STDOUT : STDERR
  const timed = maskerTo(stream, () => {
    exitCode = fd === STDOUT ? COPY_FAILED.stdout : COPY_FAILED.stderr
  })
  const over = () => {
    open.delete(fd)
    timed.end()
    if (open.size === 0) process.exit(exitCode)
  }
  open.set(fd, timed)
  reading(fd, (chunk) => timed.push(chunk))
    .on('error', over)
    .on('end', over)
})
// The end of this pipe without a word is the holder's end, not the step's.
reading(ORDER, hear).on('error', () => {})
hear(rest)

function hear(word: string | Buffer): void {
  if (word.toString() === LEADER_ENDED) systemClock.after(DRAIN_MS, giveUp)
}

function reading(fd: number, hear: (chunk: Buffer) => void): Socket {
  return new Socket({ fd, readable: true, writable: false }).on('data', hear)
}

/** All that the leader wrote is in the pipes by now, however slow this process is. */
function giveUp(): void {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  for (const [fd, timed] of open) {
    try {
      for (let left = PIPE_BYTES; left > 0; ) {
        const length = readSync(fd, chunk)
        if (length === 0) break
        timed.push(Buffer.from(chunk.subarray(0, length)))
        left -= length
      }
    } catch {
      // The pipe is empty.
    }
    timed.end()
  }
  process.exit(exitCode)
}

/** @param uncopied called when a copy could not be written */
function maskerTo({ log, copies, marks }: MaskOrder['streams'][number], uncopied: () => void): TimedMasker {
  const file = appendTo(log)
  const copyFiles = copies.map(asUser(openCopy))
  const offset = fstatSync(file).size
  const marked = marks === undefined ? undefined : appendTo(marks)
  let noted = ''
  const note =
    marked === undefined
      ? undefined
      : (mark: Parameters<typeof markLine>[0]) => {
          noted += markLine({ ...mark, at: mark.at + offset })
        }
  return timedMasker(openMasker(patterns, note), systemClock, (bytes) => {
    write(file, bytes)
    for (const copy of copyFiles) if (copy === undefined || !write(copy, bytes)) uncopied()
    // After the log: a mark without its stars would be one of what comes later.
    if (marked !== undefined && noted !== '') write(marked, Buffer.from(noted))
    noted = ''
  })
}

/** Undefined: it cannot be opened. */
function openCopy(path: string): number | undefined {
  try {
    return appendTo(path)
  } catch (error) {
    if (!account) throw error
    return undefined
  }
}

/** Nothing else goes on in this process meanwhile. */
function asUser<T>(open: (path: string) => T): (path: string) => T {
  return (path) => {
    if (!account) return open(path)
    const groups = process.getgroups?.() ?? []
    process.setgroups?.([...account.groups])
    process.setegid?.(account.gid)
    process.seteuid?.(account.uid)
    try {
      return open(path)
    } finally {
      process.seteuid?.(0)
      process.setegid?.(0)
      process.setgroups?.(groups)
    }
  }
}

function appendTo(path: string): number {
  return openSync(path, 'a', 0o600)
}

/** A file that cannot be written, as on a full disk, must not hold up the step. @returns whether all of it is written */
function write(file: number, bytes: Buffer): boolean {
  try {
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at)
    return true
  } catch {
    return false
  }
}

/** Waits for it. What has come after it is the second part: a step may be over by now. */
function firstLine(fd: number): string[] {
  const parts: Buffer[] = []
  for (;;) {
    const chunk = Buffer.alloc(CHUNK_BYTES)
    const length = readSync(fd, chunk)
    parts.push(chunk.subarray(0, length))
    if (length === 0 || parts.at(-1)?.includes('\n')) return Buffer.concat(parts).toString().split('\n')
  }
}
