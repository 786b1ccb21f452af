/** Runs that wait in a queue: a record each, and no actor. Source: execution-semantics 12.8 to 12.14. */
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import type { Changes } from '../store/changes.ts'
import { readRun } from '../store/damaged.ts'
import { latestSeq, planOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { OpenRun } from './open-run.ts'

const idOf = ({ name, dagRunId }: RunKey) => `run/${name}/${dagRunId}`

/** Stores a run as queued: what was checked at its start stands until it is dispatched. */
export function storeQueued(changes: Changes, { record, seq, indexed }: OpenRun, order: number, at: number): void {
  const { startedAt: _, ...waiting } = record
  const value = { record: { ...waiting, status: 'queued' as const, queuedAt: at, order }, seq }
  changes.runs.set(idOf(record), { value, ...(indexed ? { indexed } : {}) })
}

/** A dispatched run, ready to be an actor. @throws Error when its record is gone, is not that of a queued run, or has no plan */
export function loadQueued(store: Store, key: RunKey, at: number): OpenRun {
  const stored = readRun(store, key)
  if (stored?.record.status !== 'queued') throw new Error('the run is not queued any more')
  const workflow = planOf(store, stored.record.plan)
  if (!workflow) throw new Error('the plan of the queued run is not readable')
  const record: RunRecord = { ...stored.record, status: 'running', startedAt: at }
  return { record, ...workflow, seq: latestSeq(store, key), indexed: 'queued', ended: new Map() }
}

/** Nothing of a run that never ran is left; its id can be used again. */
export function forgetQueued(store: Store, changes: Changes, key: RunKey): void {
  const record = runRecord(store, key)
  if (record?.status === 'queued') changes.removed.push(record)
}
