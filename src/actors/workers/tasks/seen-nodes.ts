/** What a step may refer to of other nodes: their outputs, and what `${id.…}` stands for. Source: execution-semantics 3.2.4, 3.4.3. */
import type { NodePlace, NodeRecord, Step } from '../../../../machines/vocabulary.ts'
import type { SeenNode } from '../../../bus/jobs.ts'
import { type RunScope, stepAt } from '../../run/run-scope.ts'
import { producersIn } from '../../step/visibility.ts'

/** @param over its own execution has ended: its output counts, too */
export function nodesSeen(scope: RunScope, place: NodePlace, over = false): [NodePlace, SeenNode][] {
  const places = new Set<NodePlace>(over ? [place] : [])
  if (typeof place === 'string')
    for (const [other, { output }] of scope.nodes) if (output !== undefined) places.add(other)
  if (typeof place === 'number')
    for (const index of producersIn(scope.visible[place] ?? { behind: [] })) places.add(index)
  for (const id of idsIn(stepAt(scope.plan, place), scope)) places.add(id)
  return [...places].flatMap((other) => {
    const node = scope.nodes.get(other)
    return node ? [[other, seen(node)] as [NodePlace, SeenNode]] : []
  })
}

const seen = ({ conditions: _c, error: _e, continues: _s, ...node }: NodeRecord): SeenNode => node

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
