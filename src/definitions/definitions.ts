/** The stored definitions, each read once per content, over the base configuration as it is then. Source: architecture 6. */
import { basename, dirname, extname } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Definition } from '../definition/definition.ts'
import type { CustomTypes } from '../definition/fields/custom-types.ts'
import type { ReadOptions } from '../definition/read.ts'
import type { AllowedTypes } from '../definition/steps/allowed-types.ts'
import { SHORT_TEXT } from '../definition/yaml/nesting.ts'
import { TroupeError } from '../errors.ts'
import {
  checkFolder,
  checkFree,
  type DefinitionFile,
  findFile,
  readSource,
  type Source,
  sourceAt
} from '../store/files/definitions.ts'
import { decoded } from '../store/files/utf8.ts'
import { type BaseConfig, openBaseConfig } from './base-config.ts'
import { withCheckedDefaults } from './check-defaults.ts'
import { withCheckedSchemas } from './check-payload-schemas.ts'
import type { CodeDag } from './code-dag.ts'
import { definitionList } from './definition-list.ts'
import { broken, type Checking, openReadings, type Reading } from './readings.ts'
import type { StoredDefinition } from './stored-definition.ts'
import { fileOf, openWriting, there, type Writing } from './writing.ts'

/** For whoever checks a definition: what the server's environment knows is not known here. */
export { withDoubts } from './definition-doubts.ts'

export interface Definitions extends Writing {
  /** By file name; the same array as long as none of them has changed. */
  list(): readonly StoredDefinition[]
  /** Resolves when `list` has next to nothing left to read; with a name, when `get` has: long texts are read in a thread. */
  ready(fileName?: string): Promise<void>
  /** @throws TroupeError not_found, bad_request */
  get(fileName: string): StoredDefinition
  /** The definition, looked up once, a long text in a thread. @param name to read it under; absent: its own @throws like `get`, `read` */
  find(fileName: string, name?: string): Promise<StoredDefinition>
  /** @throws TroupeError bad_request (name) */
  has(fileName: string): boolean
  /** @throws TroupeError already_exists, bad_request (name), service_unavailable (nobody knows) */
  checkFree(fileName: string): void
  /** Reads a text, a long one in a thread; the same with the same options once. @throws TroupeError bad_request: the thread died of it */
  read(spec: string, options: ReadOptions, reading?: Pick<Reading, 'by'>): Promise<Definition>
  /** Reads a text that is not kept, with the defaults of its params held against their schema. @throws as `read` */
  check(spec: string, options: ReadOptions, checking?: Checking): Promise<Definition>
  /** Reads a file of any folder, which is where it runs. @throws TroupeError not_found */
  readFile(path: string, options?: Pick<ReadOptions, 'name'>): Promise<{ definition: Definition; spec: string }>
  /** The text of a file that a definition names, read like one. @param path of the file @throws as `read` */
  readCalled(path: string, text: Buffer): Promise<{ definition: Definition; spec: string }>
  /** A file of any folder, checked like a text. @throws TroupeError not_found */
  checkFile(path: string): Promise<Definition>
  /** Reads a text at once, over the base configuration as it is then; the same object as long as neither has changed. */
  readNow(spec: string): Definition
  /** A definition in code by its name; undefined: there is none. */
  code(name: string): { dag: CodeDag; stored: StoredDefinition } | undefined
  /** Calls `listen` with each text that was read from a file, which may be the one before. It must not throw, and must not take long. */
  watch(listen: (stored: StoredDefinition) => void): void
  close(): void
}

/** File systems tell changes apart by a clock of a few ms: a stamp that is younger may stand for two texts. */
const SETTLED_MS = 100

/** For what the owner of the home names: ordinary texts of this length take 100 ms, about what a thread needs to come up. */
const SHORT_OF_OWNER = 64 * 1024

/** The text of a file as it was at an instant (epoch ms). */
interface Ahead {
  source: Source
  at: number
}

interface Loaded {
  stamp: string
  source: Source
  stored: StoredDefinition
}

/**
 * @param basePath file of the base configuration
 * @param custom executors of the host application; default: none
 * @param allowed which executors definitions may use; absent: all
 * @throws TroupeError bad_request when the folder is none; one that is not there yet is waited for
 */
