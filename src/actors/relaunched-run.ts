/** From a run that a schedule restarts to the run that takes its place: same text, same params, new id. Source: execution-semantics 11.11. */
import { dirname, join } from 'node:path'
import type { RunKey } from '../../machines/vocabulary.ts'
import { planOf, runRecord } from '../store/history.ts'
import type { Store } from '../store/open.ts'
import { nodeLogFolder, runLogPath } from './log-names.ts'
import type { Candidate } from './system.ts'

/** @throws Error when nothing is left of the old run */
export function relaunchedRun(store: Store, key: RunKey, dagRunId: string, at: number): Candidate {
  const old = runRecord(store, key)
  const workflow = old && planOf(store, old.plan)
  if (!old || !workflow) throw new Error(`run ${key.dagRunId} of ${key.name} is gone: there is nothing to restart`)
  const folder = join(dirname(dirname(old.log)), dagRunId) // beside that of the old run
  const attempt = 1
  return {
    record: {
      name: old.name,
      dagRunId,
      status: 'running',
      attempt,
      createdAt: at,
      startedAt: at,
      params: old.params,
      log: runLogPath(folder),
      nodeLogs: nodeLogFolder(folder, attempt),
      plan: old.plan,
      queue: old.queue ?? old.name
    },
    plan: workflow,
    singleton: false,
    unlimited: true
  }
}
