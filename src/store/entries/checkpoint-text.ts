/** How a checkpoint is stored: as JSON. */
import type { NodeRecord, NodeStatus, RunStatus } from '../../../machines/vocabulary.ts'
import type { Encoder } from './sealed.ts'

export interface StoredCheckpoint {
  /** When its event happened, epoch ms: the journal's record has the same, unless this was left by a run of the same name and id. */
  at: number
  /** It says what has changed since the checkpoint at this event; 0: it says all. */
  from: number
  /** The event with which the run's latest attempt began; 0: none has. */
  begun: number
  status?: RunStatus
  isQueued?: boolean
  parked?: true
  /** When it says all: the nodes that its latest attempt has kept, by place. */
  kept?: [place: number | string, node: NodeRecord][]
  /** Those to whom something has happened since, in the order in which they came into being. */
  actors: StoredActor[]
}

/**
 * An actor, or a node that was settled without one, by position: there may be many, in many checkpoints.
 * `address` is what follows the run's own; `touched` is the latest event that changed it; members of `state` are those of `../../inspect/replay.ts`.
 */
export type StoredActor = [
  address: string,
  touched: number,
  state: StoredState | Absent,
  settled?: NodeRecord | Absent,
  byHand?: true
]

/** `step`: 1 when the address says it. `memory`: without what every actor of the kind remembers at first; null: it does no more. */
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

/** What an absent member stands as; the last ones are left out. */
export type Absent = 0

/** JSON is read in one go, whatever its size, and by code that need not be compiled first. */
export const checkpointText: Encoder<StoredCheckpoint> = {
  encode: (value) => Buffer.from(JSON.stringify(value)),
  decode: (bytes, end) => JSON.parse(bytes.toString('utf8', 0, end))
}
