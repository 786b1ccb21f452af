/** Runs with all their nodes, several in one answer. Source: api-semantics 3.4, 9.4. */
import type { RunKey } from '../../../machines/vocabulary.ts'
import type { Engine, RunView } from '../../engine/engine.ts'
import { turns } from '../turns.ts'
import { shapeSteps } from './step-shape.ts'

// D263: a request body has at most 10,000 values
/** Nodes of all runs of one answer: those of 200 runs of 10,000 steps would fill the memory. The newest run is always included. */
const MOST_NODES = 50_000

/** The runs that still exist, as many as fit in an answer; yields to the event loop in between. */
export async function viewsOf(engine: Engine, runs: readonly RunKey[]): Promise<RunView[]> {
  const views: RunView[] = []
  const turn = turns()
  let nodes = 0
  for (const { name, dagRunId } of runs) {
    const view = engine.run({ name, dagRunId })
    if (!view) continue
    nodes += view.nodes.length
    if (nodes > MOST_NODES && views.length > 0) break
    await shapeSteps(view.plan.steps)
    views.push(view)
    await turn()
  }
  return views
}
