/** Which nodes of a finished run run again when it, or its caller, is retried. Source: execution-semantics 9.5.3, 13.1.3 to 13.1.5, 13.3.5. */
import type { NodeStatus, RunStatus, Step } from '../vocabulary.ts'

// D19
/**
 * Every failed or canceled node and everything downstream of it. The others keep what they have. One that is marked as
 * running, by hand or by a run that was given up, is redone too: nobody works at it.
 * @param statuses by index of the step
 */
export function resetNodes(steps: Step[], statuses: NodeStatus[]): Set<number> {
  const indexOf = new Map(steps.map((step, index) => [step.name, index]))
  const dependents: number[][] = steps.map(() => [])
  steps.forEach((step, index) => {
    for (const name of step.depends) dependents[indexOf.get(name) ?? -1]?.push(index)
  })
  const reset = new Set(statuses.flatMap((status, index) => (isRedone(status) ? [index] : [])))
  for (const index of reset) for (const dependent of dependents[index] ?? []) reset.add(dependent)
  return reset
}

/**
 * A sub DAG run that a retried step has called before stays as it is. One that has succeeded is retried all the same when a
 * person has marked one of its nodes as one that has not.
 */
export const isKept = (status: RunStatus, nodes: NodeStatus[]): boolean =>
  status === 'succeeded' && !nodes.some((node) => node === 'not_started' || isRedone(node))

const isRedone = (status: NodeStatus) => status === 'failed' || status === 'canceled' || status === 'running'
