/** A retry that waits in its queue has no events: its journal is the earlier one. Source: execution-semantics 13.1.9; docs/inspect.md. */
import type { RunRecord } from '../../../machines/vocabulary.ts'
import { attemptOf, nodesOf } from '../../store/history.ts'
import type { Store } from '../../store/open.ts'
import { seenAs } from '../actors.ts'
import { nothingYet } from '../replay.ts'
import type { Situation } from './situation.ts'

export const isWaitingRetry = ({ status, attempt, retryOf }: RunRecord): boolean =>
  status === 'queued' && (attempt > 1 || retryOf !== undefined)

/** @param ended from the journal */
export function waitingRetry(store: Store, ended: Situation): Situation {
  const { record, run, plan } = ended
  const { attempt, retryOf } = record
  const stored = Array.from(nodesOf(store, run), ([place, node]) => [place, node.record] as const)
  const kept = new Map(stored.filter(([, { status }]) => status !== 'not_started'))
  const waiting = { ...ended, ...seenAs(run, plan, { ...nothingYet(), kept }) }
  if (attempt === 1) return { ...waiting, retry: { label: `the retry of run ${retryOf?.dagRunId}` } }
  const before = attemptOf(store, run, attempt - 1)
  return {
    ...waiting,
    retry: {
      label: `attempt ${attempt} of the run`,
      ...(before ? { before: { label: `attempt ${attempt - 1}`, situation: { ...ended, record: before.record } } } : {})
    }
  }
}
