/** The texts that a definition has had. Source: http-api "Versions of a definition". */
import type { RunLabel } from './runs.ts'

export interface DefinitionVersion {
  /** Counted from 1. */
  number: number
  revision: string
  atMs: number
  /** Absent: not known. */
  by?: string
  how: 'saved' | 'found'
  size: number
  isCurrent: boolean
  /** Of the latest 200 runs. */
  runCount: number
  /** The newest of them. */
  runs: { dagRunId: string; statusLabel: RunLabel; createdAtMs: number }[]
}
