/** Opens files to be read as a whole. Opening a pipe without a writer would block forever. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { block } from '../clock.ts'
import { codeOf } from '../errors.ts'

/** Something else in the place of a file. */
export class NoFile extends Error {
  /** The kind of thing, such as `a pipe`. */
  readonly found: string
  constructor(found: string) {
    super(`wanted a file, found ${found}`)
    this.found = found
  }
}

/** `/dev/null` is empty; other devices may have no end. @throws NoFile for anything but a file or a folder; Error of the file system */
export function openRegular(path: string): number {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stat = fstatSync(file)
  if (stat.isFile() || stat.isDirectory() || isNothing(stat)) return file
  closeSync(file)
  throw new NoFile(stat.isFIFO() ? 'a pipe' : 'a device')
}

const isNothing = (stat: Stats) => stat.isCharacterDevice() && stat.rdev === statSync(devNull).rdev

/** @throws NoFile, Error of the file system */
export function readRegular(path: string): Buffer {
  const file = openRegular(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}

/** A log, which a program may have replaced: a link could lead elsewhere, a pipe would block the reader. Undefined: there is no file. */
export async function openLogFile(path: string): Promise<FileHandle | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!file || (await file.stat()).isFile()) return file
  await file.close()
  return undefined
}

/** How long to wait for a writer, which may first have to fetch a secret. */
const WRITER_MS = 2_000
const LOOK_MS = 10
const CHUNK = 64 * 1024

/**
 * Reads a file that somebody names, also a pipe, which passes secrets. Blocks the process meanwhile, at most 2 s.
 * @param most limit of the bytes that are read from a pipe
 * @throws NoFile when nothing is written into it, or its writer does not finish
 */
export function readNamed(path: string, most: number): Buffer {
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    return fstatSync(file).isFIFO() ? written(file, most) : readRegular(path)
  } finally {
    closeSync(file)
  }
}

function written(pipe: number, most: number): Buffer {
  const chunk = Buffer.alloc(CHUNK)
  let all = Buffer.alloc(0)
  for (let waitedMs = 0; waitedMs < WRITER_MS && all.length <= most; ) {
    const bytes = bytesIn(pipe, chunk)
    if (bytes === 0 && all.length > 0) return all
    if (bytes) all = Buffer.concat([all, chunk.subarray(0, bytes)])
    else {
      block(LOOK_MS)
      waitedMs += LOOK_MS
    }
  }
  if (all.length > most) return all
  throw new NoFile(
    `a pipe into which ${all.length > 0 ? 'another process is still writing' : 'no process writes'} after ${WRITER_MS / 1_000} s`
  )
}

/** 0: it has no writer; undefined: it has one that has not written yet. */
function bytesIn(pipe: number, chunk: Buffer): number | undefined {
  try {
    return readSync(pipe, chunk)
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined
    throw error
  }
}
