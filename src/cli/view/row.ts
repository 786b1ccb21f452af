/** One row of the tree that shows a run. */
import type { Shown } from './paint.ts'

export interface Row {
  name: string
  status: Shown
  /** Stands below the row before it: sub DAG runs of a node. */
  isSub?: true
  /** Absent: it never started. */
  tookMs?: number
  /** What there is to say beside the status; may be empty. */
  note: string
  /** Paths of the logs of a node that started. */
  stdout?: string
  stderr?: string
}
