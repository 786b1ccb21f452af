/** After a restart: open runs are built again from what is stored; what cannot be read is parked, never guessed. Source: architecture 3, 5. */
import { runId } from '../../machines/engine.ts'
import type { RunKey, RunRecord } from '../../machines/vocabulary.ts'
import { nodesOf, planOf } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import type { OpenRun } from './open-run.ts'
import { persistedRun } from './persisted.ts'
import type { ScopeMaker } from './scope-maker.ts'
import type { Turns } from './turns.ts'

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
    seq: stored.seq,
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
  const { record, seq } = stored
  parkRun(turns, { record, seq, indexed: record.status }, at, `state unreadable: ${(cause as Error).message}`)
}
