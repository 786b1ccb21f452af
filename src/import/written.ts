/** Writes a file whole or not at all. One that is there and differs stays, unless it may be replaced. */
import { closeSync, fsyncSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf } from '../errors.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'

/** What is at the place of a file that is to be written. */
export function stateOf(path: string, bytes: Buffer): 'free' | 'same' | 'different' {
  try {
    return readFileSync(path).equals(bytes) ? 'same' : 'different'
  } catch (cause) {
    return codeOf(cause) === 'ENOENT' ? 'free' : 'different'
  }
}

/** Mode 0600. @returns false: another one has come there meanwhile @throws Error of the disk */
export function writeWhole(path: string, bytes: Buffer, replace: boolean): boolean {
  makeFolderAtOnce(dirname(path), 0o700)
  const beside = `${path}.importing-${process.pid}`
  try {
    writeFileSync(beside, bytes, { mode: 0o600, flag: 'wx' })
    const file = openSync(beside, 'r')
    fsyncSync(file)
    closeSync(file)
    if (replace) renameSync(beside, path)
    else linkSync(beside, path)
    return true
  } catch (cause) {
    if (codeOf(cause) === 'EEXIST') return false
    throw cause
  } finally {
    rmSync(beside, { force: true })
  }
}
