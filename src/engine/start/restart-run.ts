/** Requests a run like an earlier one, in any state. Source: api-semantics 11 (restart, --from-run-id), execution-semantics 11.11. */
import type { RunKey, RunRecord, Trigger } from '../../../machines/vocabulary.ts'
import type { RunRequest } from '../../actors/root/system.ts'
import { ownFolder } from '../../actors/run/run-environment.ts'
import { type Clock, uuidV7 } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import type { Store } from '../../store/open.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { StartRequest } from '../engine.ts'
import { recordOf, workflowAgain } from '../views/run-view.ts'
import { changedParams } from './params.ts'
import { checkNames, heldTo, runRequestOf } from './start-run.ts'
import { triggerOf } from './trigger.ts'

// D406: `restart` and `start --from-run-id` use the earlier run's definition and params
/** The definition as stored with the run, even if its file has changed. @throws TroupeError not_found, bad_request, service_unavailable */
export async function restartRequest(
  store: Store,
  { name, dagRunId }: RunKey,
  request: StartRequest,
  config: Config,
  clock: Clock,
  again: Trigger['again'] = 'restart',
  earlier = earlierWorkflow(store, { name, dagRunId }, request, again)
): Promise<RunRequest> {
  const { old, plan, spec } = earlier
  const key = { name: plan.name, dagRunId: request.dagRunId || uuidV7(clock) }
  const { environment, defaultShell, backticks, commands } = config
  const own = ownFolder(config.dataDir, key)
  const context = { own, clock, environment, defaultShell, backticks, commands }
  const params = await changedParams(plan, old.params, request.params ?? '', context)
  const wanted = await runRequestOf({ plan, spec }, key, params, request, config, clock)
  if (old.starter) Object.assign(wanted.record, heldTo(request.starter, plan, true))
  wanted.record.trigger = triggerOf(request, again, { name, dagRunId: old.dagRunId })
  return wanted
}

/** The definition of an earlier run, under the name that the new one gets. @throws as `restartRequest` does */
export function earlierWorkflow(
  store: Store,
  { name, dagRunId }: RunKey,
  request: StartRequest,
  again: Trigger['again'] = 'restart'
): StoredPlan & { old: RunRecord } {
  checkNames(request)
  const old = recordOf(store, { name, dagRunId })
  if (!old) throw new TroupeError('not_found', `there is no run ${dagRunId} of ${name}`)
  if (old.caller)
    throw new TroupeError('bad_request', `run ${dagRunId} of ${name} is a sub DAG run: take the run that called it`)
  if (request.params && again !== 'reschedule')
    throw new TroupeError('bad_request', `params: wanted none beside those of run ${dagRunId}, found some`)
  const { plan: before, spec } = workflowAgain(store, old)
  const called = request.dagName || old.name // the plan still has the old name after a rename
  return { old, plan: called === before.name ? before : { ...before, name: called }, spec }
}
