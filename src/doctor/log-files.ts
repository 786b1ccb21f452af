/** Log files and runs belong together. Source: api-semantics 10.3, execution-semantics 14.1, 14.2. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Clock } from '../clock.ts'
import { readRun } from '../store/damage/damaged.ts'
import type { Store } from '../store/open.ts'
import type { Finding, Premises } from './finding.ts'

/** A run creates its folder a moment before it is stored. */
const MOMENT_MS = 60_000

export function* logProblems(store: Store, { logDir }: Premises, clock: Clock, isOwned: boolean): Generator<Finding> {
  const folders = new Set<string>()
  for (const [name, dagRunId] of store.runs.getKeys()) {
    const { log, finishedAt, caller } = readRun(store, { name, dagRunId })?.record ?? {}
    if (!log) continue
    if (!caller) folders.add(dirname(log))
    if (finishedAt !== undefined && !existsSync(log))
      yield {
        check: 'logs',
        severity: 'warning',
        message: `run ${dagRunId} of ${name}: its log ${log} is gone`,
        mending: 'nothing can be done here, unless a backup has it; its state is not affected'
      }
  }
  const waiting = store.leftovers.getKeysCount()
  if (waiting > 0 && !isOwned)
    yield {
      check: 'logs',
      severity: 'note',
      message: `files of ${waiting} removed runs are still there`,
      mending: 'the next start removes them'
    }
  else if (waiting === 0) yield* strayFolders(logDir, folders, clock)
}

/** `<logDir>/<DAG>/<run id>` without a run. */
function* strayFolders(logDir: string, known: ReadonlySet<string>, clock: Clock): Generator<Finding> {
  for (const dag of foldersIn(logDir))
    for (const folder of foldersIn(dag)) {
      const changedAt = statSync(folder, { throwIfNoEntry: false })?.mtimeMs // an engine may be removing it
      if (known.has(folder) || changedAt === undefined || clock.now() - changedAt < MOMENT_MS) continue
      yield {
        check: 'logs',
        severity: 'warning',
        message: `${folder} belongs to no run that is stored`,
        mending: 'remove it if you do not need it; Troupe does not use it'
      }
    }
}

/** Empty for a missing or unreadable folder: that is reported elsewhere, and is no damage of the store. */
function foldersIn(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name))
  } catch {
    return []
  }
}
