/**
 * Execution-semantics 5.2, 5.3 and 5.5 once more, written from their tables by looking at every node. It shares nothing with
 * the counters of machines/policy, so that the two can be compared.
 */
import type { NodeStatus, RunStatus, Step } from '../../../machines/vocabulary.ts'

/** How a node ended. */
export interface NodeEnd {
  status: NodeStatus
  /** Its `continueOn` matched. */
  continues: boolean
}

export const isTerminal = (status: NodeStatus): boolean => status !== 'not_started' && status !== 'running'

/** 5.3: dependents of such a node may run. */
export function releases({ status, continues }: NodeEnd): boolean {
  if (status === 'succeeded' || status === 'partially_succeeded') return true
  if (status === 'failed' || status === 'skipped') return continues
  return false
}

/** 5.2: the fate of a node, by its dependencies; `not_started`: it is not resolved yet, or it may run. */
export function settledBy({ depends }: Step, endOf: (step: string) => NodeEnd): NodeStatus {
  const ends = depends.map(endOf)
  if (!ends.every(({ status }) => isTerminal(status))) return 'not_started'
  const against = ends.filter((end) => !releases(end))
  if (against.length === 0) return 'not_started'
  return against.every(({ status }) => status === 'skipped') ? 'skipped' : 'canceled'
}

export interface RunEnd {
  nodes: NodeEnd[]
  stopped: boolean
  /** Its preconditions failed. */
  unmet: boolean
  timedOut: boolean
  handlerFailed: boolean
}

/** 5.5: the first rule that holds; a run timeout is failed, whatever the nodes say (consequences), and 5.6.9 holds without nodes too. */
export function runStatus({ nodes, stopped, unmet, timedOut, handlerFailed }: RunEnd): RunStatus {
  const is = (...wanted: NodeStatus[]) => nodes.filter(({ status }) => wanted.includes(status))
  if (timedOut) return 'failed'
  if (unmet) return 'canceled'
  const endedWell = is('succeeded', 'skipped', 'partially_succeeded').length === nodes.length
  if (stopped && !endedWell) return 'canceled'
  const failed = is('failed')
  const unmatched = failed.filter(({ continues }) => !continues)
  const notQuite = [...failed.filter(({ continues }) => continues), ...is('partially_succeeded')]
  const succeeded = is('succeeded', 'partially_succeeded')
  if (unmatched.length === 0 && succeeded.length > 0 && notQuite.length > 0) return 'partially_succeeded'
  return failed.length > 0 || handlerFailed ? 'failed' : 'succeeded'
}
