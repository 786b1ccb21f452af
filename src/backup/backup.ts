/**
 * A consistent copy of a home, taken while the engine runs: first the store by its own copy function (a plain copy of its file
 * would be torn), then the files, so that no log that the store names is missing. It is verified before it gets its name.
 * Source: reliability T5.
 */
import { chmodSync, copyFileSync, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'
import { refuseDeadly } from '../doctor/aside.ts'
import { storeProblems } from '../doctor/doctor.ts'
import type { Premises } from '../doctor/finding.ts'
import { TroupeError } from '../errors.ts'
import { refuseUnusable } from '../platform/home-folder.ts'
import { makeFolderAtOnce } from '../platform/make-folder.ts'
import { readRun } from '../store/damage/damaged.ts'
import { lockOwner } from '../store/disk/lock.ts'
import { entriesIn } from '../store/disk/write-ahead.ts'
import { openStore, type Store } from '../store/open.ts'
import { checksum, copyPart, entriesBelow, flushFile, isInside, isTaken, refusalOf, removeBegun } from './files.ts'
import { BACKUP_FORMAT, type Manifest, manifestPath, sizeOf } from './manifest.ts'

/** The premises of the home that is copied. */
export type BackupPlaces = Premises & { coordination: Pick<Config['coordination'], 'enrolmentFile'> }

export interface Taken extends Manifest {
  /** Size of all files, bytes. */
  bytes: number
  /** Problems of the store, and so of the copy. */
  problems: string[]
}

/** How long after the stored end of a run a busy engine may still write its logs, ms. */
const LATE_MS = 5_000

// D855, D856: a backup is a folder of plain files
/**
 * @param target a folder that does not exist or is empty
 * @param version of this program @param withLogs default: yes
 * @throws TroupeError already_exists, bad_request (a folder that is copied), not_found (no store), service_unavailable (the disk refuses,
 * or an engine began meanwhile), internal_error (the store cannot be read)
 */
export async function takeBackup(
  config: BackupPlaces,
  clock: Clock,
  target: string,
  { version, withLogs = true }: { version: string; withLogs?: boolean }
): Promise<Taken> {
  if (isTaken(target)) throw new TroupeError('already_exists', `${target} exists already: name a folder that does not`)
  refuseInside(config, target)
  refuseUnusable(config, 'read')
  await refuseDeadly(config)
  const store = openStore(config.dataDir, { readOnly: true })
  const unfinished = `${target}.unfinished`
  try {
    removeBegun(unfinished)
    makeFolderAtOnce(join(unfinished, 'store'), 0o700)
    const takenAt = clock.now()
    const live = await copyStore(store, config, join(unfinished, 'store'))
    const { runs, problems, latest } = await looked(join(unfinished, 'store'), takenAt - LATE_MS)
    if (live && withLogs) await written(latest, clock)
    copyFiles(config, unfinished, withLogs)
    const entries = entriesBelow(unfinished)
    const files = entries
      .filter(({ kind }) => kind === 'file')
      .map(({ path }) => ({ path, ...checksum(join(unfinished, path)) }))
    const links = entries.flatMap((entry) =>
      entry.kind === 'link' ? [{ path: entry.path, target: entry.target }] : []
    )
    const { logDir, dataDir, dagsDir } = config
    const places = { logDir, dataDir, dagsDir }
    const found = problems.length > 0 ? { problems } : {}
    const manifest: Manifest = {
      format: BACKUP_FORMAT,
      version,
      takenAt,
      live,
      runs,
      ...places,
      files,
      links,
      ...found
    }
    writeFileSync(manifestPath(unfinished), `${JSON.stringify(manifest, undefined, 1)}\n`, { mode: 0o600 })
    flushFile(join(unfinished, 'store', 'troupe.mdb'))
    flushFile(manifestPath(unfinished))
    rmSync(target, { recursive: true, force: true })
    renameSync(unfinished, target)
    flushFile(dirname(target))
    return { ...manifest, bytes: sizeOf(manifest), problems }
  } catch (cause) {
    removeBegun(unfinished)
    if (cause instanceof TroupeError) throw cause
    throw new TroupeError('service_unavailable', `the backup could not be written: ${refusalOf(cause)}`, { cause })
  } finally {
    await store.root.close()
  }
}

/** @returns whether an engine was running */
async function copyStore(store: Store, { dataDir }: BackupPlaces, folder: string): Promise<boolean> {
  const copy = join(folder, 'troupe.mdb')
  const ahead = join(dataDir, 'write-ahead')
  const owner = lockOwner(store)
  // The file of a running engine is ahead of this copy or behind it. A run that was acknowledged is in the store.
  const isLeft = !owner && entriesIn(ahead).length > 0
  if (isLeft) copyFileSync(ahead, join(folder, 'write-ahead'))
  await store.root.backup(copy, true)
  chmodSync(copy, 0o600)
  if (isLeft && lockOwner(store))
    throw new TroupeError('service_unavailable', 'an engine started during the backup: take it again')
  return owner !== undefined
}

function copyFiles(config: BackupPlaces, to: string, withLogs: boolean): void {
  const { dagsDir, suspendFlagsDir, logDir, dataDir, baseConfig, file, coordination, audit } = config
  copyPart(dagsDir, join(to, 'definitions'), true)
  copyPart(suspendFlagsDir, join(to, 'suspend'))
  copyPart(join(dataDir, 'work'), join(to, 'work'))
  // Beside the store, as in the home: a restore must not revive sessions that were ended.
  copyPart(join(dataDir, 'signed-out.json'), join(to, 'store', 'signed-out.json'))
  // Without the enrolment, no worker with a key could connect to the coordinator of the restored home.
  copyPart(coordination.enrolmentFile, join(to, 'store', basename(coordination.enrolmentFile)))
  copyPart(audit.dir, join(to, 'audit'))
  copyPart(baseConfig, join(to, 'base.yaml'))
  if (file !== undefined) copyPart(file, join(to, 'config.yaml'))
  if (withLogs) copyPart(logDir, join(to, 'logs'))
}

/** Files and folders that are copied, some of which may not exist. */
export function partsOf(places: BackupPlaces, withLogs: boolean): string[] {
  const { dagsDir, suspendFlagsDir, logDir, dataDir, baseConfig, file, audit } = places
  const parts = [join(dataDir, 'troupe.mdb'), dagsDir, suspendFlagsDir, join(dataDir, 'work'), audit.dir, baseConfig]
  return [...parts, ...(file === undefined ? [] : [file]), ...(withLogs ? [logDir] : [])]
}

/** A copied folder that a backup would be in. Undefined: none. */
export const holderOf = (
  { dagsDir, suspendFlagsDir, logDir, dataDir, audit }: BackupPlaces,
  target: string
): string | undefined =>
  [dagsDir, suspendFlagsDir, logDir, join(dataDir, 'work'), audit.dir].find((it) => isInside(target, it))

/** The copy would contain itself, and each later one all earlier ones. @throws TroupeError bad_request */
function refuseInside(places: BackupPlaces, target: string): void {
  const holder = holderOf(places, target)
  if (holder !== undefined)
    throw new TroupeError('bad_request', `wanted a folder outside of ${holder}, which is copied, found ${target}`)
}

/** Waits for logs that are not written yet. */
async function written(logs: string[], clock: Clock): Promise<void> {
  const until = clock.now() + LATE_MS
  while (logs.some((log) => !existsSync(log)) && clock.now() < until)
    await new Promise<void>((resolve) => clock.after(100, resolve))
}

/** Opens the copy and reads every entry. @returns also the logs of runs that have ended since `since` */
async function looked(folder: string, since: number): Promise<{ runs: number; problems: string[]; latest: string[] }> {
  const copy = openStore(folder, { readOnly: true })
  try {
    const latest: string[] = []
    for (const [name, dagRunId] of copy.runs.getKeys()) {
      const { log, finishedAt = 0 } = readRun(copy, { name, dagRunId })?.record ?? {}
      if (log && finishedAt >= since) latest.push(log)
    }
    return { runs: copy.runs.getKeysCount(), problems: storeProblems(copy), latest }
  } finally {
    await copy.root.close()
    rmSync(join(folder, 'troupe.mdb-lock'), { force: true })
  }
}
