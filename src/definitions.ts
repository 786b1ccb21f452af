/** The stored definitions, each read once per content, over the base configuration as it is then. A list reads nothing that has not changed. Source: architecture 6. */
import { createHash } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import { openBaseConfig } from './base-config.ts'
import { withCheckedDefaults } from './check-defaults.ts'
import type { Clock } from './clock.ts'
import type { StoredDefinition } from './engine.ts'
import { TroupeError } from './errors.ts'
import type { Definition } from './spec/definition.ts'
import { problemText } from './spec/problem-text.ts'
import { type ReadOptions, readDefinition } from './spec/read.ts'
import {
  checkFolder,
  createFile,
  type DefinitionFile,
  definitionIn,
  findFile,
  folderIdentity,
  listFiles,
  readSource,
  removeFile,
  renameFile,
  replaceFile,
  type Source,
  scanFiles
} from './store/definitions.ts'

export interface Definitions {
  list(): (StoredDefinition & { spec: string })[]
  /** @param name overrides the DAG name @throws TroupeError not_found, bad_request */
  get(fileName: string, name?: string): StoredDefinition & { spec: string }
  /** @throws TroupeError bad_request (details.errors), already_exists */
  create(name: string, spec: string): void
  replace(fileName: string, spec: string): string[]
  /** @throws TroupeError bad_request (name) */
  has(fileName: string): boolean
  /** @throws TroupeError not_found, bad_request */
  remove(fileName: string): void
  /** @throws TroupeError not_found, bad_request, already_exists */
  rename(fileName: string, newFileName: string): void
  /** Reads a text; the same text with the same options is read once. */
  read(spec: string, options: ReadOptions): Definition
  /** The same, with the defaults of its params held against their schema. */
  check(spec: string, options: ReadOptions): Definition
  close(): void
}

/** Readings kept at most; the oldest goes first. */
const KEPT = 2_000
/** How often the whole folder is looked at for changes that its watch has missed. */
const RESCAN_MS = 60_000
/** File systems tell changes apart by a clock of a few ms: a stamp that is younger may stand for two texts. */
const SETTLED_MS = 100

interface Loaded {
  stamp: string
  source: Source
  stored: StoredDefinition & { spec: string }
}

/**
 * @param basePath file of the base configuration
 * @throws TroupeError bad_request when the folder is none; one that is not there yet is waited for
 */
