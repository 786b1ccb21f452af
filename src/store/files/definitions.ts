/**
 * Definition files: one folder, not recursive, `.yaml` before `.yml`. Paths are only built from validated names, or from names found
 * in the folder. Source: api-semantics 3.2, 3.3.
 */
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  lstatSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { MAX_TEXT_BYTES } from '../../definition/yaml/nesting.ts'
import { codeOf, TroupeError } from '../../errors.ts'
import { makeFolderAtOnce, reasonOf } from '../../platform/make-folder.ts'
import { readRegular } from '../../platform/open-regular.ts'
import { decoded } from './utf8.ts'

const EXTENSIONS = ['.yaml', '.yml']
/** A file name without its extension. Dots are allowed, but not at the start. */
const FILE_NAME = /^[A-Za-z0-9_-][A-Za-z0-9_.-]*$/
/** A new name must not look like an option, either, and must be a valid DAG name: a longer one would have no history. */
const NEW_FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,39}$/
/** Mode of new files. */
const OWN = 0o600

export interface DefinitionFile {
  fileName: string
  path: string
  /** Changes whenever the text does. */
  stamp: string
  /** Modification time, epoch ms. */
  changedAt: number
  /** Bytes. */
  size: number
  /** File mode. */
  mode: number
}

/** The contents of a file: its exact text, or why it cannot be read, and the position. */
export type Source = { text: string } | { problem: string; line?: number; column?: number }

/** Name of the definition in a folder entry, valid or not; undefined: not a definition. */
export function fileNameOf(entry: string): string | undefined {
  if (entry.startsWith('.')) return undefined
  const extension = EXTENSIONS.find((extension) => entry.endsWith(extension))
  return extension && entry.slice(0, -extension.length)
}

/** All files by name, each read lazily. Empty if the folder does not exist. @throws TroupeError service_unavailable: it cannot be read */
export function* filesIn(folder: string): Generator<DefinitionFile, undefined> {
  if (!existsSync(folder)) return
  const names = new Set(entriesOf(folder).flatMap((entry) => fileNameOf(entry) ?? []))
  for (const fileName of [...names].sort()) {
    const file = listedFile(folder, fileName)
    if (file) yield file
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return [] // removed in the meantime
    throw refusalOf(folder, 'read', cause)
  }
}

function refusalOf(folder: string, use: 'read' | 'written', cause: unknown): TroupeError {
  const reason = ['ENOTDIR', 'EEXIST'].includes(codeOf(cause) ?? '') ? 'it is no folder' : reasonOf(cause)
  const message = `the definitions folder ${folder} cannot be ${use}: ${reason}`
  return new TroupeError('service_unavailable', message, { cause })
}

/** @throws TroupeError bad_request for an invalid name */
export function findFile(folder: string, fileName: string): DefinitionFile | undefined {
  if (!FILE_NAME.test(fileName)) throw new TroupeError('bad_request', `fileName: ${wantedName(fileName)}`)
  return listedFile(folder, fileName)
}

/** @param fileName as found in the folder, see `fileNameOf` */
export function listedFile(folder: string, fileName: string): DefinitionFile | undefined {
  if (isTest(folder, fileName)) return undefined
  for (const extension of EXTENSIONS) {
    const file = fileAt(fileName, join(folder, fileName + extension))
    if (file) return file
  }
  return undefined
}

// D1126: a file `NAME.test.yaml` beside `NAME.yaml` is a test, and no definition
/** `etl.test.yaml` beside `etl.yaml` is a test of it, and no definition. */
function isTest(folder: string, fileName: string): boolean {
  const tested = /^(.+)\.test$/.exec(fileName)?.[1]
  return tested !== undefined && EXTENSIONS.some((extension) => existsSync(join(folder, tested + extension)))
}

/** A file with an invalid name is not read. Undefined: the file is gone. */
export function readSource({ fileName, path, size }: DefinitionFile): Source | undefined {
  if (!FILE_NAME.test(fileName)) return { problem: `file name: ${wantedName(fileName)}: rename the file` }
  if (size > MAX_TEXT_BYTES)
    return { problem: `a definition has at most ${MAX_TEXT_BYTES} bytes, this one has ${size}` }
  return sourceAt(path)
}

/** The text of any file, of any size. */
export function sourceAt(path: string): Source | undefined {
  try {
    return decoded(readRegular(path))
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? undefined : { problem: `the file cannot be read: ${reasonOf(error)}` }
  }
}

/** @throws TroupeError bad_request when it is not a folder */
export function checkFolder(folder: string): void {
  let found: string | undefined
  try {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === false) found = 'something else'
  } catch (error) {
    found = codeOf(error) ?? String(error) // a parent is no folder, or is not accessible
  }
  if (found !== undefined)
    throw new TroupeError('bad_request', `definitions folder: wanted a folder, found ${found} at ${folder}`)
}

