/** Finds the step of a finished run whose status is set by hand, and checks it. Source: execution-semantics 13.3, api-semantics 5. */
import type { Plan, RunKey, RunRecord, Step } from '../../../machines/vocabulary.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { isActive } from '../../store/commit.ts'
import { isLost } from '../../store/damage/damaged.ts'
import { unreadableSteps } from '../../store/damage/unreadable.ts'
import { subRunOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import type { StepKey } from '../engine.ts'
import { recordOf, workflowOf } from './run-view.ts'

// D212: a step's status can be set by hand when the run and its root have ended
/**
 * @param isOpen whether a run has an actor
 * @throws TroupeError not_found; bad_request while the run, or its root, has not ended; service_unavailable: its record is damaged
 */
export function settableStep(
  store: Store,
  { root, subRunId, step: wanted }: StepKey,
  isOpen: (key: RunKey) => boolean
): { record: RunRecord; place: number; plan: Plan; step: Step } {
  const rootRecord = root.dagRunId === 'latest' ? undefined : recordOf(store, root)
  if (!rootRecord || rootRecord.caller)
    throw new TroupeError('not_found', `there is no run ${root.dagRunId} of ${root.name}`)
  const sub = subRunId === undefined ? undefined : subRunOf(store, root, subRunId)
  const record = subRunId === undefined ? rootRecord : sub && recordOf(store, sub)
  if (!record) throw new TroupeError('not_found', `run ${root.dagRunId} of ${root.name} has no sub DAG run ${subRunId}`)
  for (const run of [rootRecord, record])
    if (isActive(run) || isOpen(run))
      throw new TroupeError('bad_request', `run ${run.dagRunId} of ${run.name} is still ${run.status}`)
  const { plan } = workflowOf(store, record, 'has no steps that could be set')
  const place = plan.steps.findIndex(({ name }) => name === wanted)
  const step = plan.steps[place]
  if (!step) {
    const names = plan.steps.map(({ name }) => name)
    const hint = didYouMean(wanted, names)
    throw new TroupeError('not_found', `run ${record.dagRunId} of ${record.name} has no step "${wanted}"${hint}`)
  }
  if (isLost(store.nodes, [record.name, record.dagRunId, place])) throw unreadableSteps(record, [wanted])
  return { record, place, plan, step }
}
