/** The stored definitions, each read once per content, over the base configuration as it is then. A list reads nothing that has not changed. Source: architecture 6. */
import { createHash } from 'node:crypto'
import { basename, dirname, extname } from 'node:path'
import { openBaseConfig } from './base-config.ts'
import { withCheckedDefaults } from './check-defaults.ts'
import type { Clock } from './clock.ts'
import { definitionList } from './definition-list.ts'
import type { StoredDefinition } from './engine.ts'
import { TroupeError } from './errors.ts'
import type { CustomTypes } from './spec/custom-types.ts'
import type { Definition, Problem } from './spec/definition.ts'
import { problemText } from './spec/problem-text.ts'
import { type ReadOptions, readDefinition } from './spec/read.ts'
import {
  areOneFile,
  checkFolder,
  checkFree,
  createFile,
  type DefinitionFile,
  findFile,
  readSource,
  removeFile,
  renameFile,
  replaceFile,
  type Source,
  sourceAt
} from './store/definitions.ts'

export interface Definitions {
  /** By file name; the same array as long as none of them has changed. */
  list(): readonly StoredDefinition[]
  /** Resolves when `list` has next to nothing left to read. */
  ready(): Promise<void>
  /** @param name overrides the DAG name @throws TroupeError not_found, bad_request */
  get(fileName: string, name?: string): StoredDefinition
  /** @throws TroupeError bad_request (name; details.errors), already_exists */
  create(name: string, spec: string): void
  replace(fileName: string, spec: string): string[]
  /** @throws TroupeError bad_request (name) */
  has(fileName: string): boolean
  /** @throws TroupeError already_exists, bad_request (name), service_unavailable (nobody knows) */
  checkFree(fileName: string): void
  /** @throws TroupeError not_found, bad_request */
  remove(fileName: string): void
  /** @throws TroupeError not_found, bad_request, already_exists */
  rename(fileName: string, newFileName: string): void
  /** Takes the old name from a file that has both, as a rename was cut off. @throws TroupeError service_unavailable */
  finishRename(fileName: string, newFileName: string): void
  /** Reads a text; the same text with the same options is read once. */
  read(spec: string, options: ReadOptions): Definition
  /** The same, with the defaults of its params held against their schema. */
  check(spec: string, options: ReadOptions): Definition
  /** Reads a file of any folder, which is where it runs. @throws TroupeError not_found */
  readFile(path: string, options?: Pick<ReadOptions, 'name'>): { definition: Definition; spec: string }
  /** The same, checked like a text. @throws TroupeError not_found */
  checkFile(path: string): Definition
  close(): void
}

/** Readings kept at most; the oldest goes first. */
const KEPT = 2_000
/** File systems tell changes apart by a clock of a few ms: a stamp that is younger may stand for two texts. */
const SETTLED_MS = 100

interface Loaded {
  stamp: string
  source: Source
  stored: StoredDefinition
}

/**
 * @param basePath file of the base configuration
 * @param custom executors of the host application; default: none
 * @throws TroupeError bad_request when the folder is none; one that is not there yet is waited for
 */
