/**
 * Files that definitions name: where they are, and how they are read. One that is a pipe to which nobody writes would hold one of
 * Node's few threads for ever, and four of them the whole engine.
 */
import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { devNull } from 'node:os'
import { resolve } from 'node:path'
import { atHome } from '../at-home.ts'

/** As written, from the folder that relative paths start at; `~` is the home directory. Source: execution-semantics 3.1.9. */
export const givenPath = (folder: string, path: string): string => resolve(folder, atHome(path))

/** What is at the path may be no file at all: who opens it asks. @throws Error of the file system */
export const openGiven = (path: string): Promise<FileHandle> => open(path, constants.O_RDONLY | constants.O_NONBLOCK)

/** Of `/dev/null` nothing; pipes and other devices may have no end. @throws Error of the file system, or that it is no file */
export async function readGiven(path: string): Promise<Buffer> {
  const file = await openGiven(path)
  try {
    const found = await file.stat()
    if (!found.isFile() && !found.isDirectory() && path !== devNull) throw new Error('it is no file')
    return await file.readFile()
  } finally {
    await file.close()
  }
}
