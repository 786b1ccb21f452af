/** What the engine keeps of a run that has not ended, besides its actor. */
import { runId } from '../../../machines/engine.ts'
import type { ChurnMap } from '../../../machines/tables/churn-map.ts'
import type { NodePlace, NodeRecord, Plan, RunKey, RunRecord, RunStatus } from '../../../machines/vocabulary.ts'
import { placeIn, type SpanPlace } from '../../tracing/context.ts'
import type { LoadedEnv } from '../run/run-environment.ts'
import type { RunScope } from '../run/run-scope.ts'
import { traceVariables } from '../run/trace.ts'

export interface OpenRun {
  record: RunRecord
  plan: Plan
  /** Text of the definition. */
  spec: string
  /** Kept nodes of an earlier attempt, by place. Absent: they are looked up in the store. */
  seed?: Map<NodePlace, NodeRecord>
  /** `seq` of its latest journal record. */
  seq: number
  /** Status in the indexes; absent: not stored yet. */
  indexed?: RunStatus
  scope?: RunScope
  /** dotenv and DAG `env`, when they had to be evaluated before the run was started. */
  env?: LoadedEnv
  /** Causes of done and error events: the last `seq` of actors that have ended, by address. */
  ended: Map<string, number>
  /** The run was asked to stop before it had an actor, or during its preparation before a restart. */
  stopAsked?: boolean
  /** How the run ended; set once that is committed. */
  endedAs?: RunStatus
  /** The state that the actor is built from; removed once it is. */
  stored?: unknown
  /** The states of the nodes, by their id, for a run that is superseded: they have no actors until it goes on. */
  storedNodes?: Map<string, unknown>
  /** The version that had superseded the run when it was restored. */
  held?: { version: string }
}

/** The scope of the run that called a sub run, while it is open. */
export const callerScope = (runs: ChurnMap<OpenRun>, { caller }: Pick<RunRecord, 'caller'>): RunScope | undefined =>
  caller && runs.get(runId(caller.parent))?.scope

/** Where the step is in a trace that called a sub run; undefined: it is in none. */
export function callerTrace(runs: ChurnMap<OpenRun>, record: RunRecord): SpanPlace | undefined {
  const scope = callerScope(runs, record)
  return scope && record.caller && placeIn(traceVariables(scope, record.caller.step))
}

/** Without the other members of a record. */
export const keyOf = ({ name, dagRunId }: RunKey): RunKey => ({ name, dagRunId })
