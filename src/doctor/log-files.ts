/** Log files and runs belong together. Source: api-semantics 10.3, execution-semantics 14.1, 14.2. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RunKey } from '../../machines/vocabulary.ts'
import type { Clock } from '../clock.ts'
import { readRun } from '../store/damage/damaged.ts'
import { nodesOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { Finding, Premises } from './finding.ts'

/** A run creates its folder a moment before it is stored. */
const MOMENT_MS = 60_000

export function* logProblems(store: Store, { logDir }: Premises, clock: Clock, isOwned: boolean): Generator<Finding> {
  const runs = store.runs.getKeysCount()
  if (runs > 0 && !existsSync(logDir)) {
    yield {
      check: 'logs',
      severity: 'error',
      message: `the folder of logs ${logDir} is gone, and ${runs === 1 ? '1 run is' : `${runs} runs are`} stored`,
      mending: 'put it back, mount it, or restore a backup that has it; the runs themselves are not affected'
    }
    return
  }
  const folders = new Set<string>()
  for (const [name, dagRunId] of store.runs.getKeys()) {
    const { log, nodeLogs, finishedAt, caller } = readRun(store, { name, dagRunId })?.record ?? {}
    if (!log) continue
    if (!caller) folders.add(dirname(log))
    if (finishedAt !== undefined && !existsSync(log))
      yield {
        check: 'logs',
        severity: 'warning',
        message: `run ${dagRunId} of ${name}: its log ${log} is gone`,
        mending: 'nothing can be done here, unless a backup has it; its state is not affected'
      }
    else if (finishedAt !== undefined && nodeLogs && !existsSync(nodeLogs) && hasLogs(store, { name, dagRunId }))
      yield {
        check: 'logs',
        severity: 'warning',
        message: `run ${dagRunId} of ${name}: the logs of its steps in ${nodeLogs} are gone`,
        mending: 'nothing can be done here, unless a backup has them; its state is not affected'
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

/** Whether a step of it was executed and has a log, so that the folder has been there. */
function hasLogs(store: Store, run: RunKey): boolean {
  for (const { record } of nodesOf(store, run).values())
    if (record.exitCode !== undefined && record.stdout !== undefined) return true
  return false
}

/** Folders of runs, when there is no store that knows them. */
export function orphanedLogs({ logDir }: Pick<Premises, 'logDir'>): number {
  return foldersIn(logDir).reduce((sum, dag) => sum + foldersIn(dag).length, 0)
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
