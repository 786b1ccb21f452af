/** Queued runs: each has a record, but no actor. Source: execution-semantics 12.8 to 12.14. */
import type { RunInput } from '../../../machines/run.ts'
import type { JournalRecord, Placement, RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import type { Changes } from '../../store/changes.ts'
import { readRun, UNREADABLE } from '../../store/damage/damaged.ts'
import { attemptOf, latestSeq, planOf, runRecord } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StoredAttempt } from '../../store/stored.ts'
import { dropCopies, keptOf } from '../recovery/retried-run.ts'
import type { OpenRun } from './open-run.ts'

const idOf = ({ name, dagRunId }: RunKey) => `run/${name}/${dagRunId}`

/** Stores a run as queued. What was checked when it was requested is not checked again when it is dispatched. */
export function storeQueued(
  changes: Changes,
  { record, seq, indexed }: OpenRun,
  { order, at, only }: { order: number; at: number; only: RunRecord['only'] }
): void {
  const { startedAt: _, ...waiting } = record
  const place = { queuedAt: at, order, ...(only === undefined ? {} : { only }) }
  const value = { record: { ...waiting, status: 'queued' as const, ...place }, seq }
  changes.runs.set(idOf(record), { value, ...(indexed ? { indexed } : {}) })
}

/**
 * A dispatched run, ready to become an actor, and what a retry starts with.
 * @param placement the worker that it was placed on
 * @throws Error when its record is gone, is not that of a queued run, or has no plan
 */
export function loadQueued(
  store: Store,
  key: RunKey,
  at: number,
  placement?: Placement
): { run: OpenRun } & Pick<RunInput, 'known' | 'only'> {
  const stored = readRun(store, key)
  if (stored?.record.status !== 'queued') throw new Error('the run is not queued any more')
  const workflow = planOf(store, stored.record.plan)
  if (!workflow) throw new Error('the plan of the queued run is not readable')
  const { only, ...waited } = stored.record
  const record: RunRecord = { ...waited, status: 'running', startedAt: at, ...(placement ? { placement } : {}) }
  const run: OpenRun = { record, ...workflow, seq: latestSeq(store, key), indexed: 'queued', ended: new Map() }
  if (record.attempt === 1 && !record.retryOf) return { run }
  const { kept, known } = keptOf(store, record, workflow.plan, only)
  return { run: { ...run, seed: kept }, known, ...(only === undefined ? {} : { only }) }
}

/** The caller of a sub run that waited for its worker is being stopped. It stays listed, as its caller names it. */
export function cancelQueued(changes: Changes, run: OpenRun, at: number): JournalRecord {
  const { name, dagRunId } = run.record
  const record: RunRecord = { ...run.record, status: 'canceled', finishedAt: at }
  const seq = ++run.seq
  changes.runs.set(idOf(record), { value: { record, seq }, indexed: 'queued' })
  const event: JournalRecord = {
    run: { name, dagRunId },
    seq,
    at,
    actor: idOf(record),
    event: 'run.stop',
    from: '',
    to: 'canceled',
    status: 'canceled'
  }
  changes.journal.push(event)
  return event
}

/** A run that waited for a retry becomes what it was before. A run that never ran is removed, and its id can be used again. */
export function forgetQueued(store: Store, changes: Changes, key: RunKey): void {
  const record = runRecord(store, key)
  if (record?.status !== 'queued') return
  if (record.attempt === 1) {
    if (record.retryOf) dropCopies(record.nodeLogs)
    return void changes.removed.push(record)
  }
  const { record: before, nodes } = attemptOf(store, key, record.attempt - 1) ?? lost(record)
  changes.runs.set(idOf(key), { value: { record: before, seq: latestSeq(store, key) }, indexed: 'queued' })
  for (const [place, node] of nodes)
    changes.nodes.set(`${idOf(key)}/${place}`, { key: [key.name, key.dagRunId, place], value: { record: node } })
}

/** The record of the previous attempt cannot be read. Source: reliability P7. */
const lost = (record: RunRecord): StoredAttempt => ({
  record: { ...record, status: 'failed', finishedAt: record.queuedAt ?? record.createdAt, error: UNREADABLE },
  nodes: new Map()
})
