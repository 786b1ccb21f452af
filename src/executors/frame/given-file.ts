/**
 * Files that definitions name: where they are, and how they are read. A read that does not come back, as from a pipe to which
 * nobody writes, a file of the kernel or a share that has gone, would hold one of Node's four threads for ever.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import { systemClock } from '../../clock.ts'
import { atHome } from '../../platform/at-home.ts'

/** As written, from the folder that relative paths start at; `~` is the home directory. Source: execution-semantics 3.1.9. */
export const givenPath = (folder: string, path: string): string => resolve(folder, atHome(path))

/** What is at the path may be no file at all: who opens it asks. @throws Error of the file system */
export const openGiven = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NONBLOCK)

/** What a path leads to that is not there to be read whole. */
export class NotRegular extends Error {}

const MOST_BYTES = 1024 * 1024
// D719
/** Files of the kernel say that they are regular and empty, whatever they hold; some wait for something to happen. */
const OF_THE_KERNEL = /^\/(?:proc|sys|dev)(?:\/|$)/
const CHUNK_BYTES = 64 * 1024

/**
 * The whole of a regular file, read by other threads than the engine's own. Of `/dev/null` there is nothing.
 * @param mostBytes counted while it is read; default: 1 MiB
 * @throws NotRegular, or Error: of the file system, larger than `mostBytes`, not read within 10 s
 */
export async function readGiven(path: string, mostBytes = MOST_BYTES): Promise<Buffer> {
  if (path === devNull) return Buffer.alloc(0)
  return withinLimits(() => wholeOf(path, mostBytes))
}

async function wholeOf(path: string, mostBytes: number): Promise<Buffer> {
  const place = await realpath(path)
  if (OF_THE_KERNEL.test(place)) throw new NotRegular('it is no file: nothing below /proc, /sys or /dev is one')
  const file = await openGiven(place)
  try {
    const found = await file.stat()
    if (!found.isFile() && !found.isDirectory()) throw new NotRegular('it is no file') // a folder refuses to be read
    if (found.size > mostBytes) throw tooLarge(mostBytes, String(found.size))
    const chunks: Buffer[] = []
    let size = 0
    for (;;) {
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES)
      if (bytesRead === 0) return Buffer.concat(chunks)
      size += bytesRead
      if (size > mostBytes) throw tooLarge(mostBytes, 'more')
      chunks.push(buffer.subarray(0, bytesRead))
    }
  } finally {
    await file.close()
  }
}

const tooLarge = (mostBytes: number, found: string) => new Error(`wanted at most ${mostBytes} bytes, found ${found}`)

// D719
/** Node has four threads for files; what does not come back keeps its own. */
const AT_ONCE = 2
const LIMIT_MS = 10_000
let busy = 0
const waiting = new Set<() => void>()

/**
 * Does something with files, two things at a time, and waits no longer than it may take: one that goes on after that keeps its
 * place, so that no more than two threads are ever lost.
 * @throws Error after 10 s; and what `work` throws
 */
export function withinLimits<T>(work: () => Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const begin = () => {
      busy++
      void work()
        .then(resolve, reject)
        .then(() => {
          cancel()
          busy--
          const [next] = waiting
          if (next) waiting.delete(next)
          next?.()
        })
    }
    const cancel = systemClock.after(limitMs, () => {
      waiting.delete(begin)
      reject(new Error(`it could not be read within ${limitMs / 1_000} s: does its file system answer?`))
    })
    if (busy < AT_ONCE) begin()
    else waiting.add(begin)
  })
}
