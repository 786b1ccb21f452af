/** How long steps took over several runs. Source: http-api "Definitions" (statistics). */
import type { NodeLabel, RunLabel } from './runs.ts'

export interface Durations {
  count: number
  failures: number
  p50Ms?: number
  p95Ms?: number
  latestMs?: number
}

export interface Statistics {
  runs: Durations
  steps: (Durations & { name: string })[]
  /** Newest first; only when asked for. */
  history?: PastRun[]
}

export interface PastStep {
  statusLabel: NodeLabel
  ms?: number
}

export interface PastRun {
  dagRunId: string
  statusLabel: RunLabel
  createdAtMs: number
  ms?: number
  /** In the order of the steps of the statistics. */
  steps: (PastStep | null)[]
}
