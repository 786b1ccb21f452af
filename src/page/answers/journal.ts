/** Answers about what happened in a run, and why. Source: docs/inspect.md. */
import type { Label, NodeLabel, RunLabel } from './runs.ts'

/** One transition of one actor, as the event stream has it. */
export interface JournalEvent {
  name: string
  dagRunId: string
  seq: number
  at: string
  atMs?: number
  actor: string
  event: string
  from: string
  to: string
  cause?: number
  step?: string
  statusLabel?: Label
}

/** State of every node of a run as of one event. */
export interface RunInstant {
  at: number
  latest: number
  happenedAtMs: number | null
  statusLabel: RunLabel
  nodes: NodeInstant[]
  actors: Actor[]
}

export interface NodeInstant {
  step: string
  statusLabel: NodeLabel
  startedAtMs: number | null
  finishedAtMs: number | null
  retryCount: number
  doneCount: number
  error: string
}

export interface Actor {
  address: string
  machine: string
  step?: string
  states: string[]
  tags: string[]
  status: 'active' | 'done'
  sinceMs: number
  seq: number
  context: Record<string, unknown>
  accepts: string[]
  refuses: { event: string; guard: string }[]
}

export interface Reason {
  cause: string
  about: { kind: string; name: string }
  waiting: boolean
  text: string
  sinceMs: number | null
  untilMs: number | null
  blockedBy: { kind: string; name: string; dagRunId?: string }[]
  unblock: string
}

export interface Message {
  seq: number
  atMs: number
  from: string
  to: string
  event: string
  state: string
}
