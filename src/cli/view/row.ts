/** One row of the tree that shows a run. */
import type { Shown } from './paint.ts'

export interface Row {
  name: string
  status: Shown
  /** A row of sub DAG runs, below the row of their node. */
  isSub?: true
  /** Absent: it never started. */
  tookMs?: number
  /** The note beside the status; may be empty. */
  note: string
  /** Paths of the logs of a node that started. */
  stdout?: string
  stderr?: string
}
