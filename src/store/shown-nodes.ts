/** The nodes of a run for readers: one that is unreadable, or missing though it must exist, is not left out. Source: reliability P4, P7. */
import type { NodePlace, RunRecord } from '../../machines/vocabulary.ts'
import { isUnreadable, passOver, unreadableNode } from './damage/damaged.ts'
import { nodesOf } from './history.ts'
import type { Store } from './open.ts'
import type { StoredNode } from './stored.ts'

export interface ShownNodes {
  /** Undefined: not started. An unreadable node is failed (`isUnreadable`). @param step its name */
  at(place: NodePlace, step: string): StoredNode | undefined
  /** Places with an entry, readable or not; empty when not even that can be read. */
  places: NodePlace[]
}

// D880: a step whose entry cannot be read is shown as failed
export function shownNodes(store: Store, record: RunRecord): ShownNodes {
  const nodes = storedNodes(store, record)
  return {
    at(place, step) {
      const found = nodes?.get(place)
      const isKnown = found ? !isUnreadable(found.record) : nodes !== undefined && !mustBeThere(record, place)
      return isKnown ? found : { record: unreadableNode(step) }
    },
    places: [...(nodes?.keys() ?? [])]
  }
}

/** Undefined: a page is damaged, so that not even the keys can be read. */
function storedNodes(store: Store, record: RunRecord): Map<NodePlace, StoredNode> | undefined {
  try {
    return nodesOf(store, record)
  } catch (error) {
    passOver(store.nodes, error)
    return undefined
  }
}

/** A run that succeeded in its first attempt has an entry for each step. */
const mustBeThere = ({ status, attempt, retryOf }: RunRecord, place: NodePlace): boolean =>
  typeof place === 'number' && status === 'succeeded' && attempt === 1 && retryOf === undefined
