/** What the probes of an engine are told: whether it should get requests, and whether only a restart of its process helps. */
import { UNREADY_REASONS } from '../../machines/vocabulary/lists.ts'

/** Why an engine should get no requests now. */
export type UnreadyReason = (typeof UNREADY_REASONS)[number]

export interface Unready {
  reason: UnreadyReason
  /** A sentence. Public, so without paths. */
  error: string
}

/** What is known of an engine at the moment; absent: nothing is wrong there. */
export interface Condition {
  isClosing: boolean
  /** Only a restart of the process helps. */
  dead: string | undefined
  /** The home was removed or replaced, or its store is damaged. */
  lost: string | undefined
  /** Nothing can be stored. */
  stalled: string | undefined
  /** Every run that was open when the previous engine ended is open again. */
  isComplete: boolean
  /** Schedules may not be followed. */
  scheduler: string | undefined
  /** Another engine uses the same cluster of workers. */
  rival: string | undefined
}

// D1410: `/health/ready` has one reason, and `/health` stays as it was
/** The first reason, or undefined: it is ready. */
export function unreadyOf(condition: Condition): Unready | undefined {
  const { isClosing, dead, lost, stalled, isComplete, scheduler, rival } = condition
  const found: Partial<Record<UnreadyReason, string | undefined>> = {
    closing: isClosing ? 'the engine is closing' : undefined,
    failed: dead,
    home: lost && 'the home was removed or replaced, or its store is damaged: the log says more',
    storage: stalled && 'nothing can be stored: the log says why',
    recovering: isComplete ? undefined : 'runs of the engine before are being restored',
    scheduler,
    workers: rival
  }
  for (const reason of UNREADY_REASONS) {
    const error = found[reason]
    if (error !== undefined) return { reason, error }
  }
  return undefined
}
