/** Unpacks an archive, without writing through a link or outside the destination. Source: execution-semantics 10.5.2, 10.5.5, 10.5.6. */
import { chmod, link, lstat, mkdir, open, rm, symlink, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../../errors.ts'
import { makeFolder } from '../../platform/make-folder.ts'
import { ExecutionError } from '../frame/in-process.ts'
import { CODES, failure, failureOf } from './codes.ts'
import { readEntries, verifyArchive } from './entries.ts'
import type { Entry } from './entry.ts'
import { checkLink, partsOf } from './guard.ts'
import type { ArchiveRequest } from './request.ts'
import { type FilesSeen, nothingTaken, selectionOf } from './selection.ts'

/** Codes that end the work despite `continueOnError`. */
const FATAL: number[] = [CODES.space, CODES.corrupted, CODES.password, CODES.format]

export async function extract(request: ArchiveRequest, note: (line: string) => void): Promise<Record<string, unknown>> {
  const { source, destination, verify, verbose, continueOnError, dryRun, overwrite } = request
  const selection = selectionOf(request)
  const ground = dryRun ? dryGround : await openGround(destination, overwrite)
  let files = 0
  let bytes = 0
  let skipped = 0
  const seen: FilesSeen = { count: 0, example: '' }
  const errors: string[] = []

  async function put(entry: Entry): Promise<void> {
    const parts = partsOf(entry.path)
    if (entry.kind === 'special')
      throw failure(
        'corrupted',
        `the archive is refused: the entry ${JSON.stringify(entry.path)} is a device or a pipe`
      )
    if (entry.kind !== 'directory' && seen.count++ === 0) seen.example = parts.join('/')
    const place = selection.place(parts, entry.kind === 'directory')
    if (!place) {
      if (entry.kind !== 'directory') skipped++
      return
    }
    if (verbose) note(`extract ${parts.join('/')}`)
    if (entry.kind === 'directory') return ground.folder(place, entry)
    if (entry.kind === 'symlink') {
      checkLink(entry.path, entry.target, place.length - 1)
      await ground.symbolicLink(place, entry.target)
    } else if (entry.kind === 'link') {
      const target = selection.place(partsOf(entry.target), false)
      if (!target) throw failure('extract', `${JSON.stringify(entry.path)} is a link to a file that is left out`)
      await ground.hardLink(place, target)
    } else bytes += await ground.file(place, entry)
    files++
  }

  if (verify) await verifyArchive(request)
  await readEntries(request, async (entry) => {
    try {
      await put(entry)
    } catch (cause) {
      const error = failureOf(cause, 'extract')
      if (!continueOnError || FATAL.includes(error.exitCode)) throw error
      errors.push(error.message)
      note(error.message)
    }
  })
  await ground.finish()
  if (files === 0) note(nothingTaken('extracted', seen, request))
  return {
    operation: 'extract',
    source,
    destination,
    filesExtracted: files,
    bytesExtracted: bytes,
    filesSkipped: skipped,
    duration: '',
    ...(errors.length > 0 ? { errors } : {}),
    verifyPerformed: verify
  }
}

/** Writes entries. Paths are lists of parts below the destination. */
interface Ground {
  folder(parts: string[], entry: Entry): Promise<void>
  /** Resolves with the number of bytes. */
  file(parts: string[], entry: Entry): Promise<number>
  symbolicLink(parts: string[], target: string): Promise<void>
  hardLink(parts: string[], target: string[]): Promise<void>
  /** Sets modes and times of folders, after their content is written. */
  finish(): Promise<void>
}

/** For a dry run: reads the content and writes nothing. */
const dryGround: Ground = {
  folder: async () => {},
  async file(_, { content }) {
    let bytes = 0
    for await (const chunk of content()) bytes += chunk.length
    return bytes
  },
  symbolicLink: async () => {},
  hardLink: async () => {},
  finish: async () => {}
}

async function openGround(root: string, overwrite: boolean): Promise<Ground> {
  try {
    await makeFolder(root, 0o777)
  } catch (error) {
    throw failureOf(error, 'destination')
  }
  const folders = new Set<string>([root])
  const brought = new Set<string>()
  const made: { path: string; mode: number; modifiedAt: Date }[] = []

  /** Ensures a real folder at each part: links are not followed. */
  async function ensure(path: string): Promise<boolean> {
    if (folders.has(path)) return false
    await ensure(dirname(path))
    const fresh = await mkdir(path).then(
      () => true,
      async (error) => {
        if (codeOf(error) !== 'EEXIST') throw error
        if (!(await lstat(path)).isDirectory())
          throw failure('corrupted', `the archive is refused: an entry leads through ${path}, which is no folder`)
        return false
      }
    )
    folders.add(path)
    return fresh
  }
  async function room(parts: string[]): Promise<string> {
    const path = join(root, ...parts)
    await ensure(dirname(path))
    const there = await lstat(path).catch(() => undefined)
    if (there && !overwrite) throw failure('destination', `destination "${path}" exists (overwrite disabled)`)
    if (there?.isDirectory()) throw failure('destination', `destination "${path}" is a folder`)
    if (there) await rm(path)
    return path
  }

  return {
    async folder(parts, { mode, modifiedAt }) {
      const path = join(root, ...parts)
      if (await ensure(path)) made.push({ path, mode, modifiedAt })
    },
    async file(parts, entry) {
      const path = await room(parts)
      brought.add(path)
      try {
        return await writeFile(path, entry)
      } catch (error) {
        brought.delete(path)
        await rm(path, { force: true })
        throw error
      }
    },
    async symbolicLink(parts, target) {
      const path = await room(parts)
      brought.delete(path)
      await symlink(target, path)
    },
    async hardLink(parts, target) {
      const path = await room(parts)
      const existing = join(root, ...target)
      if (!brought.has(existing))
        throw failure('extract', `the archive links to ${JSON.stringify(target.join('/'))}, which it did not bring`)
      await link(existing, path)
      brought.add(path)
    },
    async finish() {
      for (const { path, mode, modifiedAt } of made.reverse()) {
        await chmod(path, mode)
        await utimes(path, modifiedAt, modifiedAt)
      }
    }
  }
}

/** Creates a new file: `wx` follows no link. */
async function writeFile(path: string, { content, mode, modifiedAt }: Entry): Promise<number> {
  const file = await open(path, 'wx', 0o600)
  let bytes = 0
  try {
    for await (const chunk of content()) {
      await file.appendFile(chunk)
      bytes += chunk.length
    }
    await file.chmod(mode)
    await file.utimes(modifiedAt, modifiedAt)
  } catch (error) {
    throw error instanceof ExecutionError ? error : failureOf(error, 'extract')
  } finally {
    await file.close()
  }
  return bytes
}
