/** Opens files that are to be read as a whole. One that is a pipe to which nobody writes would hold up whoever opens it, for ever. */
import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats, statSync } from 'node:fs'
import { devNull } from 'node:os'

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

/** What the caller has opened, as a shell does for `<(command)`: somebody writes there, or has ended. */
const HANDED_DOWN = /^\/(?:dev\/(?:stdin|fd\/\d+)|proc\/self\/fd\/\d+)$/

/** @throws NoFile, Error of the file system */
export function readRegular(path: string): Buffer {
  if (HANDED_DOWN.test(path)) return readFileSync(path)
  const file = openRegular(path)
  try {
    return readFileSync(file)
  } finally {
    closeSync(file)
  }
}
