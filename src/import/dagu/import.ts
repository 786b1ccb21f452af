/** Imports a home of Dagu: reads everything, reports it, and then writes what is new. Nothing is written on its side. */
import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { flushed } from '../../store/commit.ts'
import { takeLock } from '../../store/disk/lock.ts'
import { suspendFlags } from '../../store/files/suspend-flags.ts'
import { openStore, type Store } from '../../store/open.ts'
import { openReport, type Part, type Report } from '../report.ts'
import { entriesIn } from '../source.ts'
import { stateOf, writeWhole } from '../written.ts'
import { baseOf, definitionsOf, type FileToWrite, type FoundDefinitions } from './definitions.ts'
import { planHistory, type WaitingRun, writeHistory } from './history/history.ts'
import { type Places, placesOf } from './places.ts'
import { settingsOf } from './settings.ts'
import { releaseOf } from './translate/release.ts'

export interface DaguOptions {
  config: Config
  clock: Clock
  /** The home of Dagu; absent: found as Dagu finds it. */
  home?: string
  dags?: string
  only: ReadonlySet<Part>
  /** The release of definitions that do not tell theirs. */
  from?: string
  /** Nothing is written. */
  dryRun: boolean
  /** Files that are here and differ are replaced. */
  overwrite: boolean
  environment: Readonly<Record<string, string | undefined>>
}

export interface ImportedHome {
  places: Places
  report: Report
  /** Runs that wait in queues of Dagu, by time. */
  waiting: WaitingRun[]
  /** Files and runs that were written. */
  files: string[]
  runs: number
  /** Definitions that were suspended here, as they are there. */
  flags: string[]
}

// D1508: first everything is read, then files are written, then runs
/** @throws TroupeError not_found (no home), bad_request (both homes are one, no release), service_unavailable (an engine is running here, no room) */
export async function importDagu(options: DaguOptions): Promise<ImportedHome> {
  const { config, clock, only, dryRun, overwrite, environment } = options
  const release = options.from === undefined ? undefined : releaseOf(options.from)
  const places = placesOf(options.home, options.dags, environment)
  refuseSame(places, config)
  const report = openReport()
  const baseFile = baseOf(places, config.baseConfig, report)
  const found = definitionsOf(places, { to: config.dagsDir, base: baseFile, release }, report)
  const wants = (part: Part) => only.has(part)
  const settings = wants('configuration')
    ? settingsOf(places, join(config.home, 'config.yaml'), options.home === undefined ? environment : {}, report)
    : undefined
  const files = [
    ...(wants('base') && baseFile ? [baseFile] : []),
    ...(wants('definitions') ? found.files : []),
    ...(settings ? [settings] : [])
  ]
  const toWrite = files.filter((file) => isWanted(file, overwrite, report))
  const flags = wants('flags') ? flagsOf(places, found, report) : []
  sayRunning(places, clock, report)
  sayOther(places, report)
  const open = !dryRun || existsSync(join(config.dataDir, 'troupe.mdb'))
  const store = open ? openStore(config.dataDir, { readOnly: dryRun }) : undefined
  let unlock = () => {}
  try {
    if (store && !dryRun) unlock = takeLock(store)
    const history = {
      config,
      places,
      withLogs: wants('logs'),
      now: clock.now(),
      ...(baseFile ? { base: { text: baseFile.bytes.toString(), path: baseFile.path } } : {})
    }
    const plan = wants('history') ? planHistory(history, store, report) : { waiting: [], bytes: 0 }
    const waiting = wants('queues') ? plan.waiting : []
    waiting.sort((a, b) => (a.queuedAt ?? 0) - (b.queuedAt ?? 0))
    const written = { files: [] as string[], runs: 0, flags: [] as string[] }
    if (store && !dryRun) {
      // First, so that no schedule ever sees a suspended definition without its flag.
      const suspended = suspendFlags(config.suspendFlagsDir, clock)
      for (const name of flags) suspended.set(name, true)
      written.flags = flags
      for (const file of toWrite) if (writeWhole(file.path, file.bytes, overwrite)) written.files.push(file.path)
      if (wants('history')) written.runs = await writeHistory(history, store, plan)
      await flushed(store)
    }
    return { places, report: onlyOf(report, only), waiting, ...written }
  } finally {
    unlock()
    await (store as Store | undefined)?.root.close()
  }
}

