/** After a restart: open runs are built again from what is stored; what cannot be read is parked, never guessed. Source: architecture 3, 5. */
import { runId } from '../../machines/engine.ts'
import type { JournalRecord, RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { indexedStatus, keepBytes, readRun, UNREADABLE } from '../store/damaged.ts'
import { everyNodeOf, latestSeq, planOf, runRecord } from '../store/history.ts'
import type { Store, StoredRun } from '../store/open.ts'
import { needsWorker } from './needs-worker.ts'
import type { OpenRun } from './open-run.ts'
import { persistedRun } from './persisted.ts'
import type { ScopeMaker } from './scope-maker.ts'
import type { Turns } from './turns.ts'

/** What was open when the last engine ended: running runs, callers before what they called; queued runs with their place. */
export function openRecords(store: Store): {
  running: RunKey[]
  queued: { key: RunKey; queue: string; limit: number; order: number; needsWorker: boolean }[]
} {
  const records = Array.from(store.open.getKeys(), ([name, dagRunId]) => {
    const record = runRecord(store, { name, dagRunId })
    return { key: { name, dagRunId }, record }
  })
  const known = new Map<string, { limit: number; needsWorker: boolean }>()
  const asksFor = (hash: string) => {
    const plan = known.has(hash) ? undefined : planOf(store, hash)?.plan
    const asked = known.get(hash) ?? { limit: plan?.maxActiveRuns ?? 1, needsWorker: plan ? needsWorker(plan) : false }
    known.set(hash, asked)
    return asked
  }
  const depth = ({ record }: (typeof records)[number]) => record?.caller?.depth ?? 0
  return {
    running: records
      .filter(({ record }) => record?.status !== 'queued')
      .sort((a, b) => depth(a) - depth(b))
      .map(({ key }) => key),
    // In their order, as each that is put back may go at once. Keys sort by id: r10 before r9.
    queued: records
      .flatMap(({ key, record }) => {
        if (record?.status !== 'queued') return []
        const { queue = key.name, order = 0, plan } = record
        return [{ key, queue, order, ...asksFor(plan) }]
      })
      .sort((a, b) => a.order - b.order)
  }
}

/** A run as it is stored, for writing its end. */
export function storedRun(store: Store, key: RunKey): OpenRun | undefined {
  const stored = readRun(store, key)
  const workflow = stored && planOf(store, stored.record.plan)
  if (!stored || !workflow) return undefined
  return {
    record: stored.record,
    ...workflow,
    seq: nextAfter(store, stored),
    indexed: stored.record.status,
    ended: new Map()
  }
}

/** What new journal records are counted from: one that is stored is never written over. */
const nextAfter = (store: Store, { record, seq }: StoredRun): number => Math.max(seq, latestSeq(store, record))

/** An open run as it was stored, ready to be an actor again. @throws Error when it cannot be read */
export async function restoreRun(
  { store }: { store: Store },
  { name, dagRunId }: RunKey,
  makeScope: ScopeMaker
): Promise<OpenRun> {
  const stored = readRun(store, { name, dagRunId })
  const workflow = stored && planOf(store, stored.record.plan)
  if (!stored?.open || !workflow) throw new Error(`the state of run ${dagRunId} of ${name} is not readable`)
  const key = { name, dagRunId }
  const run: OpenRun = {
    record: stored.record,
    indexed: stored.record.status,
    plan: workflow.plan,
    spec: workflow.spec,
    seq: nextAfter(store, stored),
    ended: new Map(),
    stored: persistedRun(key, workflow.plan, stored.open, everyNodeOf(store, key))
  }
  if (stored.open.value !== 'preparing') run.scope = await makeScope(run)
  else if (stored.open.context.stop === 'request') run.stopAsked = true
  return run
}

/** Records a run as failed with the reason; its nodes are kept as they were. @param publish told of it when readers see it */
export function parkRun(
  turns: Turns,
  run: Pick<OpenRun, 'record' | 'seq' | 'indexed'>,
  at: number,
  error: string,
  publish: (told: JournalRecord) => void
): void {
  const record: RunRecord = { ...run.record, status: 'failed', finishedAt: at, error }
  const { name, dagRunId } = record
  const told: JournalRecord = {
    run: { name, dagRunId },
    seq: ++run.seq,
    at,
    actor: runId(record),
    event: 'run.parked',
    from: '',
    to: 'failed',
    status: 'failed',
    context: { error }
  }
  const { journal, runs } = turns.changes
  journal.push(told)
  runs.set(runId(record), { value: { record, seq: told.seq }, ...(run.indexed ? { indexed: run.indexed } : {}) })
  turns.whenShown(() => publish(told))
}

/** A run whose state cannot be used stays listed, as failed with `state unreadable`. Source: reliability P7. */
export function parkUnreadable(
  store: Store,
  turns: Turns,
  key: RunKey,
  at: number,
  cause: unknown,
  publish: (told: JournalRecord) => void
): void {
  const stored = readRun(store, key)
  if (!stored) return
  const { record } = stored
  if (record.error === UNREADABLE) keepBytes(store, 'runs', [key.name, key.dagRunId])
  const indexed = indexedStatus(store, record.createdAt, key)
  const run = { record, seq: nextAfter(store, stored), ...(indexed ? { indexed } : {}) }
  parkRun(turns, run, at, `${UNREADABLE}: ${(cause as Error).message}`, publish)
}
