/** When a run that has ended may be removed. Source: execution-semantics 14.1. */
import type { RunStatus } from '../vocabulary.ts'

const DAY_MS = 86_400_000
/** A caller can read the result meanwhile. */
const AFTER_END_MS = 5_000

/** What is looked at of a run, and of what belongs to it. */
export interface Ended {
  status: RunStatus
  /** Latest change, epoch ms. */
  changedAt: number
  /** It, a run that it called, or a restart that is made from it goes on. */
  isNeeded: boolean
}

/** Epoch ms from which on the run may go; undefined: never. @param days `histRetentionDays` of the newest run of its DAG */
export function removableAt(days: number, { status, changedAt, isNeeded }: Ended): number | undefined {
  if (days < 0 || isNeeded || status === 'running' || status === 'queued') return undefined
  return changedAt + (days === 0 ? AFTER_END_MS : days * DAY_MS)
}

/** No run that was created later can be removable yet, epoch ms. */
export const createdBefore = (days: number, now: number): number =>
  days < 0 ? Number.NEGATIVE_INFINITY : now - days * DAY_MS
