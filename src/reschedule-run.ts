/** From a run of any state to a fresh candidate run of the same workflow text and the same params. Source: execution-semantics 13.2, api-semantics 4.8. */
import { dirname, join } from 'node:path'
import type { RunKey, RunRecord } from '../machines/vocabulary.ts'
import { nodeLogFolder, runFolder, runLogPath } from './actors/log-names.ts'
import { planHash } from './actors/plan-hash.ts'
import type { Candidate } from './actors/system.ts'
import { type Clock, uuidV7 } from './clock.ts'
import type { Config } from './config.ts'
import { TroupeError } from './errors.ts'
import { recordOf } from './run-view.ts'
import { checkNames } from './start-run.ts'
import { planOf } from './store/history.ts'
import type { Store } from './store/open.ts'

/** Names of the new run; absent: an id is made, and the DAG name stays. */
export interface Rescheduled {
  dagRunId?: string | undefined
  dagName?: string | undefined
}

/** @throws TroupeError not_found, bad_request, already_exists */
export function rescheduleCandidate(
  store: Store,
  key: RunKey,
  { dagRunId, dagName }: Rescheduled,
  { logDir, queues }: Config,
  clock: Clock
): Candidate {
  checkNames({ ...(dagRunId ? { dagRunId } : {}), ...(dagName ? { dagName } : {}) })
  const old = key.dagRunId === 'latest' ? undefined : recordOf(store, key)
  const workflow = old && planOf(store, old.plan)
  if (!old || !workflow || old.caller)
    throw new TroupeError('not_found', `there is no run ${key.dagRunId} of ${key.name}`)
  const name = dagName || old.name
  const fresh = { name, dagRunId: dagRunId || uuidV7(clock) }
  if (recordOf(store, fresh))
    throw new TroupeError('already_exists', `${name} already has a run with the id ${fresh.dagRunId}`)
  const plan = name === workflow.plan.name ? workflow : { ...workflow, plan: { ...workflow.plan, name } }
  const at = clock.now()
  const record: RunRecord = {
    ...fresh,
    status: 'running',
    attempt: 1,
    createdAt: at,
    startedAt: at,
    params: old.params,
    ...logsOf(old, fresh, logDir),
    plan: planHash(plan),
    queue: plan.plan.queue ?? name
  }
  return { record, plan, singleton: false, exclusive: true, mayWait: queues.enabled }
}

/** Beside the old run's, when the definition says where its logs lie. */
function logsOf(old: RunRecord, fresh: RunKey, logDir: string): Pick<RunRecord, 'log' | 'nodeLogs'> {
  if (dirname(old.log) === runFolder(logDir, old)) return logsBelow(runFolder(logDir, fresh))
  return logsBelow(join(dirname(dirname(old.log)), fresh.dagRunId))
}

const logsBelow = (folder: string) => ({ log: runLogPath(folder), nodeLogs: nodeLogFolder(folder, 1) })
