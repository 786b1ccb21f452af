/**
 * Queries to the history, and pages of results. Hosts see these types, so they must not depend on the storage: the types of lmdb do
 * not compile in every host.
 */
import type { JournalRecord, RunStatus, ScheduleDecision } from '../../machines/vocabulary.ts'

/** Filters of a run listing; all must match. Source: api-semantics 3.6. */
export interface RunFilter {
  /** Exact DAG name. */
  name?: string
  /** Case-insensitive substring of the DAG name. */
  nameContains?: string
  status?: RunStatus[]
  /** Creation time in `[from, to)`, epoch ms. */
  from?: number
  to?: number
  idContains?: string
  limit?: number
}

/** A page of journal records, in the order in which they were stored. */
export interface FeedPart {
  records: { number: number; record: JournalRecord }[]
  /** Number to continue after. */
  end: number
  /** Number of records between `after` and the first one that are not kept any more. */
  missed: number
}

/** A page of decisions, newest first. */
export interface DecisionsPart {
  decisions: { number: number; decision: ScheduleDecision }[]
  /** Pass as `before` for the next page; absent: this was the last one. */
  next?: number
}
