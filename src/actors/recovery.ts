/** After a restart: open runs are built again from what is stored; what cannot be read is parked, never guessed. Source: architecture 3, 5. */
import { runId } from '../../machines/engine.ts'
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { latestSeq, nodesOf, planOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
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
    const record = store.runs.get([name, dagRunId])?.record
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
    queued: records.flatMap(({ key, record }) => {
      if (record?.status !== 'queued') return []
      const { queue = key.name, order = 0, plan } = record
      return [{ key, queue, order, ...asksFor(plan) }]
    })
  }
}

/** A run as it is stored, for writing its end. */
export function storedRun(store: Store, { name, dagRunId }: RunKey): OpenRun | undefined {
  const stored = store.runs.get([name, dagRunId])
  const workflow = stored && planOf(store, stored.record.plan)
  if (!stored || !workflow) return undefined
  const { record } = stored
  return { record, ...workflow, seq: latestSeq(store, record), indexed: record.status, ended: new Map() }
}

/** An open run as it was stored, ready to be an actor again. @throws Error when it cannot be read */
export async function restoreRun(
  { store }: { store: Store },
  { name, dagRunId }: RunKey,
  makeScope: ScopeMaker
): Promise<OpenRun> {
  const stored = store.runs.get([name, dagRunId])
  const workflow = stored && planOf(store, stored.record.plan)
  if (!stored?.open || !workflow) throw new Error(`the state of run ${dagRunId} of ${name} is not readable`)
  const key = { name, dagRunId }
  const run: OpenRun = {
    record: stored.record,
    indexed: stored.record.status,
    plan: workflow.plan,
    spec: workflow.spec,
    seq: latestSeq(store, key),
    ended: new Map(),
    stored: persistedRun(key, workflow.plan, stored.open, nodesOf(store, key))
  }
  if (stored.open.value !== 'preparing') run.scope = await makeScope(run)
  else if (stored.open.context.stop === 'request') run.stopAsked = true
  return run
}

/** Records a run as failed with the reason; its nodes are kept as they were. */
export function parkRun(
  { changes }: Turns,
  run: Pick<OpenRun, 'record' | 'seq' | 'indexed'>,
  at: number,
  error: string
): void {
  const record: RunRecord = { ...run.record, status: 'failed', finishedAt: at, error }
  const value = { record, seq: run.seq }
  changes.runs.set(runId(record), { value, ...(run.indexed ? { indexed: run.indexed } : {}) })
}

/** A run whose state cannot be used stays listed, as failed with `state unreadable`. Source: reliability P7. */
export function parkUnreadable(
  store: Store,
  turns: Turns,
  { name, dagRunId }: RunKey,
  at: number,
  cause: unknown
): void {
  const stored = store.runs.get([name, dagRunId])
  if (!stored) return
  const { record } = stored
  parkRun(
    turns,
    { record, seq: latestSeq(store, record), indexed: record.status },
    at,
    `state unreadable: ${(cause as Error).message}`
  )
}
