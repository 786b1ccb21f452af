/** What a host application imports. */
export type {
  Condition,
  JournalRecord,
  MissingCode,
  NodeRecord,
  NodeStatus,
  Plan,
  RunKey,
  RunRecord,
  RunStatus,
  ScheduleDecision,
  Step,
  Thrown
} from '../machines/vocabulary.ts'
export type { Setting, WrittenStep } from './definition/fields/custom-types.ts'
export type { StoredDefinition } from './definitions/stored-definition.ts'
export type {
  ActorFacts,
  Blocker,
  BusView,
  Chart,
  ChartState,
  ChartTransition,
  CoordinatorView,
  DecisionsPart,
  Engine,
  EngineEvent,
  EventsPart,
  Explanation,
  Facts,
  FeedPart,
  Health,
  Reason,
  ResourceSample,
  RunFacts,
  RunFilter,
  RunView,
  Sequence,
  SettableStatus,
  StartRequest,
  StepKey,
  WorkersView,
  WorkerTask,
  WorkerView
} from './engine/engine.ts'
export { type ErrorCode, TroupeError } from './errors.ts'
export {
  type ConfigOf,
  type CustomEnd,
  type CustomExecution,
  type CustomExecutor,
  defineExecutor
} from './executors/custom/custom.ts'
export { Closing, NonRetryable, Stopped, TimedOut } from './executors/function/errors.ts'
export { defineFunction } from './executors/function/function.ts'
export type { Call, CallLog, Fn, Given, Json, Storable, Stored } from './executors/function/types.ts'
export { createEngine } from './host/create-engine.ts'
export type { InspectOptions } from './host/inspected-engine.ts'
export type { EngineOptions } from './host/options.ts'
