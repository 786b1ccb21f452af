/** What a run is told. Source: execution-semantics 5, 7, 8. */
import type { NodeOutput } from '../node/node-context.ts'
import type { NodeEvent } from '../node/node-events.ts'
import type { AlarmRang } from '../slots.ts'
import type { ConditionResult } from '../vocabulary.ts'

export type RunEvent =
  /** A second one changes nothing. Source: execution-semantics 7.3.6. */
  | { type: 'run.stop'; at: number }
  /** A stop that leaves no time: what runs is killed, handlers included, and no other handler begins. */
  | { type: 'run.force'; at: number }
  /** Follows a stop when the clean-up time of its asker is over, and again until the run has ended. */
  | { type: 'run.kill'; at: number }
  /** The server ends, and has asked it to stop: its handlers have `HANDLERS_MS` in total, from now on or from the first one's begin. */
  | { type: 'handlers.limited'; at: number }
  | { type: 'run.prepared'; at: number }
  | { type: 'run.unprepared'; at: number; error: string }
  /** Its container is gone, or cannot be had. */
  | { type: 'run.released'; at: number }
  | { type: 'conditions.checked'; at: number; met: boolean; conditions: ConditionResult[] }
  | NodeEnded
  | NodeFaulted
  | AlarmRang
  /** A mail is out, or given up: the run log says which. */
  | { type: 'notification.ended'; at: number; actorId: string }

/** A node actor has come to its end. */
export interface NodeEnded {
  type: `xstate.done.actor.${string}`
  actorId: string
  output: NodeOutput
}

/** A node actor has thrown: a defect, which costs this node and not the run's others. */
export interface NodeFaulted {
  type: `xstate.error.actor.${string}`
  actorId: string
  error: unknown
}

/** What asks for a kill: force reaches the handlers of sub DAG runs, too. */
export type KillRequest = Pick<RunEvent & { at: number }, 'type' | 'at'>
export const nodeKill = ({ type, at }: KillRequest): NodeEvent =>
  type === 'run.force' ? { type: 'node.kill', at, force: true } : { type: 'node.kill', at }
