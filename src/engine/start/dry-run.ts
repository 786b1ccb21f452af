/** Whether a start would be refused now. Nothing is started or reserved: the result of a later start may differ. Source: api-semantics 12 (dryRun), 4.2. */
import type { RunRequest, System } from '../../actors/root/system.ts'
import { needsWorker } from '../../actors/run/needs-worker.ts'
import { activeRuns } from '../../store/find-runs.ts'
import type { Store } from '../../store/open.ts'

type Refused = Extract<Awaited<ReturnType<System['start']>>, { type: 'start.refused' }>

// D204
/** The answer of the queue to a hypothetical start. */
export function dryRun(store: Store, { record, plan: { plan }, singleton, ...way }: RunRequest): Refused | undefined {
  const enqueue = way.enqueue ?? (needsWorker(plan) ? { bounded: true } : undefined)
  const { name, dagRunId } = record
  const active = activeRuns(store, name).filter(({ superseded }) => !superseded)
  const running = active.filter(({ status }) => status === 'running').length
  const counts = { running, queued: active.length - running }
  const refused = { type: 'start.refused', key: { name, dagRunId }, limit: plan.maxActiveRuns, active: counts } as const
  if (enqueue && singleton && active.length > 0) return { ...refused, limit: 1, reason: 'max_run_reached' }
  if (enqueue && !enqueue.bounded) return undefined
  if (singleton && running > 0) return { ...refused, reason: 'already_running' }
  if (plan.maxActiveRuns > 0 && active.length >= plan.maxActiveRuns) return { ...refused, reason: 'max_run_reached' }
  return undefined
}
