/** The nodes that a job names, as a step on this worker sees them. Source: distribution 5, D11. */
import type { NodePlace, NodeRecord } from '../../../machines/vocabulary.ts'
import { nodeFiles } from '../../actors/run/log-names.ts'
import type { RunScope } from '../../actors/run/run-scope.ts'
import type { SeenNode, StepJob } from '../../bus/jobs.ts'

/** Logs of the other steps are those that are here. */
export const nodesHere = ({ nodeLogs }: RunScope, nodes: StepJob['nodes']): Map<NodePlace, NodeRecord> =>
  new Map(nodes.map(([place, node]) => [place, nodeHere(nodeLogs, node)]))

function nodeHere(nodeLogs: string, { hasLogs, ...seen }: SeenNode): NodeRecord {
  const node = { status: 'succeeded' as const, retryCount: 0, doneCount: 0, ...seen } // nothing of a step depends on these three
  if (!hasLogs) return node
  const { stdout, stderr } = nodeFiles(nodeLogs, seen.step)
  return { ...node, stdout, stderr }
}

/** @throws Error for an output whose secrets are not those of this worker: its masks must not be taken for its text */
export function checkOutputs({ secrets }: RunScope, nodes: Iterable<NodeRecord>): void {
  for (const { step, output, outputMarks } of nodes)
    if (output !== undefined && outputMarks && !secrets.knows(outputMarks))
      throw new Error(`output of ${step} holds a secret of another worker`)
}
