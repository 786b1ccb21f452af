/** The stored definitions, each read once per content, over the base configuration as it is then. A list reads nothing that has not changed. Source: architecture 6. */
import { createHash } from 'node:crypto'
import { basename, dirname, extname } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Definition, Problem } from '../definition/definition.ts'
import type { CustomTypes } from '../definition/fields/custom-types.ts'
import { problemText } from '../definition/problem-text.ts'
import { type ReadOptions, readDefinition } from '../definition/read.ts'
import { SHORT_TEXT } from '../definition/yaml/nesting.ts'
import { TroupeError } from '../errors.ts'
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
} from '../store/files/definitions.ts'
import { decoded } from '../store/files/utf8.ts'
import { openBaseConfig } from './base-config.ts'
import { withCheckedDefaults } from './check-defaults.ts'
import { definitionList } from './definition-list.ts'
import { oneAtATime } from './one-at-a-time.ts'
import type { StoredDefinition } from './stored-definition.ts'
import { readApart } from './text-thread.ts'

/** For whoever checks a definition: what the server's environment knows is not known here. */
export { withDoubts } from './definition-doubts.ts'

export interface Definitions {
  /** By file name; the same array as long as none of them has changed. */
  list(): readonly StoredDefinition[]
  /** Resolves when `list` has next to nothing left to read; with a name, when `get` has: long texts are read in a thread. */
  ready(fileName?: string): Promise<void>
  /** @throws TroupeError not_found, bad_request */
  get(fileName: string): StoredDefinition
  /** @throws TroupeError bad_request (name; details.errors), already_exists */
  create(name: string, spec: string, by?: string): Promise<void>
  /** @returns the problems; empty: replaced */
  replace(fileName: string, spec: string, by?: string): Promise<string[]>
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
  /** Reads a text, a long one in a thread; the same text with the same options is read once. @throws TroupeError bad_request: the thread died of it */
  read(spec: string, options: ReadOptions, reading?: Pick<Reading, 'by'>): Promise<Definition>
  /** Reads a text that is not kept, with the defaults of its params held against their schema. @throws as `read` */
  check(spec: string, options: ReadOptions, checking?: Checking): Promise<Definition>
  /** A stored one under another name. @throws TroupeError not_found, bad_request */
  named(fileName: string, name: string): Promise<StoredDefinition>
  /** Reads a file of any folder, which is where it runs. @throws TroupeError not_found */
  readFile(path: string, options?: Pick<ReadOptions, 'name'>): Promise<{ definition: Definition; spec: string }>
  /** The text of a file that a definition names, read like one. @param path of the file @throws as `read` */
  readCalled(path: string, text: Buffer): Promise<{ definition: Definition; spec: string }>
  /** The same as `readFile`, checked like a text. @throws TroupeError not_found */
  checkFile(path: string): Promise<Definition>
  close(): void
}

/** What readings that are kept may come to, about bytes; the oldest goes first. */
const KEPT_BYTES = 64 * 1024 * 1024
/** What a step comes to, whatever its text, and a definition without any. */
const BYTES_OF_STEP = 2_000
const bytesOf = (spec: string, { outline }: Definition) => 2 * spec.length + BYTES_OF_STEP * (1 + outline.steps.length)
/** File systems tell changes apart by a clock of a few ms: a stamp that is younger may stand for two texts. */
const SETTLED_MS = 100

/** For what the owner of the home names: ordinary texts of this length take 100 ms, about what a thread needs to come up. */
const SHORT_OF_OWNER = 64 * 1024

