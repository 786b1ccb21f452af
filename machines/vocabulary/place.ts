/** Which run, and which node of it. No logic. */

/** Identifies a run: run ids are unique per DAG name. */
export interface RunKey {
  name: string
  dagRunId: string
}

export type HandlerName = 'onSuccess' | 'onFailure' | 'onCancel' | 'onExit'

/** Where a node stands in its run: the index of its step, or the handler it is. */
export type NodePlace = number | HandlerName
