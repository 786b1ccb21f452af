/** Packs a file or a folder. The archive appears once it is complete. Source: execution-semantics 10.5.2-10.5.4, 10.5.8. */
import { constants, createReadStream, createWriteStream, type Stats } from 'node:fs'
import { access, lstat, readdir, readlink, realpath, rename, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { Readable } from 'node:stream'
import { codeOf } from '../../errors.ts'
import { makeFolder, reasonOf } from '../../platform/make-folder.ts'
import { CODES, failure, failureOf } from './codes.ts'
import { verifyArchive } from './entries.ts'
import { pack } from './format.ts'
import type { Planned } from './planned.ts'
import type { ArchiveRequest } from './request.ts'
import { type FilesSeen, nothingTaken, type Selection, selectionOf } from './selection.ts'
import { tarBytes } from './tar.ts'
import { zipBytes } from './zip.ts'

// D605: archive: `create` refuses an existing destination without `overwrite`
export async function create(request: ArchiveRequest, note: (line: string) => void): Promise<Record<string, unknown>> {
  const { source, destination, verify, dryRun, verbose } = request
  await checkDestination(request)
  const { planned, errors, seen } = await planOf(request)
  for (const message of errors) note(message)
  if (verbose) for (const { path } of planned) note(`add ${path}`)
  if (!dryRun) {
    await writeArchive(request, planned)
    if (verify) await verifyArchive({ ...request, source: request.partial })
    await rename(request.partial, destination)
  }
  const files = planned.filter(({ kind }) => kind !== 'directory')
  if (files.length === 0) note(nothingTaken('archived', seen, request))
  return {
    operation: 'create',
    source,
    destination,
    filesAdded: files.length,
    bytesArchived: files.reduce((sum, { size }) => sum + size, 0),
    duration: '',
    ...(errors.length > 0 ? { errors } : {}),
    verifyPerformed: verify && !dryRun
  }
}

async function checkDestination({ destination, overwrite, dryRun }: ArchiveRequest): Promise<void> {
  if (dryRun) return
  const there = await lstat(destination).catch(() => undefined)
  if (there?.isDirectory()) throw failure('destination', `destination "${destination}" is a folder`)
  if (there && !overwrite) throw failure('destination', `destination "${destination}" exists (overwrite disabled)`)
  try {
    await makeFolder(dirname(destination), 0o777)
  } catch (error) {
    throw failureOf(error, 'destination')
  }
}

async function writeArchive(request: ArchiveRequest, planned: Planned[]): Promise<void> {
  const { format, level, path, partial } = request
  if (!format) throw failure('format', 'archive: no format')
  const bytes =
    format.container === 'zip'
      ? await zipBytes(planned, level)
      : format.container === 'tar'
        ? tarBytes(planned)
        : onlyFile(request, planned)
  const file = createWriteStream(partial, { flags: 'wx', mode: 0o644 })
  try {
    await pack(bytes, { compression: format.compression, level, programs: path }, file)
  } catch (error) {
    file.destroy()
    throw failureOf(ofDestination(error, request), 'create')
  }
}

/** Errors of the temporary file are reported for the archive, because users do not know that file. */
function ofDestination(error: unknown, { destination, partial }: ArchiveRequest): unknown {
  const { path }: NodeJS.ErrnoException = Object(error)
  if (path === undefined || path !== partial) return error
  const reason = reasonOf(error)
  return Object.assign(new Error(`destination "${destination}" cannot be written: ${reason}`, { cause: error }), {
    code: codeOf(error)
  })
}

function onlyFile({ source }: ArchiveRequest, planned: Planned[]): Readable {
  const [file] = planned
  if (planned.length === 1 && file?.absolute === source && file.kind === 'file') return createReadStream(file.absolute)
  throw failure('configuration', `archive: this format holds one file, and "${source}" is none or is left out`)
}

/** The entries to write, by name; without sockets, pipes and devices. */
async function planOf(request: ArchiveRequest): Promise<{ planned: Planned[]; errors: string[]; seen: FilesSeen }> {
  const { source, name, followSymlinks, continueOnError } = request
  const selection = selectionOf(request)
  const planned: Planned[] = []
  const errors: string[] = []
  const seen: FilesSeen = { count: 0, example: '' }
  const own = new Set([request.destination, request.partial])

  async function add(absolute: string, parts: string[], above: string[]): Promise<void> {
    if (own.has(absolute) && absolute !== source) return
    try {
      // A path such as `.` means the folder, not a link to it.
      const follows = followSymlinks || parts.length === 0
      const found = await (follows ? stat(absolute) : lstat(absolute)).catch((error) => {
        if (selection.place(parts, false)) throw unreadable(absolute, error)
      })
      if (!found?.isDirectory() && seen.count++ === 0) seen.example = parts.join('/')
      if (!found) return // filtered out
      const entry = await plannedOf(absolute, found, parts, selection)
      if (entry) planned.push(entry)
      if (planned.length > request.limits.entries)
        throw failure('create', `the archive would have more than ${request.limits.entries} entries`)
      if (!found.isDirectory()) return
      const real = followSymlinks ? await realpath(absolute) : absolute
      if (above.includes(real)) throw failure('create', `${absolute} leads back to a folder that it is in`)
      const names = await readdir(absolute).catch((error): string[] => {
        if (selection.excludes(parts)) return []
        throw error
      })
      for (const name of names.sort()) await add(join(absolute, name), [...parts, name], [...above, real])
    } catch (cause) {
      const error = failureOf(cause, 'create')
      if (!continueOnError || error.exitCode === CODES.space) throw error
      errors.push(error.message)
    }
  }

  const there = await stat(source).catch((error) => {
    throw codeOf(error) === 'ENOENT'
      ? failure('source', `source "${source}" does not exist`, error)
      : failureOf(error, 'source')
  })
  if (!there.isFile() && !there.isDirectory()) throw failure('source', `source "${source}" is no file and no folder`)
  await add(source, name === '' ? [] : [name], [])
  return { planned, errors, seen }
}

/** A name that is not UTF-8 is decoded to another one, which does not exist. */
const unreadable = (path: string, error: unknown): unknown =>
  basename(path).includes('\uFFFD') && codeOf(error) === 'ENOENT'
    ? failure('create', `${path}: its name is not UTF-8; rename the file, or leave it out with exclude`, error)
    : error

async function plannedOf(
  absolute: string,
  found: Stats,
  parts: string[],
  selection: Selection
): Promise<Planned | undefined> {
  const kind = found.isFile()
    ? 'file'
    : found.isDirectory()
      ? 'directory'
      : found.isSymbolicLink()
        ? 'symlink'
        : undefined
  const place = kind && selection.place(parts, kind === 'directory')
  if (!kind || !place) return undefined
  if (kind === 'file') await access(absolute, constants.R_OK)
  return {
    path: place.join('/'),
    absolute,
    kind,
    size: kind === 'file' ? found.size : 0,
    mode: found.mode & 0o777,
    modifiedAt: found.mtime,
    target: kind === 'symlink' ? await readlink(absolute) : ''
  }
}
