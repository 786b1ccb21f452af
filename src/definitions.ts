/** The stored definitions, each read once per content. A list reads nothing that has not changed. Source: architecture 6. */
import { createHash } from 'node:crypto'
import { type FSWatcher, watch } from 'node:fs'
import type { Clock } from './clock.ts'
import type { StoredDefinition } from './engine.ts'
import { TroupeError } from './errors.ts'
import type { Definition } from './spec/definition.ts'
import { problemText } from './spec/problem-text.ts'
import { type ReadOptions, readDefinition } from './spec/read.ts'
import { createFile, type DefinitionFile, findFile, listFiles, readText, replaceFile } from './store/definitions.ts'

export interface Definitions {
  list(): StoredDefinition[]
  /** @throws TroupeError not_found, bad_request */
  get(fileName: string): StoredDefinition & { spec: string }
  create(name: string, spec: string): void
  replace(fileName: string, spec: string): string[]
  /** Reads a text; the same text with the same options is read once. */
  read(spec: string, options: ReadOptions): Definition
  close(): void
}

/** Readings kept at most; the oldest goes first. */
const KEPT = 2_000
/** A folder that cannot be watched, and changes that a watch misses, are noticed within this time. */
const RESCAN_MS = 60_000

export function openDefinitions(folder: string, clock: Clock): Definitions {
  const readings = new Map<string, Definition>()
  const files = new Map<string, { stamp: string; stored: StoredDefinition & { spec: string } }>()
  let listed: StoredDefinition[] | undefined
  let listedAt = 0
  let watcher: FSWatcher | undefined

  function read(spec: string, options: ReadOptions): Definition {
    const key = createHash('sha256').update(JSON.stringify(options)).update('\0').update(spec).digest('base64')
    const found = readings.get(key) ?? readDefinition(spec, options)
    readings.delete(key)
    readings.set(key, found)
    const [oldest] = readings.keys()
    if (readings.size > KEPT && oldest !== undefined) readings.delete(oldest)
    return found
  }

  function load({ fileName, path, stamp }: DefinitionFile): (StoredDefinition & { spec: string }) | undefined {
    const known = files.get(fileName)
    if (known?.stamp === stamp) return known.stored
    const spec = readText(path)
    if (spec === undefined) return undefined
    const stored = {
      fileName,
      spec,
      suspended: false,
      definition: read(spec, { fallbackName: fileName, sourceDir: folder })
    }
    files.set(fileName, { stamp, stored })
    return stored
  }

  function watching(): boolean {
    if (watcher) return true
    try {
      watcher = watch(folder, { persistent: false }, () => {
        listed = undefined
      })
      watcher.on('error', () => {
        watcher?.close()
        watcher = undefined
      })
    } catch {
      return false // The folder is not there yet.
    }
    return true
  }

  return {
    read,
    list() {
      const isFresh = watching() && listed && clock.elapsed() - listedAt < RESCAN_MS
      if (listed && isFresh) return listed
      const found = listFiles(folder)
      const names = new Set(found.map(({ fileName }) => fileName))
      for (const fileName of files.keys()) if (!names.has(fileName)) files.delete(fileName)
      listed = found.flatMap((file) => load(file) ?? [])
      listedAt = clock.elapsed()
      return listed
    },
    get(fileName) {
      const file = findFile(folder, fileName)
      const stored = file && load(file)
      if (stored) return stored
      throw new TroupeError('not_found', `there is no definition named ${fileName}`)
    },
    create(name, spec) {
      createFile(folder, name, spec)
      listed = undefined
    },
    replace(fileName, spec) {
      const file = findFile(folder, fileName)
      if (!file) throw new TroupeError('not_found', `there is no definition named ${fileName}`)
      const { problems } = read(spec, { fallbackName: fileName, sourceDir: folder })
      if (problems.length === 0) replaceFile(folder, file, spec)
      listed = undefined
      return problems.map(problemText)
    },
    close: () => watcher?.close()
  }
}
