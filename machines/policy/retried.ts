/** Which nodes of a run are run again when it, or its caller, is retried. Source: execution-semantics 9.5.3, 13.1.3 to 13.1.5, 13.3.5. */
import type { NodeStatus, RunStatus, Step } from '../vocabulary.ts'

// D19: a retried call keeps sub runs that succeeded
/**
 * Every failed or canceled node and everything downstream of it; the others keep their result. A node marked as running, by
 * hand or because the engine gave up on its run, is run again, too: nothing is executing it.
 * @param statuses by index of the step
 */
export const resetNodes = (steps: readonly Dependent[], statuses: NodeStatus[]): Set<number> =>
  withDependents(
    steps,
    statuses.flatMap((status, index) => (isRedone(status) ? [index] : []))
  )

// D1791: a retry from a step on leaves other branches as they are
/** The nodes of a retry from a step on: that step, and everything downstream of it, whatever their status; the step first. */
export const downstreamOf = (steps: readonly Dependent[], step: number): number[] => [...withDependents(steps, [step])]

type Dependent = Pick<Step, 'name' | 'depends'>

function withDependents(steps: readonly Dependent[], from: readonly number[]): Set<number> {
  const indexOf = new Map(steps.map((step, index) => [step.name, index]))
  const dependents: number[][] = steps.map(() => [])
  steps.forEach((step, index) => {
    for (const name of step.depends) dependents[indexOf.get(name) ?? -1]?.push(index)
  })
  const found = new Set(from)
  for (const index of found) for (const dependent of dependents[index] ?? []) found.add(dependent)
  return found
}

/**
 * Whether a retried step retries a sub DAG run that has succeeded: only if one of its nodes was marked by hand as not
 * successful. Otherwise the sub run stays as it is.
 */
export const isKept = (status: RunStatus, nodes: NodeStatus[]): boolean =>
  status === 'succeeded' && !nodes.some((node) => node === 'not_started' || isRedone(node))

const isRedone = (status: NodeStatus) => status === 'failed' || status === 'canceled' || status === 'running'
