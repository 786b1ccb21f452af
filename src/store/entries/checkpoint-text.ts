/** The stored form of a checkpoint: JSON. */
import type { NodePlace, NodeRecord, NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import type { Encoder } from './sealed.ts'

export interface StoredCheckpoint {
  /** When the event happened, epoch ms: not as in the journal if an earlier run with the same name and id left the checkpoint. */
  at: number
  /** The checkpoint contains the changes since the one at this event; 0: it is complete. */
  from: number
  /** The event that started the run's latest attempt; 0: none. */
  begun: number
  status?: RunStatus
  isQueued?: boolean
  parked?: true
  /** If it is complete: the nodes that the latest attempt kept, by place. */
  kept?: [place: NodePlace, node: NodeRecord][]
  /** The actors that have changed since, in order of creation. */
  actors: StoredActor[]
}

/**
 * An actor, or a node that was resolved without one, by position, to save space: there may be many in many checkpoints.
 * `address` is relative to the run; `touched` is the latest event that changed it; members of `state` are those of
 * `../../inspect/replay.ts`.
 */
export type StoredActor = [
  address: string,
  touched: number,
  state: StoredState | Absent,
  settled?: NodeRecord | Absent,
  byHand?: true
]

/** `step`: 1 when it follows from the address. `memory`: without the initial values of this kind of actor; null: none any more. */
export type StoredState = [
  kind: 'run' | 'node' | 'call',
  step: string | 1 | Absent,
  path: string,
  status: NodeStatus | Absent,
  since: number,
  seq: number,
  memory: Record<string, unknown>,
  begunAt?: number | Absent,
  isGone?: true
]

/** Stands for an absent member; trailing ones are left out. */
export type Absent = 0

/** JSON is parsed in one call, whatever its size, and by native code. */
export const checkpointText: Encoder<StoredCheckpoint> = {
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes, end) => JSON.parse(bytes.toString('utf8', 0, end))
}
