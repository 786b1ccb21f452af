/** Requests a run that repeats the unsuccessful part of a finished run. Source: execution-semantics 13.1, api-semantics 4.7. */
import { downstreamOf } from '../../../machines/policy/retried.ts'
import type { RunKey, RunRecord } from '../../../machines/vocabulary.ts'
import { retriedRun, seededRun } from '../../actors/recovery/retried-run.ts'
import type { RunRequest } from '../../actors/root/system.ts'
import { folderOfRetry } from '../../actors/run/log-folder.ts'
import { nodeLogFolder, runLogPath } from '../../actors/run/log-names.ts'
import type { Clock } from '../../clock.ts'
import type { Config } from '../../config.ts'
import { TroupeError } from '../../errors.ts'
import { didYouMean } from '../../nearest.ts'
import { isActive } from '../../store/commit.ts'
import type { Store } from '../../store/open.ts'
import type { StoredPlan } from '../../store/stored.ts'
import type { RetryRequest } from '../engine.ts'
import { recordOf, workflowAgain } from '../views/run-view.ts'
import { checkNames, heldTo, refuseWithoutQueues } from './start-run.ts'
import { triggerOf } from './trigger.ts'

export const alreadyRunning = ({ name, dagRunId }: RunKey): TroupeError =>
  new TroupeError('already_running', `run ${dagRunId} of ${name} cannot be retried: it has not ended`)

/** The limit of active runs is reached. @param refusal of the corresponding start */
export const hasNoPlace = ({ name, dagRunId }: RunKey, { message, details = {} }: TroupeError): TroupeError =>
  new TroupeError('already_running', `run ${dagRunId} of ${name} cannot be retried: ${message}`, { details })

export const idIsTaken = ({ name, dagRunId }: RunKey): TroupeError =>
  new TroupeError('already_exists', `${name} already has a run with the id ${dagRunId}`)

/** @throws TroupeError not_found, bad_request, already_running, already_exists, service_unavailable */
export function retryRequest(
  store: Store,
  key: RunKey,
  { dagRunId, stepName, includeDownstream = false, ...requested }: RetryRequest,
  config: Pick<Config, 'queues'>,
  clock: Clock
): RunRequest {
  const old = key.dagRunId === 'latest' ? undefined : recordOf(store, key)
  if (!old) throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
  if (old.caller)
    throw new TroupeError(
      'not_found',
      `run ${key.dagRunId} of ${key.name} is a sub DAG run: retry the run that called it`
    )
  if (isActive(old)) throw alreadyRunning(key)
  const workflow = workflowAgain(store, old)
  const { plan } = workflow
  refuseWithoutQueues(plan, config)
  if (includeDownstream && stepName === undefined)
    throw new TroupeError('bad_request', 'includeDownstream: wanted with stepName, the step that the retry begins with')
  const place = stepName === undefined ? undefined : plan.steps.findIndex(({ name }) => name === stepName)
  if (stepName !== undefined && place === -1) {
    const names = plan.steps.map(({ name }) => name)
    const hint = didYouMean(stepName, names)
    throw new TroupeError('not_found', `run ${key.dagRunId} of ${key.name} has no step named "${stepName}"${hint}`)
  }
  const only = includeDownstream && place !== undefined ? downstreamOf(plan.steps, place) : place
  const at = clock.now()
  const isNew = dagRunId !== undefined && dagRunId !== '' && dagRunId !== old.dagRunId
  const retried = isNew
    ? seededRun(store, old, workflow, newRecord(store, old, workflow, dagRunId, at), only)
    : retriedRun(store, old, workflow, at, only)
  const { run } = retried
  const of = { name: old.name, dagRunId: old.dagRunId }
  const { starter: before, ...record } = run.record
  const { starter } = requested
  run.record = {
    ...record,
    ...heldTo(starter, plan, before !== undefined),
    ...(includeDownstream ? { fresh: true } : {}),
    trigger: triggerOf(requested, 'retry', isNew ? of : undefined)
  }
  return { record: run.record, plan: workflow, singleton: false, retried }
}

function newRecord(store: Store, old: RunRecord, workflow: StoredPlan, dagRunId: string, at: number): RunRecord {
  const { name, params, plan, queue, priority } = old
  checkNames({ dagRunId })
  if (recordOf(store, { name, dagRunId })) throw idIsTaken({ name, dagRunId })
  const folder = folderOfRetry(workflow.plan, old, dagRunId)
  return {
    name,
    dagRunId,
    status: 'running',
    attempt: 1,
    createdAt: at,
    startedAt: at,
    params,
    log: runLogPath(folder),
    nodeLogs: nodeLogFolder(folder, 1, false),
    plan,
    ...(queue === undefined ? {} : { queue }),
    ...(priority === undefined ? {} : { priority })
  }
}
