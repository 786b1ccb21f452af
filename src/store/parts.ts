/**
 * Queries to the history, and pages of results. Hosts see these types, so they must not depend on the storage: the types of lmdb do
 * not compile in every host.
 */
import type {
  JournalRecord,
  RunKey,
  RunRecord,
  RunStatus,
  ScheduleDecision,
  Trigger,
  WaitKind
} from '../../machines/vocabulary.ts'

/** Filters of a run listing; all must match. Source: api-semantics 3.6. */
export interface RunFilter {
  /** Exact DAG name. */
  name?: string
  /** Case-insensitive substring of the DAG name. */
  nameContains?: string
  status?: RunStatus[]
  /** What it waits for, see `Engine.awaitedBy`: any of these. */
  waitingFor?: WaitKind[]
  /** Creation time in `[from, to)`, epoch ms. */
  from?: number
  to?: number
  idContains?: string
  /** What asked for the run, or for its latest attempt: any of these. */
  trigger?: Trigger['type'][]
  /** Case-insensitive substring of the name of the user or token that asked for it. */
  byContains?: string
  /** Case-insensitive substring of one of its params, written as `NAME=value`. */
  paramContains?: string
  /** Tags of its definition, as it was then: all of these. */
  tags?: string[]
  limit?: number
}

/** A place in the list of runs, which is newest first, equal times by id and name. */
export interface RunPlace extends RunKey {
  createdAt: number
}

/** Where a run is in the list, and its status. */
export interface PlacedStatus extends RunPlace {
  status: RunStatus
}

/** How many runs have which status; statuses that none has are missing. */
export type RunCounts = Partial<Record<RunStatus, number>>

export interface RunsPart {
  runs: RunRecord[]
  /** Continue behind this one; absent: there are no more. */
  next?: RunPlace
}

/** A text that a stored definition has had. */
export interface DefinitionVersion {
  /** Counted from 1 for each definition, and not used again; after a rename they are counted from 1 again. */
  number: number
  /** Hash of the text. */
  revision: string
  spec: string
  /** Epoch ms: when it was saved or found. */
  at: number
  /** Name of the one who saved the version; absent: not known. */
  by?: string
  /** `saved`: through the engine; `found`: in the file, when that was read. */
  how: 'saved' | 'found'
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
