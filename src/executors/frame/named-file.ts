/**
 * Files that definitions name: their paths, and how they are read. A read that never returns (a pipe without a writer, a file
 * of the kernel, a lost network share) would block one of Node's four threads forever.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import { systemClock } from '../../clock.ts'
import { type Account, doneAs } from '../../platform/account.ts'
import { atHome } from '../../platform/at-home.ts'

/** The path as written, relative to a folder; `~` is the home directory. Source: execution-semantics 3.1.9. */
export const namedPath = (folder: string, path: string): string => resolve(folder, atHome(path))

/** The path need not be a file: the caller checks that. @throws Error of the file system */
export const openNamed = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NONBLOCK)

/** The path leads to something that cannot be read as a whole. */
export class NotRegular extends Error {}

const MOST_BYTES = 1024 * 1024
// D719: files named by a definition are read with limits
/** Files of the kernel claim to be regular and empty whatever they contain; some block. */
const OF_THE_KERNEL = /^\/(?:proc|sys|dev)(?:\/|$)/
const CHUNK_BYTES = 64 * 1024

/**
 * Reads a whole regular file outside the engine's thread. `/dev/null` is empty.
 * @param mostBytes counted while it is read; default: 1 MiB @param account who reads it; absent: the engine
 * @throws NotRegular, or Error: of the file system, larger than `mostBytes`, not read within 10 s
 */
export async function readNamed(path: string, mostBytes = MOST_BYTES, account?: Account): Promise<Buffer> {
  if (path === devNull) return Buffer.alloc(0)
  return withinLimits(() => (account ? readAs(account, path, mostBytes) : wholeOf(path, mostBytes)))
}

/** A file that is missing is told as without an account: other places are looked at then. */
async function readAs(account: Account, path: string, mostBytes: number): Promise<Buffer> {
  const place = await realpath(path)
  if (OF_THE_KERNEL.test(place)) throw new NotRegular('it is no file: nothing below /proc, /sys or /dev is one')
  const program = 'test -f "$1" || { echo "$1: it is no file" >&2; exit 1; }; exec cat -- "$1"'
  return doneAs(account, ['sh', '-c', program, 'sh', place], { most: mostBytes }).catch((cause: Error) => {
    throw new Error(`${account.name} cannot read it: ${cause.message}`, { cause })
  })
}

async function wholeOf(path: string, mostBytes: number): Promise<Buffer> {
  const place = await realpath(path)
  if (OF_THE_KERNEL.test(place)) throw new NotRegular('it is no file: nothing below /proc, /sys or /dev is one')
  const file = await openNamed(place)
  try {
    const found = await file.stat()
    if (!found.isFile() && !found.isDirectory()) throw new NotRegular('it is no file') // reading a folder fails by itself
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

// D719: files named by a definition are read with limits
/** Node has four threads for files; a call that never returns occupies one. */
const AT_ONCE = 2
const LIMIT_MS = 10_000
let busy = 0
const waiting = new Set<() => void>()

/**
 * Runs work on files, two at a time, with a time limit. Work that exceeds it keeps its slot, so that at most two threads are
 * ever lost.
 * @throws Error after 10 s; and errors of `work`
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
