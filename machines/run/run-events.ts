/** Events that a run receives. Source: execution-semantics 5, 7, 8. */
import type { NodeOutput } from '../node/node-context.ts'
import type { NodeEvent, SignalGiven, WorkerLost, WorkerNews } from '../node/node-events.ts'
import type { AlarmRang } from '../slots.ts'
import type { ConditionResult, Stopper } from '../vocabulary.ts'

export type RunEvent =
  /** A second one changes nothing. Source: execution-semantics 7.3.6. */
  | { type: 'run.stop'; at: number; from?: Stopper }
  /** A stop without a grace period: everything is killed, handlers included, and no other handler starts. */
  | { type: 'run.force'; at: number; from?: Stopper }
  /** Follows a stop when the caller's grace period is over, and is repeated until the run has ended. */
  | { type: 'run.kill'; at: number }
  /** The server shuts down and has asked it to stop: its handlers have `HANDLERS_MS` in total, from now or from the start of the first one. */
  | { type: 'handlers.limited'; at: number }
  /** The engine has this version of the definition in code, and the run wants another. */
  | { type: 'release.differs'; at: number; version: string; wanted: string }
  /** An engine with its version has opened. */
  | { type: 'release.opened'; at: number }
  | { type: 'run.prepared'; at: number }
  | { type: 'run.unprepared'; at: number; error: string }
  /** Its container has been removed, or could not be. */
  | { type: 'run.released'; at: number }
  | { type: 'conditions.checked'; at: number; met: boolean; conditions: ConditionResult[] }
  | NodeEnded
  | NodeFaulted
  | AlarmRang
  | SignalGiven
  | WorkerLost
  | WorkerNews
  /** One of its nodes cannot go on where the run is. */
  | { type: 'placement.wanted'; at: number }
  /** A mail was sent, or was not: the run log says which. */
  | { type: 'notification.ended'; at: number; actorId: string }

/** A node actor has ended. */
export interface NodeEnded {
  type: `xstate.done.actor.${string}`
  actorId: string
  output: NodeOutput
}

/** A node actor has thrown: a defect, which fails this node but no other node of the run. */
export interface NodeFaulted {
  type: `xstate.error.actor.${string}`
  actorId: string
  error: unknown
}

/** Asks for a kill; a forced one reaches the handlers of sub DAG runs, too. */
export type KillRequest = Pick<RunEvent & { at: number }, 'type' | 'at'>
export const nodeKill = ({ type, at }: KillRequest): NodeEvent =>
  type === 'run.force' ? { type: 'node.kill', at, force: true } : { type: 'node.kill', at }
