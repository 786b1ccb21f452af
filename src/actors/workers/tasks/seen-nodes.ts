/** What a step may refer to in other nodes: their outputs, and the values of `${id.…}`. Source: execution-semantics 3.2.4, 3.4.3. */
import type { NodePlace, NodeRecord, Step } from '../../../../machines/vocabulary.ts'
import type { SeenNode } from '../../../bus/jobs.ts'
import { type RunScope, stepAt } from '../../run/run-scope.ts'
import { producersIn } from '../../step/visibility.ts'

/** @param over its own execution has ended: its output counts, too */
export function nodesSeen(scope: RunScope, place: NodePlace, over = false): [NodePlace, SeenNode][] {
  const seen = new Map<NodePlace, SeenNode>()
  const see = (other: NodePlace, of: (node: NodeRecord) => SeenNode) => {
    const node = scope.nodes.get(other)
    if (node) seen.set(other, { ...seen.get(other), ...of(node) })
  }
  if (over) see(place, outputOf)
  if (typeof place === 'string') for (const other of scope.nodes.keys()) see(other, outputOf)
  else for (const index of producersIn(scope.visible[place] ?? { behind: [] })) see(index, outputOf)
  for (const id of idsIn(stepAt(scope.plan, place), scope)) see(id, reference)
  return [...seen].filter(([, node]) => Object.keys(node).length > 1)
}

/** A long chain has many of them. */
const outputOf = ({ step, output, outputMarks }: NodeRecord): SeenNode => ({
  step,
  ...(output === undefined ? {} : { output }),
  ...(outputMarks ? { outputMarks } : {})
})
const reference = ({ step, exitCode, stdout }: NodeRecord): SeenNode => ({
  step,
  ...(exitCode === undefined ? {} : { exitCode }),
  ...(stdout === undefined ? {} : { hasLogs: true as const })
})

/** A step does not change, and may be executed again and again. */
const mentioned = new WeakMap<Step, NodePlace[]>()
function idsIn(step: Step, { places }: RunScope): NodePlace[] {
  const known = mentioned.get(step)
  if (known) return known
  const text = JSON.stringify(step)
  const found = [...places].flatMap(([id, place]) => (text.includes(`{${id}.`) ? [place] : []))
  mentioned.set(step, found)
  return found
}
