/**
 * Restores a home from a backup. Everything is verified and copied beside its target first; then the old is moved aside and the new
 * renamed into place. A home with a running engine is refused. Source: reliability T5.
 */
import { existsSync, readlinkSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Head } from '../audit/entry.ts'
import { headIn, replaceHead } from '../audit/head.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { storeProblems } from '../doctor/doctor.ts'
import { codeOf, TroupeError } from '../errors.ts'
import { isPartialNote } from '../executors/archive/partial-note.ts'
import { disownRecord, isRecord, readState } from '../executors/processes/state-file.ts'
import { refuseNoFolder } from '../platform/home-folder.ts'
import { makeFolderAtOnce, reasonOf } from '../platform/make-folder.ts'
import { commit, flushed } from '../store/commit.ts'
import { readAside } from '../store/damage/whole.ts'
import { lastLife } from '../store/disk/last-life.ts'
import { takeLock } from '../store/disk/lock.ts'
import { faultIn } from '../store/disk/store-file.ts'
import { entriesIn } from '../store/disk/write-ahead.ts'
import { openStore } from '../store/open.ts'
import {
  checksum,
  copyTree,
  type Entry,
  entriesBelow,
  filesBelow,
  isInside,
  isTaken,
  realPlace,
  refusalOf,
  removeBegun
} from './files.ts'
import { FILE, type Manifest, type Part, readManifest } from './manifest.ts'
import { type OpenRun, openRuns } from './open-runs.ts'
import { relocate } from './relocate.ts'

export interface Restored {
  /** Epoch ms of the backup. */
  takenAt: number
  runs: number
  /** Root runs that had not ended. */
  open: OpenRun[]
  /** New paths of what was moved aside. */
  aside: string[]
  /** Problems of the store, the same as in the backup. */
  problems: string[]
}

/** One part of a home: its source, the path of its prepared copy, and its target. */
interface Move {
  part: Part
  prepared: string
  place: string
}

// D857, D858: restore deletes nothing
/**
 * @param replace move an existing home aside; else it is refused
 * @throws TroupeError not_found, bad_request (no backup, a damaged one, a newer one), already_exists, service_unavailable (an engine is
 * running)
 */
export async function restoreBackup(
  config: Config,
  clock: Clock,
  source: string,
  { replace = false }: { replace?: boolean } = {}
): Promise<Restored> {
  refuseNoFolder(config)
  const manifest = readManifest(source)
  const moves = movesOf(config, source)
  refuseNested(moves, source)
  verify(source, manifest)
  const taken = moves.map(({ place }) => place).filter(isTaken)
  const { release, head } = await ownPlace(config)
  let done: Omit<Restored, 'open'>
  try {
    if (taken.length > 0 && !replace)
      throw new TroupeError(
        'already_exists',
        `there is something already at ${taken.join(', ')}: give another --home, or --replace to set it aside`
      )
    for (const move of moves) prepare(source, move)
    disownSteps(moves, manifest, config)
    const problems = await madeReady(moves, manifest, config, head)
    const aside = taken.map((place) => setAside(place, clock))
    for (const { prepared, place } of moves) renameSync(prepared, place)
    done = { takenAt: manifest.takenAt, runs: manifest.runs, aside, problems }
  } catch (cause) {
    for (const { prepared } of moves) removeBegun(prepared)
    if (cause instanceof TroupeError) throw cause
    throw new TroupeError('service_unavailable', `the backup could not be restored: ${refusalOf(cause)}`, { cause })
  } finally {
    await release()
  }
  return { ...done, open: await openRuns(config.dataDir) }
}

