/**
 * What an engine has a worker do, and what comes of it. A job contains what is written in the definition, not what it means: the worker
 * evaluates it in its own environment, so that no value of a variable or secret travels. Source: distribution 3, 5.
 */
import type { Caller, NodePlace, NodeRecord, Plan, RunKey, RunParam } from '../../machines/vocabulary.ts'

/**
 * - `open`: evaluate the variables of a run, make its folders and its container
 * - `conditions`: evaluate the preconditions of the DAG
 * - `check`: evaluate the preconditions of a step and the texts of its retry policy
 * - `step`: execute a step once
 * - `repeat`: evaluate the condition of its repeat policy
 * - `expand`: evaluate what a step calls, and with which parameters
 * - `close`: remove what must not outlive the run
 */
export const KINDS = ['open', 'conditions', 'check', 'step', 'repeat', 'expand', 'close'] as const
export type TaskKind = (typeof KINDS)[number]

export interface OpenJob {
  /** Place of the run in the trace that the engine makes, and whether it is itself traced; absent: it is in none. */
  trace?: { traceId: string; spanId: string; traceState?: string; isPassed?: true }
  run: RunKey
  runAttempt: number
  plan: Plan
  params: RunParam[]
  /** Absent: a root run. */
  caller?: Caller
  /** Values that the run inherits from a caller that is not on this worker. */
  inherited?: { values: Record<string, string>; data: string[] }
  /** The run takes no slot of its own: it uses that of a caller, or goes in the place of a run that only waits. */
  slot?: 'shared' | 'extra'
}

/** A node as far as a step may refer to it. */
export interface SeenNode extends Pick<NodeRecord, 'step' | 'output' | 'outputMarks' | 'exitCode'> {
  /** The node is referred to by its id, and has logs. */
  hasLogs?: true
}

/** The job of `check`, `step`, `repeat` and `expand`; `conditions` and `close` need nothing. */
export interface StepJob {
  place: NodePlace
  /** Number of the execution, from 1; 0: what comes before the first. */
  attempt: number
  /** What a handler gets as `DAG_RUN_STATUS`. */
  runStatus?: string
  /** The execution has ended: its output is visible to its own step. */
  over?: boolean
  /** Nodes that the step may refer to. */
  nodes: [NodePlace, SeenNode][]
}
