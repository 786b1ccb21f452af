/** What is different between two runs. Source: http-api "Runs" (diff). */
import type { NodeLabel } from './runs.ts'

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
