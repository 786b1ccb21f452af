/** Types of the objects of the API, with the names in its document. */
import type * as access from '../api/contract/access/key-shapes.ts'
import type * as sessions from '../api/contract/access/session-shapes.ts'
import type * as calendar from '../api/contract/calendar/operations.ts'
import type * as comparisons from '../api/contract/comparisons.ts'
import type * as dags from '../api/contract/dag-shapes.ts'
import type * as facts from '../api/contract/fact-shapes.ts'
import type * as deliveries from '../api/contract/home/deliveries.ts'
import type * as homes from '../api/contract/home/shapes.ts'
import type * as runs from '../api/contract/run-shapes.ts'
import type * as services from '../api/contract/service-shapes.ts'
import type * as versions from '../api/contract/versions/operations.ts'
import type * as waits from '../api/contract/wait-operations.ts'
import type { Shape } from '../schema/schema.ts'

export type { ErrorCode } from '../errors.ts'
export type ActorFacts = Shape<typeof facts.ActorFacts>
export type ApiKey = Shape<typeof access.ApiKey>
export type Calendar = Shape<typeof calendar.Calendar>
export type CalendarPeriod = Shape<typeof calendar.CalendarPeriod>
export type Chart = Shape<typeof facts.Chart>
export type Condition = Shape<typeof runs.Condition>
export type Coordinator = Shape<typeof services.Coordinator>
export type DagAnswer = Shape<typeof dags.DagAnswer>
export type DagDetails = Shape<typeof dags.DagDetails>
export type DagListItem = Shape<typeof dags.DagListItem>
export type DagSummary = Shape<typeof dags.DagSummary>
export type DefinitionVersion = Shape<typeof versions.DefinitionVersion>
export type Delivery = Shape<typeof deliveries.Delivery>
export type Examination = Shape<typeof homes.Examination>
export type Explanation = Shape<typeof facts.Explanation>
export type GivenApiKey = Shape<typeof access.GivenApiKey>
export type GivenWorkerKey = Shape<typeof homes.GivenWorkerKey>
export type JournalEvent = Shape<typeof runs.JournalEvent>
export type KeyRule = Shape<typeof access.KeyRule>
export type LatestRun = Shape<typeof dags.LatestRun>
export type LogChunk = Shape<typeof runs.LogChunk>
export type LogFinds = Shape<typeof runs.LogFinds>
export type MergedLog = Shape<typeof runs.MergedLog>
export type NextRun = Shape<typeof comparisons.NextRun>
export type Node = Shape<typeof runs.Node>
export type NodeFacts = Shape<typeof facts.NodeFacts>
export type NotifyTarget = Shape<typeof deliveries.NotifyTarget>
export type Pagination = Shape<typeof dags.Pagination>
export type Permission = Shape<typeof runs.Permissions>[number]
export type Preview = Shape<typeof facts.Preview>
export type Queue = Shape<typeof services.Queue>
export type Reason = Shape<typeof facts.Reason>
export type RevokedWorker = Shape<typeof homes.RevokedWorker>
export type RunDetails = Shape<typeof runs.RunDetails>
export type RunDiff = Shape<typeof comparisons.RunDiff>
export type RunFacts = Shape<typeof facts.RunFacts>
export type RunSummary = Shape<typeof runs.RunSummary>
export type Sequence = Shape<typeof facts.Sequence>
export type SettingsAnswer = Shape<typeof homes.SettingsAnswer>
export type SignedIn = Shape<typeof sessions.SignedIn>
export type Statistics = Shape<typeof comparisons.Statistics>
export type Step = Shape<typeof runs.Step>
export type StepValues = Shape<typeof facts.StepValues>
export type SubRunRef = Shape<typeof runs.SubRunRef>
export type SubRunTiming = Shape<typeof runs.SubRunTiming>
export type Thrown = Shape<typeof runs.Thrown>
export type Trend = Shape<typeof dags.Trend>
export type Trigger = Shape<typeof runs.Trigger>
export type Waiting = Shape<typeof waits.Waiting>
export type WaitingFor = Shape<typeof runs.WaitingFor>
export type Worker = Shape<typeof services.Worker>
