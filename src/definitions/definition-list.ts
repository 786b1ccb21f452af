/**
 * All stored definitions as one list. A file is read once per version; a change costs one read, whatever the number of files. A long
 * list is read in slices, so that it does not block other work.
 * Source: architecture 6, api-semantics 3.2.
 */
import { type FSWatcher, watch } from 'node:fs'
import { type Clock, nextTurn } from '../clock.ts'
import { type DefinitionFile, fileNameOf, filesIn, folderIdentity, listedFile } from '../store/files/definitions.ts'

export interface DefinitionList<T> {
  /** By file name; the same array while nothing has changed. Reads what has not been read yet. */
  now(): readonly T[]
  /** Resolves when `now` has next to nothing left to read. */
  ready(): Promise<void>
  /** This process has written a file: the list need not wait for the file system's event. */
  changed(fileName: string): void
  /** Reads everything again. */
  forget(): void
  close(): void
}

/** A folder that cannot be watched, and changes that a watch misses, are noticed within this time. */
const RESCAN_MS = 60_000
/** Files checked per slice. */
const AT_ONCE = 1_000
/** Changed files read per slice. */
const CHANGED_AT_ONCE = 50
const SLICE_MS = 10

interface Scan<T> {
  files: Iterator<DefinitionFile>
  found: T[]
}

// D209, D812: a bad definition file is one bad row
/**
 * @param load reads one file; undefined: it has gone. The same object as long as the file has not changed
 * @param only called with the existing file names from time to time
 * @param ahead reads asynchronously what would make `load` block; undefined: nothing would
 */
export function definitionList<T extends { fileName: string }>(
  folder: string,
  clock: Clock,
  load: (file: DefinitionFile) => T | undefined,
  only: (fileNames: ReadonlySet<string>) => void,
  ahead: (file: DefinitionFile) => Promise<void> | undefined = () => undefined
): DefinitionList<T> {
  let listed: readonly T[] | undefined
  let listedAt = 0
  let scan: Scan<T> | undefined
  let slicing: Promise<boolean> | undefined
  let closed = false
  /** The current scan must include known changes: the list is not returned without them. */
  let behind = false
  const dirty = new Set<string>()
  let watcher: FSWatcher | undefined
  let watched: string | undefined

  /** Whether changes are reported; a new or replaced folder is listed again. */
  function watching(): boolean {
    const identity = folderIdentity(folder)
    if (watcher && identity === watched) return true
    unwatch()
    if (identity === undefined) return false
    try {
      watcher = watch(folder, { persistent: false }, (_kind, entry) => {
        const fileName = entry === null ? undefined : fileNameOf(entry)
        if (fileName !== undefined) dirty.add(fileName)
        else if (entry === null) forget()
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
    forget()
  }

  function forget(): void {
    listed = undefined
    scan = undefined
    behind = false
  }

  function begin(): Scan<T> {
    behind = dirty.size > 0
    dirty.clear() // what changes from now on is noted, and looked at after the scan
    return { files: filesIn(folder), found: [] }
  }

  /** Advances by one file. Returns false at the end. */
  function step(scan: Scan<T>): boolean {
    const { done, value } = scan.files.next()
    if (done) return false
    note(scan, value)
    return true
  }

  function note({ found }: Scan<T>, file: DefinitionFile): void {
    const item = load(file)
    if (item) found.push(item)
  }

  function end({ found }: Scan<T>): void {
    scan = undefined
    behind = false
    listedAt = clock.elapsed()
    const known = listed
    if (known?.length !== found.length || found.some((item, at) => item !== known[at])) listed = found
    only(new Set(found.map(({ fileName }) => fileName)))
    lookAtChanged()
  }

  function readAll(): void {
    scan ??= begin()
    while (step(scan));
    end(scan)
  }

  /** Returns whether it reached the end: the folder may have been replaced meanwhile. */
  async function readInSlices(): Promise<boolean> {
    scan ??= begin()
    const own = scan
    while (own === scan) {
      const until = clock.elapsed() + SLICE_MS
      do {
        const { done, value } = own.files.next()
        if (done) {
          end(own)
          return true
        }
        const reading = ahead(value)
        if (reading) await reading
        note(own, value)
      } while (clock.elapsed() < until)
      await nextTurn(clock)
    }
    return closed
  }

  function inSlices(): Promise<boolean> {
    slicing ??= readInSlices().finally(() => {
      slicing = undefined
    })
    return slicing
  }

  function lookAtChanged(): void {
    if (!listed || dirty.size === 0) return
    let changed: T[] | undefined
    for (const fileName of dirty) {
      const file = listedFile(folder, fileName)
      const item = file && load(file)
      const at = placeOf(fileName, changed ?? listed)
      const known = (changed ?? listed)[at]
      const isListed = known?.fileName === fileName
      if (isListed ? item === known : !item) continue
      changed ??= [...listed]
      changed.splice(at, isListed ? 1 : 0, ...(item ? [item] : []))
    }
    dirty.clear()
    if (changed) listed = changed
  }

  return {
    now() {
      if (!watching() || !listed || behind) readAll()
      else if (clock.elapsed() - listedAt < RESCAN_MS) lookAtChanged()
      else if (listed.length <= AT_ONCE) readAll()
      else {
        lookAtChanged()
        void inSlices().catch(forget) // the next caller gets the same error
      }
      return listed ?? []
    },
    async ready() {
      while (!closed) {
        const isKept = watching()
        if (isKept && listed && !behind && dirty.size <= CHANGED_AT_ONCE) {
          for (const fileName of [...dirty]) {
            const file = listedFile(folder, fileName)
            if (file) await ahead(file)
          }
          return
        }
        if (await inSlices()) return
      }
    },
    changed: (fileName) => void dirty.add(fileName),
    forget,
    close() {
      closed = true
      unwatch()
    }
  }
}

/** Index of a file name in a list, or where it would be inserted. */
function placeOf(fileName: string, list: readonly { fileName: string }[]): number {
  let from = 0
  let to = list.length
  while (from < to) {
    const middle = (from + to) >>> 1
    if ((list[middle]?.fileName ?? '') < fileName) from = middle + 1
    else to = middle
  }
  return from
}
