/** The nodes of a run: its steps in the order of the definition, then its handlers. */
import type { HandlerView, RunView } from '../../engine/engine.ts'

export function nodesOf({ nodes, handlers }: Pick<RunView, 'nodes' | 'handlers'>): HandlerView[] {
  const { onSuccess, onFailure, onCancel, onExit } = handlers
  return [...nodes, onSuccess, onFailure, onCancel, onExit].filter((view) => view !== undefined)
}