/** Identity of the folder, which changes when another folder replaces it; undefined: it does not exist. */
export function folderIdentity(folder: string): string | undefined {
  const stat = statSync(folder, { throwIfNoEntry: false })
  return stat && `${stat.dev}:${stat.ino}:${stat.birthtimeMs}`
}

/** Creates a file atomically, mode 0600. @throws TroupeError already_exists, bad_request, service_unavailable */
export function createFile(folder: string, fileName: string, text: string): void {
  checkNewName(fileName)
  checkFree(folder, fileName)
  whole(folder, text, (temporary) => {
    try {
      linkSync(temporary, join(folder, `${fileName}.yaml`)) // fails if it exists: two creators never both succeed
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw exists(fileName)
      throw error
    }
  })
}

/** Replaces a text atomically; keeps the mode, and a link stays a link. @throws TroupeError service_unavailable */
export function replaceFile({ path, mode }: DefinitionFile, text: string): void {
  let file = path
  try {
    file = realpathSync(path)
  } catch {
    // A dangling link is replaced by the file.
  }
  whole(dirname(file), text, (temporary) => {
    chmodSync(temporary, mode)
    renameSync(temporary, file)
  })
}

/** @throws TroupeError service_unavailable */
export const removeFile = ({ path }: DefinitionFile): void => written(dirname(path), () => rmSync(path))

/** Renames a file and keeps its extension. @throws TroupeError already_exists, bad_request, service_unavailable */
export function renameFile(folder: string, { path }: DefinitionFile, fileName: string): void {
  checkNewName(fileName)
  checkFree(folder, fileName)
  written(folder, () => {
    try {
      linkSync(path, join(folder, fileName + extname(path))) // fails if it exists: nothing is overwritten
    } catch (error) {
      if (codeOf(error) === 'EEXIST') throw exists(fileName)
      throw error
    }
    rmSync(path)
  })
}

/** Whether two names are the same file: a rename was interrupted before the old name was removed. */
export const areOneFile = (a: DefinitionFile | undefined, b: DefinitionFile | undefined): boolean =>
  a !== undefined && b !== undefined && inodeOf(a) === inodeOf(b)

function inodeOf({ path }: DefinitionFile): string {
  const { dev, ino } = lstatSync(path) // a symbolic link to the other is a separate file
  return `${dev}:${ino}`
}

/** A folder that cannot be entered is an error, as its contents are unknown. @throws TroupeError already_exists, service_unavailable */
export function checkFree(folder: string, fileName: string): void {
  const file = findFile(folder, fileName)
  if (!file) return
  written(folder, () => lstatSync(file.path))
  throw exists(fileName)
}

const exists = (fileName: string) => new TroupeError('already_exists', `a definition named ${fileName} exists already`)

function whole(folder: string, text: string, place: (temporary: string) => void): void {
  const temporary = join(folder, `.${randomBytes(8).toString('hex')}.tmp`)
  written(folder, () => {
    try {
      makeFolderAtOnce(folder, 0o755)
      const file = openSync(temporary, 'wx', OWN)
      try {
        writeFileSync(file, text)
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      place(temporary)
    } finally {
      rmSync(temporary, { force: true })
    }
  })
}

function written(folder: string, change: () => void): void {
  try {
    change()
  } catch (cause) {
    throw cause instanceof TroupeError ? cause : refusalOf(folder, 'written', cause)
  }
}

/** @throws TroupeError bad_request for a name that a new definition must not have */
export function checkNewName(fileName: string): void {
  if (NEW_FILE_NAME.test(fileName)) return
  const wanted = 'wanted 1 to 40 letters, digits, "_", "-" or ".", and neither "." nor "-" in front'
  throw new TroupeError('bad_request', `fileName: ${wanted}, found ${JSON.stringify(fileName)}`)
}

const wantedName = (found: string) => `wanted letters, digits, "_", "-" and ".", found ${JSON.stringify(found)}`

function fileAt(fileName: string, path: string): DefinitionFile | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false })
    if (!stat && isUndecoded(path)) return unseen(fileName, path)
    if (!stat?.isFile()) return undefined
    const { ctimeMs: changedAt, size, ino, mode } = stat
    return { fileName, path, stamp: `${changedAt}:${size}:${ino}`, changedAt, size, mode: mode & 0o777 }
  } catch {
    // A circular link, or one to an inaccessible folder: the entry exists, and reading it will report the error.
    return unseen(fileName, path)
  }
}

const unseen = (fileName: string, path: string): DefinitionFile => ({
  fileName,
  path,
  stamp: '',
  changedAt: Number.POSITIVE_INFINITY,
  size: 0,
  mode: OWN
})

/** Whether the folder has an entry whose name is not UTF-8: decoded, it would name no file. */
const isUndecoded = (path: string): boolean =>
  path.includes('\ufffd') && readdirSync(dirname(path)).includes(basename(path))
