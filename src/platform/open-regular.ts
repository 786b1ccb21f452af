/** Opens files that are to be read as a whole. One that is a pipe to which nobody writes would hold up whoever opens it, for ever. */
import { closeSync, constants, fstatSync, openSync, readFileSync, readSync, type Stats, statSync } from 'node:fs'
import { devNull } from 'node:os'
import { block } from '../clock.ts'
import { codeOf } from '../errors.ts'

/** What stands in the place of a file and is none. */
export class NoFile extends Error {
  /** Such as `a pipe`. */
  readonly found: string
  constructor(found: string) {
    super(`wanted a file, found ${found}`)
    this.found = found
  }
}

/** Of `/dev/null` nothing is read; other devices may have no end. @throws NoFile for what is neither a file nor a folder; Error of the file system */
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

/** Between making a pipe and writing into it somebody may have to ask for a secret. */
const WRITER_MS = 2_000
const LOOK_MS = 10
const CHUNK = 64 * 1024

/**
 * The same, and what is written into a pipe: secrets are handed down in one. Holds up the process meanwhile, 2 s at most.
 * @param most bytes after which no more is read of a pipe
 * @throws NoFile when nothing is written into it, or not to its end
 */
export function readGiven(path: string, most: number): Buffer {
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
    `a pipe into which ${all.length > 0 ? 'somebody goes on writing' : 'nobody writes'} after ${WRITER_MS / 1_000} s`
  )
}

/** 0: nobody has it open to write; undefined: somebody has, and has not written yet. */
function bytesIn(pipe: number, chunk: Buffer): number | undefined {
  try {
    return readSync(pipe, chunk)
  } catch (error) {
    if (codeOf(error) === 'EAGAIN') return undefined
    throw error
  }
}