/** @throws TroupeError bad_request naming the first file that was changed or added */
function verify(source: string, { files, links = [] }: Manifest): void {
  const written = new Map<string, string | undefined>([
    ...files.map(({ path }) => [path, undefined] as const),
    ...links.map(({ path, target }) => [path, target] as const)
  ])
  for (const entry of entriesOf(source)) if (entry.path !== FILE) refuseUnwritten(entry, written)
  for (const { path, bytes, sha256 } of files) {
    const found = checksumOf(join(source, path))
    if (found?.bytes !== bytes || found.sha256 !== sha256) throw damaged(path, found ? NOT_THE_SAME : MISSING)
  }
  for (const { path, target } of links) if (!isLinkTo(join(source, path), target)) throw damaged(path, MISSING)
}

const NOT_THE_SAME = 'is not what was written'
const MISSING = 'is missing'
const damaged = (path: string, what: string) =>
  new TroupeError('bad_request', `the backup is damaged: ${path} ${what}; use another one`)

/** Refuses files that are not listed: anyone who may write into a backup could add a definition, and the next engine would run it. */
function refuseUnwritten(entry: Entry, written: ReadonlyMap<string, string | undefined>): void {
  const { path, kind } = entry
  if (!written.has(path)) {
    const what =
      kind === 'link' ? `a link to ${entry.target}` : kind === 'file' ? 'a file' : 'something that is no file'
    throw new TroupeError(
      'bad_request',
      `the backup has more in it than was written: ${path}, ${what}; take it out when you know what it is, or use another one`
    )
  }
  const target = written.get(path)
  if (kind === 'other' && target === undefined) return // reported when it is read
  const isSame = target === undefined ? kind === 'file' : kind === 'link' && entry.target === target
  if (!isSame)
    throw damaged(path, kind === 'link' ? `is a link to ${entry.target}, which ${NOT_THE_SAME}` : NOT_THE_SAME)
}

/** @throws TroupeError service_unavailable: a folder of it cannot be read */
function entriesOf(source: string): Entry[] {
  try {
    return entriesBelow(source)
  } catch (cause) {
    throw new TroupeError('service_unavailable', `the backup cannot be read: ${refusalOf(cause)}`, { cause })
  }
}

function isLinkTo(path: string, target: string): boolean {
  try {
    return readlinkSync(path) === target
  } catch {
    return false
  }
}

/** Undefined: it is missing. @throws TroupeError service_unavailable: it cannot be read, which proves nothing about the backup */
function checksumOf(path: string): ReturnType<typeof checksum> | undefined {
  try {
    return checksum(path)
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(cause) ?? '')) return undefined
    throw new TroupeError('service_unavailable', `${path} cannot be read: ${reasonOf(cause)}`, { cause })
  }
}

function movesOf(
  { home, dagsDir, logDir, dataDir, baseConfig, suspendFlagsDir, audit }: Config,
  source: string
): Move[] {
  const places: [Part, string][] = [
    ['store', dataDir],
    ['definitions', dagsDir],
    ['suspend', suspendFlagsDir],
    ['logs', logDir],
    ['base.yaml', baseConfig]
  ]
  // Settings contain the ports and credentials of this machine: existing ones stay.
  const settings = join(home, 'config.yaml')
  if (!existsSync(settings)) places.push(['config.yaml', settings])
  // D1463: a restore does not replace the audit log of a home
  // What was done to this home was done, whatever becomes of it: its audit log goes on.
  if (!existsSync(audit.dir)) places.push(['audit', audit.dir])
  return places
    .filter(([part]) => existsSync(join(source, part)))
    .map(([part, place]) => ({ part, place, prepared: `${place}.restoring` }))
}

/** The backup would be changed or moved aside with the home. @throws TroupeError bad_request */
function refuseNested(moves: Move[], source: string): void {
  for (const { place } of moves) {
    if (isInside(place, source)) {
      const wanted = `wanted a place outside of the backup ${source}, found ${place}`
      throw new TroupeError('bad_request', `${wanted}: give another --home, or other paths`)
    }
    if (isInside(source, place)) {
      const wanted = `wanted a backup outside of ${place}, whose place it takes, found ${source}`
      throw new TroupeError('bad_request', `${wanted}: move it elsewhere`)
    }
  }
}

