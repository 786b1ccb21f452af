/** The result of a run: the outputs of the steps that `result` of its definition names. Source: docs/embedding/README.md. */
import type { Json, RunKey } from '../../machines/vocabulary.ts'
import type { Engine, HandlerView, RunView } from '../engine/engine.ts'

type SubRuns = Pick<Engine, 'subRun'>

/** Null for a step that did not run, and for a run without a result. @param root of the tree that the run is in */
export function resultOf(engine: SubRuns, root: RunKey, { plan, nodes }: RunView): Json {
  const { result } = plan
  const valueAt = (name: string): Json => {
    const found = nodes.find(({ step }) => step.name === name)
    return found ? valueOf(engine, root, found) : null
  }
  if (result === undefined) return null
  if (typeof result === 'string') return valueAt(result)
  return Object.fromEntries(Object.entries(result).map(([key, name]) => [key, valueAt(name)]))
}

/** Executors whose output is JSON. */
const JSON_OUTPUTS: ReadonlySet<string> = new Set(['function', 'signal', 'approval'])

function valueOf(engine: SubRuns, root: RunKey, { step, node, calls }: HandlerView): Json {
  if (step.executor.type === 'dag') {
    const results = (calls?.subRuns ?? []).map(({ dagRunId }) => {
      const view = engine.subRun(root, dagRunId)
      return view ? resultOf(engine, root, view) : null
    })
    return step.parallel ? results : (results[0] ?? null)
  }
  if (node.output === undefined) return null
  return JSON_OUTPUTS.has(step.executor.type) ? JSON.parse(node.output) : node.output
}
