/** Laws of one run: entry, nodes and plan belong together, and an open run can continue. Source: reliability P4, P12, architecture 1. */
import type { Database, Key } from 'lmdb'
import { isActive } from '../store/commit.ts'
import { isOf, isUnreadable, readEntry, readRun, UNREADABLE } from '../store/damage/damaged.ts'
import { nodesOf, planOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { StoredRun } from '../store/stored.ts'
import type { Finding } from './finding.ts'
import { brokenJournal } from './journal-laws.ts'

export function* brokenRuns(store: Store): Generator<Finding> {
  for (const [name, dagRunId] of store.runs.getKeys()) {
    const stored = readRun(store, { name, dagRunId })
    if (!stored) continue
    if (stored.record.error === UNREADABLE) {
      // An entry that cannot be read is reported as unreadable.
      if (readEntry(store.runs, [name, dagRunId], (entry) => isOf(entry, name, dagRunId))) yield lostRun(stored)
      continue
    }
    yield* brokenRun(store, stored)
    yield* lostSteps(store, stored)
    yield* brokenJournal(store, stored)
  }
  yield* orphans(store)
}

/** The entry that replaced it stays a finding. */
const lostRun = ({ record: { name, dagRunId } }: StoredRun): Finding => ({
  check: 'store',
  severity: 'note',
  message: `run ${dagRunId} of ${name} is listed as failed: its record could not be read, and its bytes are kept`,
  mending: 'only a backup has it; without one it goes when the history of its DAG does'
})

/** Steps that were set aside and have no new status yet. */
function* lostSteps(store: Store, { record }: StoredRun): Generator<Finding> {
  const { name, dagRunId } = record
  for (const [place, node] of nodesOf(store, record))
    if (isUnreadable(node.record) && readEntry(store.nodes, [name, dagRunId, place]))
      yield {
        check: 'store',
        severity: 'note',
        message: `step ${node.record.step} of run ${dagRunId} of ${name} is shown as failed: its record could not be read, and its bytes are kept`,
        mending: 'set its status by hand when you know how it ended; only a backup has the rest'
      }
}

function* brokenRun(store: Store, { record, open, seq }: StoredRun): Generator<Finding> {
  const { name, dagRunId, status } = record
  const run = `run ${dagRunId} of ${name}`
  if (!planOf(store, record.plan))
    yield {
      check: 'store',
      severity: isActive(record) ? 'error' : 'warning',
      message: `${run}: the text it was started with is not stored`,
      mending: isActive(record)
        ? 'restore a backup; without it the next start lists the run as failed'
        : 'restore a backup; without it the run is shown without its steps and cannot be retried'
    }
  if (status === 'running' && !open)
    yield {
      check: 'store',
      severity: 'error',
      message: `${run} is running, but the state to continue from is not stored`,
      mending: 'restore a backup; without it the next start lists the run as failed, with the reason'
    }
  if (!isActive(record) && open)
    yield {
      check: 'store',
      severity: 'error',
      message: `${run} has ended (${status}), but a state to continue from is stored for it`,
      mending: 'troupe doctor --fix removes that state; the end stays',
      fix: () => store.runs.putSync([name, dagRunId], { record, seq })
    }
}

/** Entries of missing runs. Plans are shared, so they outlive their runs. */
function* orphans(store: Store): Generator<Finding> {
  for (const table of ['nodes', 'calls', 'items', 'attempts', 'journal', 'checkpoints'] as const) {
    const entries = store[table] as Database<unknown, Key> // whatever its keys and values are
    for (const key of entries.getKeys()) {
      const [name, dagRunId] = key as [string, string] // so begin the keys of these tables
      if (store.runs.doesExist([name, dagRunId])) continue
      yield {
        check: 'store',
        severity: 'warning',
        message: `table ${table} has an entry of run ${dagRunId} of ${name}, which is not stored`,
        mending: 'troupe doctor --fix removes it',
        fix: () => void entries.removeSync(key)
      }
    }
  }
}