interface Reading {
  /** Who asks; default: the engine itself. */
  by?: string | undefined
  /** Length up to which a text is read at once. */
  short?: number
}
interface Checking {
  by?: string | undefined
  /** Whether the schema's file may be looked at; else it is a problem that it was not. Default: yes. */
  looks?: boolean | undefined
}

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
  const readings = new Map<string, { definition: Definition; bytes: number }>()
  let keptBytes = 0
  const files = new Map<string, Loaded>()
  let readOver = ''
  /** By file name: what is saved later stays, however long each took to be read. */
  const inTurn = oneAtATime()
  const callers = oneAtATime()
  const all = definitionList(
    folder,
    clock,
    (file) => load(file)?.stored,
    (fileNames) => {
      for (const fileName of files.keys()) if (!fileNames.has(fileName)) files.delete(fileName)
    },
    readAhead
  )

  /** A definition that is known, or what has to be read, and where it is kept then. */
  function reading(spec: string, options: ReadOptions): { known: Definition } | { key: string; all: ReadOptions } {
    const { identity, base, problem } = baseConfig()
    if (problem !== undefined) return { known: broken(options, problem) }
    const given = JSON.stringify([options, identity])
    const key = createHash('sha256').update(given).update('\0').update(spec).digest('base64')
    const found = readings.get(key)
    if (found) return { known: keep(key, spec, found.definition) }
    return { key, all: { ...options, custom, ...(base ? { base } : {}) } }
  }

  function keep(key: string, spec: string, definition: Definition): Definition {
    keptBytes -= readings.get(key)?.bytes ?? 0
    readings.delete(key)
    const bytes = bytesOf(spec, definition)
    readings.set(key, { definition, bytes })
    keptBytes += bytes
    for (const [oldest, { bytes }] of readings) {
      if (keptBytes <= KEPT_BYTES || oldest === key) break
      readings.delete(oldest)
      keptBytes -= bytes
    }
    return definition
  }

  function readNow(spec: string, options: ReadOptions): Definition {
    const found = reading(spec, options)
    return 'known' in found ? found.known : keep(found.key, spec, readDefinition(spec, found.all))
  }

  // D262
  /** Long texts of one caller are read one after another: he leaves threads to others. */
  function readFor(by: string | undefined, spec: string, all: ReadOptions, short = SHORT_TEXT): Promise<Definition> {
    const read = () => readApart(spec, all, clock, { short })
    return by === undefined || spec.length <= short ? read() : callers.take(by, read)
  }

  async function read(spec: string, options: ReadOptions, { by, short }: Reading = {}): Promise<Definition> {
    const found = reading(spec, options)
    return 'known' in found ? found.known : keep(found.key, spec, await readFor(by, spec, found.all, short))
  }

  async function check(spec: string, options: ReadOptions, { by, looks }: Checking = {}): Promise<Definition> {
    const found = reading(spec, options)
    const definition = 'known' in found ? found.known : await readFor(by, spec, found.all)
    return withCheckedDefaults(definition, clock, looks)
  }

  function understand(source: Source, options: ReadOptions): Definition {
    if ('text' in source) return readNow(source.text, { sourceDir: folder, ...options })
    return unread(source, options)
  }

  async function readFile(path: string, options: Pick<ReadOptions, 'name'> = {}) {
    const source = sourceAt(path)
    if (!source) throw new TroupeError('not_found', `there is no file ${path}`)
    const all = { ...options, fallbackName: basename(path, extname(path)), sourceDir: dirname(path) }
    if (!('text' in source)) return { definition: unread(source, all), spec: '' }
    return { definition: await read(source.text, all, { short: SHORT_OF_OWNER }), spec: source.text }
  }

  /** A file that `load` would hold up others with. Undefined: it is short, or has been read. */
  function readAhead(file: DefinitionFile): Promise<void> | undefined {
    const { fileName, stamp, size } = file
    if (size <= SHORT_TEXT || files.get(fileName)?.stamp === stamp) return undefined
    const source = readSource(file)
    if (!source || !('text' in source)) return undefined
    return read(source.text, { sourceDir: folder, fallbackName: fileName }).then(
      () => {},
      (error: Error) => {
        if (!(error instanceof TroupeError)) throw error
        files.set(fileName, loadedOf(file, source, broken({ fallbackName: fileName }, error.message)))
      }
    )
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
    const loaded = loadedOf(file, source, understand(source, { fallbackName: fileName }))
    if (clock.now() - changedAt > SETTLED_MS) files.set(fileName, loaded)
    else files.delete(fileName)
    return loaded
  }

  function loadedOf({ fileName, stamp }: DefinitionFile, source: Source, definition: Definition): Loaded {
    const text = 'text' in source ? { spec: source.text } : { spec: '', isUnread: true as const }
    return { stamp, source, stored: { fileName, ...text, suspended: false, definition } }
  }

  function loaded(fileName: string): Loaded {
    overTheBase()
    const file = findFile(folder, fileName)
    const found = file && load(file)
    if (!found) throw new TroupeError('not_found', `there is no definition named ${fileName}`)
    return found
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
    async ready(fileName) {
      overTheBase()
      if (fileName === undefined) return all.ready()
      const file = findFile(folder, fileName)
      if (file) await readAhead(file)
    },
    check,
    readFile,
    readCalled: (path, bytes) => {
      const source = decoded(bytes)
      const options = { fallbackName: basename(path, extname(path)), sourceDir: dirname(path) }
      if (!('text' in source)) return Promise.resolve({ definition: unread(source, options), spec: '' })
      return read(source.text, options).then((definition) => ({ definition, spec: source.text }))
    },
    checkFile: async (path) => withCheckedDefaults((await readFile(path)).definition, clock),
    get: (fileName) => loaded(fileName).stored,
    async named(fileName, name) {
      const { source, stored } = loaded(fileName)
      const options = { sourceDir: folder, name }
      const definition = 'text' in source ? await read(source.text, options) : unread(source, options)
      return { ...stored, definition }
    },
    create: (name, spec, by) =>
      inTurn.take(name, async () => {
        const { problems } = await check(spec, { fallbackName: name, sourceDir: folder }, { by })
        const errors = problems.map(problemText)
        if (errors.length > 0)
          throw new TroupeError('bad_request', `invalid spec: ${errors.join('; ')}`, { details: { errors } })
        createFile(folder, name, spec)
        all.changed(name)
      }),
    replace: (fileName, spec, by) =>
      inTurn.take(fileName, async () => {
        fileOf(fileName)
        const { problems } = await check(spec, { fallbackName: fileName, sourceDir: folder }, { by })
        if (problems.length === 0) replaceFile(fileOf(fileName), spec) // it may have gone meanwhile
        all.changed(fileName)
        return problems.map(problemText)
      }),
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

type Unread = Exclude<Source, { text: string }>

const unread = ({ problem, ...place }: Unread, options: ReadOptions) => broken(options, problem, place)

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