/** Parts that were not asked for have been read, as others need them. */
function onlyOf(report: Report, only: ReadonlySet<Part>): Report {
  const entries = report.entries.filter(({ part }) => only.has(part))
  report.entries.length = 0
  for (const entry of entries) report.entries.push(entry)
  return report
}

/** @throws TroupeError bad_request */
function refuseSame({ home, dags }: Places, config: Config): void {
  const same = [home, dags].find((path) => [config.home, config.dagsDir].some((own) => isSame(path, own)))
  if (same)
    throw new TroupeError(
      'bad_request',
      `${same} is a folder of this home already: give another --into, the home of Troupe`
    )
}

function isSame(a: string, b: string): boolean {
  const [one, other] = [a, b].map((path) => statSync(path, { throwIfNoEntry: false }))
  return Boolean(one && other && one.dev === other.dev && one.ino === other.ino)
}

/** What is here already, and the same, is not written again. */
function isWanted({ part, path, bytes, what }: FileToWrite, overwrite: boolean, report: Report): boolean {
  const state = stateOf(path, bytes)
  if (state === 'same') report.add({ part, kind: 'there', what, text: `${path} is the same` })
  else if (state === 'different' && !overwrite)
    report.add({
      part,
      kind: 'left',
      what,
      text: `${path} is here already, and differs`,
      advice: 'compare the two; --overwrite replaces the one here'
    })
  return state === 'free' || (state === 'different' && overwrite)
}

/** Names of definitions that are suspended there. */
function flagsOf({ flags }: Places, { byName, files }: FoundDefinitions, report: Report): string[] {
  const left = (what: string, text: string) =>
    report.add({ part: 'flags', kind: 'left', what, text, advice: 'suspend it by hand' })
  const fileNames = new Set(files.map(({ what }) => what.replace(/\.ya?ml$/, '')))
  return entriesIn(flags, (text) => left(flags, text)).flatMap(({ name }) => {
    const flagged = /^(.+)\.suspend$/.exec(name)?.[1]
    if (flagged === undefined) return []
    const fileName = fileNames.has(flagged) ? flagged : byName.get(flagged)
    if (fileName === undefined) {
      left(name, 'there is no definition of this name')
      return []
    }
    report.add({ part: 'flags', kind: 'taken', what: fileName, text: 'is suspended' })
    return [fileName]
  })
}

/** Folders of its data that have a part of their own, or nothing that outlives a process. */
const KNOWN = new Set(['dag-runs', 'queue', 'proc', 'service-registry', 'scheduler', 'cache', 'suspend'])

/** Whatever else it keeps is named: users, keys, webhooks, the history of releases before 1.17. */
function sayOther({ data }: Places, report: Report): void {
  for (const entry of entriesIn(data)) {
    const { name } = entry
    const below = entry.isDirectory() && !KNOWN.has(name) ? entriesIn(join(data, name)) : []
    if (below.length === 0) continue
    const isOld = below.some((one) => one.name.endsWith('.dat'))
    report.add({
      part: 'history',
      kind: 'left',
      what: `${name}/`,
      ...(isOld
        ? {
            text: 'is history of a release before 1.17',
            advice: 'dagu migrate history of a newer release rewrites it: then import again'
          }
        : {
            text: `has ${below.length} entries that nothing here reads`,
            advice: 'users, keys and webhooks: see docs/authentication.md'
          })
    })
  }
}

/** Dagu touches a file for each running run, and for its scheduler, every few seconds. */
const LATELY_MS = 90_000

function sayRunning({ data }: Places, clock: Clock, report: Report): void {
  const folder = join(data, 'service-registry', 'scheduler')
  const isLive = entriesIn(folder).some(({ name }) => {
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found?.isFile() && clock.now() - found.mtimeMs < LATELY_MS
  })
  if (isLive)
    report.add({
      part: 'definitions',
      kind: 'note',
      what: 'scheduler',
      text: 'a scheduler of Dagu seems to be running on this home',
      advice: 'stop it before this one starts, or both start the same schedules'
    })
}
