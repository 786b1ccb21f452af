/**
 * Decides a scheduled minute of a definition: it starts, stops or restarts a run, or is skipped for a reason.
 * Source: execution-semantics 11.6 to 11.14, api-semantics 6.4.
 */
import type { Catchup, RunKey, RunStatus, ScheduleKind, SkipReason } from '../vocabulary.ts'

/** A slot: one kind of schedule of one definition in one minute. */
export interface Due {
  fileName: string
  /** DAG name. */
  name: string
  kind: ScheduleKind
  /** The minute, epoch ms. */
  slot: number
  /** No engine was running then, and it is backfilled in this way. */
  catchup?: Exclude<Catchup, 'none'>
}

/** Everything the decision depends on. */
export interface Facts extends Due {
  suspended: boolean
  /** This slot has been decided before: the clock was set back. */
  decided: boolean
  /** No engine was running then, and it is not backfilled. */
  missed: boolean
  skipIfSuccessful: boolean
  /** Running root runs of the DAG name, newest first. */
  running: RunKey[]
  /** The newest root run, queued ones included; absent: there is none. */
  latest?: { status: RunStatus; startedAt?: number; superseded?: boolean }
  /** The first time after the start of the newest run at which the same expression fires. */
  dueAfterLatest?: number
  /** The running run is already being restarted. */
  restarting: boolean
}

export type Decision =
  | { act: 'start' }
  | { act: 'enqueue' }
  | { act: 'stop'; runs: RunKey[] }
  | { act: 'restart'; run: RunKey }
  | { act: 'skip'; reason: SkipReason }

const skip = (reason: SkipReason): Decision => ({ act: 'skip', reason })

// D802, D803, D811: a scheduled start is skipped when the newest run is running
export function decide(facts: Facts): Decision {
  const { kind, running } = facts
  if (facts.decided) return skip('decided')
  if (facts.missed) return skip('missed')
  if (facts.suspended) return skip('suspended')
  if (kind === 'start') return decideStart(facts)
  const [newest] = running
  if (!newest) return skip('nothing_running')
  if (kind === 'stop') return { act: 'stop', runs: running }
  return facts.restarting ? skip('restarting') : { act: 'restart', run: newest }
}

function decideStart({ slot, catchup, skipIfSuccessful, latest, dueAfterLatest = slot }: Facts): Decision {
  if (catchup === 'all') return { act: 'enqueue' } // every missed start is wanted, whatever has run since
  if (latest?.status === 'running' && !latest.superseded) return skip('running') // D1233: it waits for its version, and a schedule starts beside it
  const { status, startedAt = Number.NEGATIVE_INFINITY } = latest ?? {}
  if (startedAt >= slot) return skip('started')
  if (skipIfSuccessful && status === 'succeeded' && dueAfterLatest >= slot) return skip('succeeded')
  return { act: 'start' }
}

/**
 * Which of the missed starts are backfilled, oldest first. With `last`, only the latest one is; a start that is due this minute
 * takes its place.
 */
export function backfilled(catchup: Catchup, missed: readonly number[], isDueNow: boolean): readonly number[] {
  if (catchup === 'all') return missed
  return catchup === 'last' && !isDueNow ? missed.slice(-1) : []
}

const ORDER: ScheduleKind[] = ['stop', 'restart', 'start']

/** Stop before restart before start; missed starts, in order, before the one of this minute. Source: 11.12. */
export const inOrder = (facts: readonly Facts[]): Facts[] =>
  [...facts].sort(
    (a, b) =>
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
      a.slot - b.slot ||
      (a.fileName < b.fileName ? -1 : a.fileName > b.fileName ? 1 : 0)
  )

/** Whether a start that exceeds the limit of its DAG is queued instead of dropped. Source: 11.9. */
export const waitsInstead = (limit: number, queues: boolean): boolean => queues && limit > 1
