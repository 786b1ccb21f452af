/** What the API answers, by the page's names: made of its contract. Source: http-api "Resources and their fields". */
import { NODE_STATUSES, type RUN_STATUSES } from '../../machines/vocabulary/lists.ts'
import type * as api from '../client/shapes.ts'

export type {
  ApiKey,
  Coordinator,
  DagDetails,
  DagSummary,
  DefinitionVersion,
  Delivery,
  JournalEvent,
  KeyRule,
  LatestRun,
  LogChunk,
  LogFinds,
  NextRun,
  NotifyTarget,
  Pagination,
  Permission,
  Preview,
  Queue,
  Reason,
  RunDetails,
  RunDiff,
  RunSummary,
  SignedIn,
  Statistics,
  Step,
  StepValues,
  SubRunRef,
  Trend,
  Trigger,
  Waiting,
  WaitingFor,
  Worker
} from '../client/shapes.ts'

/** A status that a run can have; the contract has one more, for what nobody can read. */
export type RunStatus = (typeof RUN_STATUSES)[number]
export type NodeStatus = (typeof NODE_STATUSES)[number]
/** What the label of a run, of a node, or of either may be. */
export type RunLabel = api.RunSummary['statusLabel']
export type NodeLabel = api.Node['statusLabel']
export type Label = RunLabel | NodeLabel
export type WaitKind = api.WaitingFor['for']
/** What a run or a step waits for, and until when; absent: for nothing outside. */
export type WaitedFor = NonNullable<api.RunSummary['waitingFor']>

export type Actor = api.ActorFacts
export type CalendarAnswer = api.Calendar
export type CalendarPeriod = api.CalendarPeriod
export type CalendarCell = api.Calendar['cells'][number]
export type ChangedText = api.RunDiff['params'][number]
export type ChartTransition = api.Chart['transitions'][number]
export type ComparedEvent = NonNullable<NonNullable<api.RunDiff['event']>['before']>
export type ConditionShape = api.Condition
export type Durations = api.Statistics['runs']
export type ListedDefinition = api.DagListItem
export type Message = api.Sequence['messages'][number]
export type NodeInstant = api.NodeFacts
export type NodeShape = api.Node
export type PastRun = NonNullable<api.Statistics['history']>[number]
export type PastStep = NonNullable<PastRun['steps'][number]>
export type Reached = NonNullable<Actor['reach']>[number]
export type RunInstant = api.RunFacts
export type StepTime = NonNullable<api.RunDiff['steps'][number]['before']>
export type Stopper = NonNullable<api.RunSummary['stoppedBy']>
export type ThrownShape = api.Thrown

export type Chart = Omit<api.Chart, 'states'> & { states: ChartState[] }
export type ChartSummary = Pick<Chart, 'id' | 'description'>
/** A state of a chart. The contract does not describe one, because a schema of its own has no name for itself. */
export interface ChartState {
  path: string
  key: string
  type: 'atomic' | 'compound' | 'parallel' | 'final' | 'history'
  description: string
  tags: string[]
  initial?: string
  states: ChartState[]
  invokes: { id: string; machine?: string }[]
  entry: string[]
  exit: string[]
  transitions: ChartTransition[]
}

/** Statuses that a user may set on a node, by their integer. */
export const SETTABLE = NODE_STATUSES.slice(0, -1)

export const HANDLER_NAMES = [
  'onSuccess',
  'onFailure',
  'onCancel',
  'onExit'
] as const satisfies (keyof api.RunDetails)[]
export type HandlerName = (typeof HANDLER_NAMES)[number]