export function openDefinitions(
  folder: string,
  basePath: string,
  clock: Clock,
  custom: CustomTypes = new Map()
): Definitions {
  checkFolder(folder)
  const baseConfig = openBaseConfig(basePath, clock)
  const readings = new Map<string, Definition>()
  const files = new Map<string, Loaded>()
  let readOver = ''
  const all = definitionList(
    folder,
    clock,
    (file) => load(file)?.stored,
    (fileNames) => {
      for (const fileName of files.keys()) if (!fileNames.has(fileName)) files.delete(fileName)
    }
  )

  function read(spec: string, options: ReadOptions): Definition {
    const { identity, base, problem } = baseConfig()
    if (problem !== undefined) return broken(options, problem)
    const given = JSON.stringify([options, identity])
    const key = createHash('sha256').update(given).update('\0').update(spec).digest('base64')
    const found = readings.get(key) ?? readDefinition(spec, { ...options, custom, ...(base ? { base } : {}) })
    readings.delete(key)
    readings.set(key, found)
    const [oldest] = readings.keys()
    if (readings.size > KEPT && oldest !== undefined) readings.delete(oldest)
    return found
  }

  const check = (spec: string, options: ReadOptions) => withCheckedDefaults(read(spec, options))

  function understand(source: Source, options: ReadOptions): Definition {
    if ('text' in source) return read(source.text, { sourceDir: folder, ...options })
    const { problem, ...place } = source
    return broken(options, problem, place)
  }

  function readFile(path: string, options: Pick<ReadOptions, 'name'> = {}) {
    const source = sourceAt(path)
    if (!source) throw new TroupeError('not_found', `there is no file ${path}`)
    const fallbackName = basename(path, extname(path))
    const definition = understand(source, { ...options, fallbackName, sourceDir: dirname(path) })
    return { definition, spec: 'text' in source ? source.text : '' }
  }

  /** Forgets what was read over another base configuration. */
  function overTheBase(): void {
    const { identity } = baseConfig()
    if (identity === readOver) return
    readOver = identity
    files.clear()
    all.forget()
  }

  function load(file: DefinitionFile): Loaded | undefined {
    const { fileName, stamp, changedAt } = file
    const known = files.get(fileName)
    if (known?.stamp === stamp) return known
    const source = readSource(file)
    if (!source) return undefined
    const definition = understand(source, { fallbackName: fileName })
    const text = 'text' in source ? { spec: source.text } : { spec: '', isUnread: true as const }
    const loaded = { stamp, source, stored: { fileName, ...text, suspended: false, definition } }
    if (clock.now() - changedAt > SETTLED_MS) files.set(fileName, loaded)
    else files.delete(fileName)
    return loaded
  }

  function fileOf(fileName: string): DefinitionFile {
    const file = findFile(folder, fileName)
    if (file) return file
    throw new TroupeError('not_found', `there is no definition named ${fileName}`)
  }

  return {
    read,
    list() {
      overTheBase()
      return all.now()
    },
    async ready() {
      overTheBase()
      await all.ready()
    },
    check,
    readFile,
    checkFile: (path) => withCheckedDefaults(readFile(path).definition),
    get(fileName, name) {
      overTheBase()
      const file = findFile(folder, fileName)
      const loaded = file && load(file)
      if (!loaded) throw new TroupeError('not_found', `there is no definition named ${fileName}`)
      const { source, stored } = loaded
      return name ? { ...stored, definition: understand(source, { name }) } : stored
    },
    create(name, spec) {
      const errors = check(spec, { fallbackName: name, sourceDir: folder }).problems.map(problemText)
      if (errors.length > 0)
        throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
      createFile(folder, name, spec)
      all.changed(name)
    },
    replace(fileName, spec) {
      const file = fileOf(fileName)
      const { problems } = check(spec, { fallbackName: fileName, sourceDir: folder })
      if (problems.length === 0) replaceFile(file, spec)
      all.changed(fileName)
      return problems.map(problemText)
    },
    has: (fileName) => findFile(folder, fileName) !== undefined,
    checkFree: (fileName) => checkFree(folder, fileName),
    remove(fileName) {
      removeFile(fileOf(fileName))
      all.changed(fileName)
    },
    rename(fileName, newFileName) {
      renameFile(folder, fileOf(fileName), newFileName)
      all.changed(fileName)
      all.changed(newFileName)
    },
    finishRename(fileName, newFileName) {
      const file = findFile(folder, fileName)
      if (!file || !areOneFile(file, findFile(folder, newFileName))) return
      removeFile(file)
      all.changed(fileName)
    },
    close: all.close
  }
}

/** A definition of which nothing could be read. */
function broken(
  { name: given, fallbackName }: ReadOptions,
  message: string,
  place: Pick<Problem, 'line' | 'column'> = {}
): Definition {
  const name = given ?? fallbackName ?? ''
  const outline = { name, group: '', description: '', tags: [], params: [], steps: [] }
  return { name, problems: [{ message, path: '', ...place }], warnings: [], outline }
}
