/** What changes the files of definitions: texts are stored, renamed and removed. */
import type { Definition } from '../definition/definition.ts'
import { problemText } from '../definition/problem-text.ts'
import type { ReadOptions } from '../definition/read.ts'
import { revisionOf } from '../definition/text/revision.ts'
import { TroupeError } from '../errors.ts'
import { oneAtATime } from '../platform/one-at-a-time.ts'
import {
  areOneFile,
  createFile,
  type DefinitionFile,
  findFile,
  readSource,
  removeFile,
  renameFile,
  replaceFile
} from '../store/files/definitions.ts'
import type { Checking } from './readings.ts'

export interface Writing {
  /** @throws TroupeError bad_request (name; details.errors), already_exists */
  create(name: string, spec: string, by?: string): Promise<void>
  /** @param revision of the replaced text; absent: any @returns the problems; empty: replaced @throws TroupeError changed_meanwhile */
  replace(fileName: string, spec: string, by?: string, revision?: string): Promise<string[]>
  /** @throws TroupeError not_found, bad_request */
  remove(fileName: string): void
  /** @throws TroupeError not_found, bad_request, already_exists */
  rename(fileName: string, newFileName: string): void
  /** Takes the old name from a file that has both, as a rename was cut off. @throws TroupeError service_unavailable */
  finishRename(fileName: string, newFileName: string): void
}

/** @param changed called with the name of each file that is another one now, or gone */
export function openWriting(
  folder: string,
  check: (spec: string, options: ReadOptions, checking?: Checking) => Promise<Definition>,
  changed: (fileName: string) => void
): Writing {
  /** By file name: what is saved later stays, however long each took to be read. */
  const inTurn = oneAtATime()
  return {
    create: (name, spec, by) =>
      inTurn.take(name, async () => {
        const { problems } = await check(spec, { fallbackName: name, sourceDir: folder }, { by })
        const errors = problems.map(problemText)
        if (errors.length > 0)
          throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
        createFile(folder, name, spec)
        changed(name)
      }),
    replace: (fileName, spec, by, revision) =>
      inTurn.take(fileName, async () => {
        checkRevision(fileOf(folder, fileName), revision)
        const { problems } = await check(spec, { fallbackName: fileName, sourceDir: folder }, { by })
        const file = fileOf(folder, fileName) // it may have gone meanwhile, or have been changed by hand
        checkRevision(file, revision)
        if (problems.length === 0) replaceFile(file, spec)
        changed(fileName)
        return problems.map(problemText)
      }),
    remove(fileName) {
      removeFile(fileOf(folder, fileName))
      changed(fileName)
    },
    rename(fileName, newFileName) {
      renameFile(folder, fileOf(folder, fileName), newFileName)
      changed(fileName)
      changed(newFileName)
    },
    finishRename(fileName, newFileName) {
      const file = findFile(folder, fileName)
      if (!file || !areOneFile(file, findFile(folder, newFileName))) return
      removeFile(file)
      changed(fileName)
    }
  }
}

// D1270: a replacement names the text that it replaces by its `revision`
/** @throws TroupeError changed_meanwhile */
function checkRevision(file: DefinitionFile, revision: string | undefined): void {
  if (revision === undefined) return
  const source = readSource(file)
  if (revisionOf(source && 'text' in source ? source.text : '') === revision) return
  throw new TroupeError(
    'changed_meanwhile',
    `somebody has changed the definition ${file.fileName} since revision ${revision.slice(0, 40)} was read`
  )
}

/** @throws TroupeError not_found, bad_request (name) */
export const fileOf = (folder: string, fileName: string): DefinitionFile => there(findFile(folder, fileName), fileName)

/** @throws TroupeError not_found */
export function there<T>(found: T | undefined, fileName: string): T {
  if (found !== undefined) return found
  throw new TroupeError('not_found', `there is no definition named ${fileName}`)
}
