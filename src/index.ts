/** What a host application imports. */

export type {
  Awaits,
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
export type { DagFields } from './builder/dag-fields.ts'
export { defineDag } from './builder/define-dag.ts'
export type { Collecting, HandlerCall, HandlerWork, Pages, PassCall, Passed, Passes } from './builder/flow-types.ts'
export { planHashOf } from './builder/plan-hash.ts'
export type { ConnectedEngine, ConnectedRun, Run, StartOptions } from './builder/run-types.ts'
export type { Came, Edge, Wait, Work } from './builder/step-types.ts'
export type { Builder, Dag } from './builder/types.ts'
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
  EngineEvent,
  EventsPart,
  Explanation,
  Facts,
  FeedPart,
  Health,
  Preview,
  Reason,
  ResourceSample,
  RunFacts,
  RunFilter,
  RunView,
  Sequence,
  SettableStatus,
  SignalOptions,
  SignalStep,
  StartRequest,
  StepKey,
  WaitingFilter,
  WaitingPart,
  WaitingStep,
  WorkersView,
  WorkerTask,
  WorkerView
} from './engine/engine.ts'
export { type ErrorCode, SignalRefused, TroupeError } from './errors.ts'
export {
  type ConfigOf,
  type CustomEnd,
  type CustomExecution,
  type CustomExecutor,
  defineExecutor
} from './executors/custom/custom.ts'
export type { HostSecrets, SecretRequest } from './executors/custom/host-secrets.ts'
export { Closing, NonRetryable, Stopped, TimedOut } from './executors/function/errors.ts'
export { defineFunction } from './executors/function/function.ts'
export type { Call, CallLog, Fn, Given, Json, Node, StepError, Storable, Stored } from './executors/function/types.ts'
export { type ConnectOptions, connectEngine } from './host/connect/connect-engine.ts'
export { createEngine } from './host/create-engine.ts'
export { createWorker, type HostWorker, type WorkerOptions } from './host/create-worker.ts'
export type { InspectOptions } from './host/inspected-engine.ts'
export type { EngineOptions } from './host/options.ts'
export { RunCanceled, RunFailed, WaitTimedOut } from './host/run-errors.ts'
export type { HostEngine as Engine } from './host/typed-runs.ts'
