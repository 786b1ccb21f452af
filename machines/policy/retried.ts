/** Which nodes of a finished run run again when it is retried. Source: execution-semantics 13.1.3 to 13.1.5. */
import type { NodeStatus, Step } from '../vocabulary.ts'

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

const isRedone = (status: NodeStatus) => status === 'failed' || status === 'canceled' || status === 'running'
