/** When a run that has ended may be removed. Source: execution-semantics 14.1. */
import type { RunStatus } from '../vocabulary.ts'

const DAY_MS = 86_400_000
/** Leaves a caller time to read the result. */
const AFTER_END_MS = 5_000

/** What the decision depends on: a run and everything that belongs to it. */
export interface Ended {
  status: RunStatus
  /** Latest change, epoch ms. */
  changedAt: number
  /** The run, one of its sub runs, or a restart made from it is still active. */
  isNeeded: boolean
}

/** When the run may be removed, epoch ms; undefined: never. @param days `histRetentionDays` of the newest run of its DAG */
export function removableAt(days: number, { status, changedAt, isNeeded }: Ended): number | undefined {
  if (days < 0 || isNeeded || status === 'running' || status === 'queued') return undefined
  return changedAt + (days === 0 ? AFTER_END_MS : days * DAY_MS)
}

/** No run created after this instant (epoch ms) can be removable yet. */
export const createdBefore = (days: number, now: number): number =>
  days < 0 ? Number.NEGATIVE_INFINITY : now - days * DAY_MS
