/** Names in a folder are on the disk once it was flushed: before, a power cut may take them, whatever was written below them. */
import { closeSync, existsSync, fsyncSync, openSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { codeOf } from '../errors.ts'
import { makeFolderAtOnce } from './make-folder.ts'

/** @throws Error of the file system */
export function flushFolderAtOnce(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Flushes a folder in a thread. @throws Error of the file system */
export async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

// D1036: a worker's folders are flushed with the names above them
/** Makes a folder and those above it that are missing. A power cut after it returns takes none. @throws Error of the file system */
export function makeLastingFolder(path: string, mode: number): void {
  const above = [dirname(path)]
  for (let folder = dirname(path); !existsSync(folder); folder = dirname(folder)) above.push(dirname(folder))
  makeFolderAtOnce(path, mode)
  for (const folder of above) flushIfMine(folder)
}

/** A folder of somebody else may be closed to us: then its names are in their care. */
function flushIfMine(folder: string): void {
  try {
    flushFolderAtOnce(folder)
  } catch (error) {
    if (codeOf(error) !== 'EACCES') throw error
  }
}
