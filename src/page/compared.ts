/** Answers of the API about several runs, and about starts to come. Source: http-api "Definitions", "Runs". */
import type { NodeLabel, RunLabel } from './answers.ts'

/** A text that one of two runs has, or both. */
export interface ChangedText {
  name: string
  before?: string
  after?: string
}
export interface StepTime {
  statusLabel: NodeLabel
  ms?: number
}
export interface ComparedEvent {
  seq: number
  actor: string
  event: string
  to: string
}
/** What is different between two runs; `after` is the one that was asked about. */
export interface RunDiff {
  params: ChangedText[]
  env: { added: string[]; removed: string[] }
  definitionChanged: boolean
  definition?: string
  steps: { name: string; before?: StepTime; after?: StepTime }[]
  event?: { before?: ComparedEvent; after?: ComparedEvent }
  outputs: ChangedText[]
}

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
export interface NextRun {
  atMs: number
  zone: string
  expression: string
}
