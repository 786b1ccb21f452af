/**
 * What becomes of a scheduled minute of a definition: it starts, stops or restarts a run, or is skipped, and why.
 * Source: execution-semantics 11.6 to 11.14, api-semantics 6.4.
 */
import type { Catchup, RunKey, RunStatus, ScheduleKind, SkipReason } from '../vocabulary.ts'

/** One kind of schedule of one definition in one minute: its slot. */
export interface Due {
  fileName: string
  /** DAG name. */
  name: string
  kind: ScheduleKind
  /** The minute, epoch ms. */
  slot: number
  /** Nobody was awake for it, and it is backfilled in this way. */
  catchup?: Exclude<Catchup, 'none'>
}

/** What is known when it is decided. */
export interface Facts extends Due {
  suspended: boolean
  /** This slot has been decided before: the clock was set back. */
  decided: boolean
  /** Nobody was awake for it, and it is not backfilled. */
  missed: boolean
  skipIfSuccessful: boolean
  /** Running root runs of the DAG name, newest first. */
  running: RunKey[]
  /** The newest root run, queued ones included; absent: there is none. */
  latest?: { status: RunStatus; startedAt?: number }
  /** The first time after the start of the newest run at which the same expression fires. */
  dueAfterLatest?: number
  /** The running run is being restarted already. */
  restarting: boolean
}

export type Decision =
  | { act: 'start' }
  | { act: 'enqueue' }
  | { act: 'stop'; runs: RunKey[] }
  | { act: 'restart'; run: RunKey }
  | { act: 'skip'; reason: SkipReason }

const skip = (reason: SkipReason): Decision => ({ act: 'skip', reason })

// D802, D803, D811
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
  if (catchup === 'all') return { act: 'enqueue' } // each is wanted, whatever ran since
  if (latest?.status === 'running') return skip('running')
  const { status, startedAt = Number.NEGATIVE_INFINITY } = latest ?? {}
  if (startedAt >= slot) return skip('started')
  if (skipIfSuccessful && status === 'succeeded' && dueAfterLatest >= slot) return skip('succeeded')
  return { act: 'start' }
}

/**
 * Which of the starts that nobody was awake for are backfilled, oldest first. With `last`, the latest of them stands for all; and that
 * is the one of this minute, if there is one.
 */
export function backfilled(catchup: Catchup, missed: readonly number[], isDueNow: boolean): readonly number[] {
  if (catchup === 'all') return missed
  return catchup === 'last' && !isDueNow ? missed.slice(-1) : []
}

const ORDER: ScheduleKind[] = ['stop', 'restart', 'start']

/** Stop before restart before start; missed starts in their own order before that of this minute. Source: 11.12. */
export const inOrder = (facts: readonly Facts[]): Facts[] =>
  [...facts].sort(
    (a, b) =>
      ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind) ||
      a.slot - b.slot ||
      (a.fileName < b.fileName ? -1 : a.fileName > b.fileName ? 1 : 0)
  )

/** Whether a start that its DAG's own limit holds back waits instead of being dropped. Source: 11.9. */
export const waitsInstead = (limit: number, queues: boolean): boolean => queues && limit > 1