export function openDefinitions(folder: string, basePath: string, clock: Clock): Definitions {
  checkFolder(folder)
  const baseConfig = openBaseConfig(basePath, clock)
  const readings = new Map<string, Definition>()
  const files = new Map<string, Loaded>()
  let readOver = ''
  let listed: (StoredDefinition & { spec: string })[] | undefined
  let listedAt = 0
  /** Definitions that may have changed since, by file name. */
  const touched = new Set<string>()
  let scanning = false
  let watcher: FSWatcher | undefined
  let watched: string | undefined

  function read(spec: string, options: ReadOptions): Definition {
    const { identity, base, problem } = baseConfig()
    if (problem !== undefined) return broken(options, problem)
    const given = JSON.stringify([options, identity])
    const key = createHash('sha256').update(given).update('\0').update(spec).digest('base64')
    const found = readings.get(key) ?? readDefinition(spec, { ...options, ...(base ? { base } : {}) })
    readings.delete(key)
    readings.set(key, found)
    const [oldest] = readings.keys()
    if (readings.size > KEPT && oldest !== undefined) readings.delete(oldest)
    return found
  }

  const check = (spec: string, options: ReadOptions) => withCheckedDefaults(read(spec, options))

  function understand(source: Source, options: ReadOptions): Definition {
    return 'text' in source ? read(source.text, { ...options, sourceDir: folder }) : broken(options, source.problem)
  }

  /** Forgets what was read over another base configuration. */
  function overTheBase(): void {
    const { identity } = baseConfig()
    if (identity === readOver) return
    readOver = identity
    files.clear()
    listed = undefined
  }

  function load(file: DefinitionFile): Loaded | undefined {
    const { fileName, stamp, changedAt } = file
    const known = files.get(fileName)
    if (known?.stamp === stamp) return known
    const source = readSource(file)
    if (!source) return undefined
    const definition = understand(source, { fallbackName: fileName })
    const spec = 'text' in source ? source.text : ''
    const loaded = { stamp, source, stored: { fileName, spec, suspended: false, definition } }
    if (clock.now() - changedAt > SETTLED_MS) files.set(fileName, loaded)
    else files.delete(fileName)
    return loaded
  }

  /** Whether changes are told; a folder that has come, or taken the place of another, is listed anew. */
  function watching(): boolean {
    const identity = folderIdentity(folder)
    if (watcher && identity === watched) return true
    unwatch()
    if (identity === undefined) return false
    try {
      watcher = watch(folder, { persistent: false }, (_, entry) => {
        if (entry === null) listed = undefined
        const fileName = definitionIn(entry ?? '')
        if (fileName !== undefined) touched.add(fileName)
      })
      watcher.on('error', unwatch)
      watched = identity
    } catch {
      return false // There are no watches left, or the folder has gone again.
    }
    return true
  }

  function unwatch(): void {
    watcher?.close()
    watcher = undefined
    listed = undefined
  }

  /** All of them; as dear as there are files. */
  function listAnew(): NonNullable<typeof listed> {
    const found = listFiles(folder)
    const names = new Set(found.map(({ fileName }) => fileName))
    for (const fileName of files.keys()) if (!names.has(fileName)) files.delete(fileName)
    touched.clear()
    listedAt = clock.elapsed()
    return found.flatMap((file) => loaded(file) ?? [])
  }

  /** One that is too young to be trusted is looked at again. */
  function loaded(file: DefinitionFile): NonNullable<typeof listed>[number] | undefined {
    const stored = load(file)?.stored
    if (!files.has(file.fileName)) touched.add(file.fileName)
    return stored
  }

  /** The list with those that may have changed looked at again; the same array when none of them has. */
  function renewed(list: NonNullable<typeof listed>): NonNullable<typeof listed> {
    const names = [...touched]
    touched.clear()
    let all = list
    for (const fileName of names) {
      const file = findFile(folder, fileName)
      const stored = file && loaded(file)
      if (!stored) files.delete(fileName)
      const place = placeOf(all, fileName)
      const before = all[place]?.fileName === fileName ? all[place] : undefined
      if (stored === before) continue
      if (all === list) all = [...list]
      all.splice(place, before ? 1 : 0, ...(stored ? [stored] : []))
    }
    return all
  }

  /** Looks for what the watch has missed, a part at a time: a folder of 10,000 files must not hold up others. */
  async function rescan(): Promise<void> {
    const gone = new Set(files.keys())
    try {
      for (const { fileName, stamp } of await scanFiles(folder, () => new Promise((go) => clock.soon(go)))) {
        gone.delete(fileName)
        if (files.get(fileName)?.stamp !== stamp) touched.add(fileName)
      }
      for (const fileName of gone) touched.add(fileName)
    } catch {
      listed = undefined // the folder has gone: that is noticed when it is listed
    }
    scanning = false
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
      if (!watching() || !listed) listed = listAnew()
      else if (touched.size > 0) listed = renewed(listed)
      if (clock.elapsed() - listedAt >= RESCAN_MS && !scanning) {
        scanning = true
        listedAt = clock.elapsed()
        void rescan()
      }
      return listed
    },
    check,
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
      touched.add(name)
    },
    replace(fileName, spec) {
      const file = fileOf(fileName)
      const { problems } = check(spec, { fallbackName: fileName, sourceDir: folder })
      if (problems.length === 0) replaceFile(folder, file, spec)
      touched.add(fileName)
      return problems.map(problemText)
    },
    has: (fileName) => findFile(folder, fileName) !== undefined,
    remove(fileName) {
      removeFile(fileOf(fileName))
      touched.add(fileName)
    },
    rename(fileName, newFileName) {
      renameFile(folder, fileOf(fileName), newFileName)
      touched.add(fileName).add(newFileName)
    },
    close: unwatch
  }
}

/** Where a definition stands, or would: in the order of the files in their folder. */
function placeOf(list: readonly { fileName: string }[], fileName: string): number {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (`${list[middle]?.fileName}.y` < `${fileName}.y`) low = middle + 1
    else high = middle
  }
  return low
}

/** A definition of which nothing could be read. */
function broken({ name: given, fallbackName }: ReadOptions, message: string): Definition {
  const name = given ?? fallbackName ?? ''
  const outline = { name, group: '', description: '', tags: [], params: [], steps: [] }
  return { name, problems: [{ message, path: '' }], warnings: [], outline }
}
