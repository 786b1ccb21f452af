/**
 * What is asked of the history, and the parts in which it is told. Hosts see these types, so nothing is said here of how it is stored:
 * lmdb's own types do not compile in every host.
 */
import type { JournalRecord, RunStatus, ScheduleDecision } from '../../machines/vocabulary.ts'

/** Filters of a run listing; all given ones must hold. Source: api-semantics 3.6. */
export interface RunFilter {
  /** Exact DAG name. */
  name?: string
  /** Case-insensitive part of the DAG name. */
  nameContains?: string
  status?: RunStatus[]
  /** Creation time in `[from, to)`, epoch ms. */
  from?: number
  to?: number
  idContains?: string
  limit?: number
}

/** A part of what happened, in the order in which it was stored. */
export interface FeedPart {
  records: { number: number; record: JournalRecord }[]
  /** Number to go on after. */
  end: number
  /** Records between `after` and the first that are not kept any more. */
  missed: number
}

/** A part of the decisions, newest first. */
export interface DecisionsPart {
  decisions: { number: number; decision: ScheduleDecision }[]
  /** To be given as `before` for the next part; absent: this was the last. */
  next?: number
}
