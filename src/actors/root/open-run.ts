/** What the engine holds of a run that has not ended, beside its actor. */
import type { NodePlace } from '../../../machines/node.ts'
import type { NodeRecord, Plan, RunKey, RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import type { LoadedEnv } from '../run/run-environment.ts'
import type { RunScope } from '../run/run-scope.ts'

export interface OpenRun {
  record: RunRecord
  plan: Plan
  /** Text of the definition. */
  spec: string
  /** What is kept of an earlier attempt, by place. Absent: that is looked up in the store. */
  seed?: Map<NodePlace, NodeRecord>
  /** `seq` of its latest journal record. */
  seq: number
  /** Status that the indexes hold; absent: it is not stored yet. */
  indexed?: RunStatus
  scope?: RunScope
  /** dotenv and DAG `env`, when they had to be evaluated before the run was started. */
  env?: LoadedEnv
  /** Causes of done and error events: the last `seq` of actors that have ended, by address. */
  ended: Map<string, number>
  /** It was asked to stop while it was prepared, before a restart. */
  stopAsked?: boolean
  /** How it ended; set when that is committed. */
  endedAs?: RunStatus
  /** What to build its actor from, until it has been. */
  stored?: unknown
}

/** Names alone: of a record, too. */
export const keyOf = ({ name, dagRunId }: RunKey): RunKey => ({ name, dagRunId })
