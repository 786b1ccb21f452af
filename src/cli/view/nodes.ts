/** The nodes of a run: its steps in the order of the definition, then its handlers. */
import type { Node, RunDetails } from '../../client/index.ts'

export const nodesOf = ({ nodes, onSuccess, onFailure, onCancel, onExit }: RunDetails): Node[] =>
  [...nodes, onSuccess, onFailure, onCancel, onExit].filter((node) => node !== null)