interface Owned {
  release(): Promise<void>
  /** The latest entry of the audit log that is here. */
  head?: Head
}

/** Locks engines out during the restore. @throws TroupeError service_unavailable */
async function ownPlace({ dataDir, audit }: Config): Promise<Owned> {
  const path = join(dataDir, 'troupe.mdb')
  // A store that no engine can open has no owner.
  if (!existsSync(path) || faultIn(path, false) || (await isUnusable(dataDir))) return { async release() {} }
  const store = openStore(dataDir, { ofAnyRelease: true }) // D1486: a home of a newer release is replaced, too
  try {
    const unlock = takeLock(store)
    const head = existsSync(audit.dir) ? headIn(store) : undefined
    return {
      ...(head ? { head } : {}),
      async release() {
        unlock()
        await store.root.close()
      }
    }
  } catch (error) {
    await store.root.close()
    throw error
  }
}

/** Whether a damaged page crashes its reader or fails it. @throws TroupeError service_unavailable: an engine runs on it all the same */
async function isUnusable(dataDir: string): Promise<boolean> {
  const taken = await readAside({ dataDir, reads: false, writes: true }, new AbortController().signal).catch(
    () => undefined
  )
  if (!taken?.deadly && !taken?.refusals.length) return false // other faults are reported when it is opened next
  if (!lastLife(dataDir))
    throw new TroupeError('service_unavailable', 'this home is in use by an engine: stop it first')
  return true
}

function prepare(source: string, { part, prepared, place }: Move): void {
  makeFolderAtOnce(dirname(place), 0o700)
  rmSync(prepared, { recursive: true, force: true })
  copyTree(join(source, part), prepared)
  if (part === 'store') copyTree(join(source, 'work'), join(prepared, 'work'))
}

/**
 * In another place it is another home: running processes on this machine belong to the original home. In the same place, too,
 * requests that were unsent at the time of the backup may have been sent since.
 */
function disownSteps(moves: Move[], manifest: Manifest, config: Config): void {
  const logs = moves.find(({ part }) => part === 'logs')?.prepared
  if (logs === undefined) return
  const isSame = realPlace(manifest.logDir) === realPlace(config.logDir)
  for (const file of filesBelow(logs)) {
    const path = join(logs, file)
    if (isPartialNote(file) && !isSame) rmSync(path)
    else if (isRecord(file) && (!isSame || readState(path).state === 'unsent')) disownRecord(path)
  }
}

/** Prepares the store for the next engine: without an owner, complete, and with the paths of this home. */
async function madeReady(
  moves: Move[],
  { logDir, dataDir, dagsDir }: Manifest,
  config: Config,
  head: Head | undefined
): Promise<string[]> {
  const folder = moves.find(({ part }) => part === 'store')?.prepared
  if (folder === undefined) throw new TroupeError('bad_request', 'the backup has no store')
  const store = openStore(folder)
  try {
    const ahead = join(folder, 'write-ahead')
    const left = entriesIn(ahead)
    if (left.length > 0) await commit(store, left, { again: true })
    rmSync(ahead, { force: true })
    await store.root.openDB({ name: 'locks' }).remove('engine')
    // An audit log that stays goes on where it was.
    if (existsSync(config.audit.dir)) await replaceHead(store, head)
    relocate(store, [
      [logDir, config.logDir],
      [dataDir, config.dataDir],
      [dagsDir, config.dagsDir]
    ])
    await flushed(store)
    return storeProblems(store)
  } finally {
    await store.root.close()
    rmSync(join(folder, 'troupe.mdb-lock'), { force: true })
  }
}

function setAside(place: string, clock: Clock): string {
  const aside = `${place}.replaced-${new Date(clock.now()).toISOString().replace(/[:.]/g, '-')}`
  renameSync(place, aside)
  return aside
}