export function openDefinitions(
  folder: string,
  basePath: string,
  clock: Clock,
  custom: CustomTypes = new Map(),
  allowed?: AllowedTypes
): Definitions {
  checkFolder(folder)
  const baseConfig = openBaseConfig(basePath, clock)
  const { read, readNow, check } = openReadings(clock, custom, baseConfig, allowed)
  const files = new Map<string, Loaded>()
  let readOver = ''
  let listen: (stored: StoredDefinition) => void = () => {}
  const all = definitionList(
    folder,
    clock,
    (file) => load(file)?.stored,
    (fileNames) => {
      for (const fileName of files.keys()) if (!fileNames.has(fileName)) files.delete(fileName)
    },
    (file) => readAhead(file)?.then(() => {})
  )

  function understand(source: Source, options: ReadOptions, over: BaseConfig): Definition {
    if ('text' in source) return readNow(source.text, { sourceDir: folder, ...options }, over)
    return unread(source, options)
  }

  async function readFile(path: string, options: Pick<ReadOptions, 'name'> = {}) {
    const source = sourceAt(path)
    if (!source) throw new TroupeError('not_found', `there is no file ${path}`)
    const all = { ...options, fallbackName: basename(path, extname(path)), sourceDir: dirname(path) }
    if (!('text' in source)) return { definition: unread(source, all), spec: '' }
    return { definition: await read(source.text, all, { short: SHORT_OF_OWNER }), spec: source.text }
  }

  /** A file that `load` would hold up others with; resolves with its text. Undefined: it is short, or has been read. */
  function readAhead(file: DefinitionFile): Promise<Ahead> | undefined {
    const { fileName, size } = file
    if (size <= SHORT_TEXT || knownOf(file)) return undefined
    const at = clock.now()
    const source = readSource(file)
    if (!source || !('text' in source)) return undefined
    return read(source.text, { sourceDir: folder, fallbackName: fileName }).then(
      () => ({ source, at }),
      (error: Error) => {
        if (!(error instanceof TroupeError)) throw error
        files.set(fileName, loadedOf(file, source, broken({ fallbackName: fileName }, error.message)))
        return { source, at }
      }
    )
  }

  /** Forgets what was read over another base configuration. */
  function overTheBase(): BaseConfig {
    const config = baseConfig()
    if (config.identity === readOver) return config
    readOver = config.identity
    files.clear()
    all.forget()
    return config
  }

  /** @param over absent: the base is looked at when the file has to be read */
  function load(file: DefinitionFile, over?: BaseConfig, ahead?: Ahead): Loaded | undefined {
    const { fileName, changedAt } = file
    const known = knownOf(file)
    if (known) return known
    const at = ahead?.at ?? clock.now()
    const source = ahead?.source ?? readSource(file)
    if (!source) return undefined
    const loaded = loadedOf(file, source, understand(source, { fallbackName: fileName }, over ?? baseConfig()))
    if (at - changedAt > SETTLED_MS) files.set(fileName, loaded)
    else files.delete(fileName)
    listen(loaded.stored)
    return loaded
  }

  /** The base may be another one when a long text has been read. */
  const loadAhead = (file: DefinitionFile, ahead: Ahead) => load(file, overTheBase(), ahead)

  const knownOf = ({ fileName, stamp }: DefinitionFile): Loaded | undefined => {
    const known = files.get(fileName)
    return known?.stamp === stamp ? known : undefined
  }

  function loadedOf({ fileName, stamp }: DefinitionFile, source: Source, definition: Definition): Loaded {
    const text = 'text' in source ? { spec: source.text } : { spec: '', isUnread: true as const }
    return { stamp, source, stored: { fileName, ...text, suspended: false, definition } }
  }

  function get(fileName: string): StoredDefinition {
    const over = overTheBase()
    return there(load(fileOf(folder, fileName), over), fileName).stored
  }

  async function find(fileName: string, name: string | undefined): Promise<StoredDefinition> {
    const over = overTheBase()
    const file = fileOf(folder, fileName)
    if (name === undefined) {
      const ahead = readAhead(file)
      return there(ahead ? loadAhead(file, await ahead) : load(file, over), fileName).stored
    }
    const source = there(knownOf(file)?.source ?? readSource(file), fileName)
    const options = { sourceDir: folder, name }
    const definition = 'text' in source ? await read(source.text, options, {}, over) : unread(source, options)
    return loadedOf(file, source, definition).stored
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
    checkFile: async (path) =>
      withCheckedSchemas(await withCheckedDefaults((await readFile(path)).definition, clock), clock),
    get,
    find,
    ...openWriting(folder, check, all.changed),
    has: (fileName) => findFile(folder, fileName) !== undefined,
    checkFree: (fileName) => checkFree(folder, fileName),
    readNow: (spec) => readNow(spec, {}, baseConfig()),
    code: () => undefined,
    watch(told) {
      listen = told
    },
    close: all.close
  }
}

type Unread = Exclude<Source, { text: string }>

const unread = ({ problem, ...place }: Unread, options: ReadOptions) => broken(options, problem, place)
