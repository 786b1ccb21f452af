/** Runs and nodes as JSON. All members but `warnings` are always there; arrays are never null. Source: api-semantics 1.2, 2. */
import { NODE_STATUSES, RUN_STATUSES } from '../../../machines/vocabulary/lists.ts'
import type {
  Awaits,
  JournalRecord,
  NodeRecord,
  NodeStatus,
  RunRecord,
  RunStatus,
  Step,
  Thrown
} from '../../../machines/vocabulary.ts'
import { paramsText } from '../../definition/dag/params.ts'
import type { Engine, HandlerView, RunView, Started, SubRunView } from '../../engine/engine.ts'
import type { Shape } from '../../schema/schema.ts'
import type {
  GridRow,
  JournalEvent,
  Node,
  RunAnswer,
  RunDetails,
  RunSummary,
  SubRunRef,
  SubRunTiming
} from '../contract/run-shapes.ts'
import { UNKNOWN_STATUS } from '../contract/statuses.ts'
import { conditionShape, stepShape } from './step-shape.ts'
import type { TimeText } from './time-text.ts'
import { awaitedShape, waitShape } from './wait-shapes.ts'

export function statusShape<S extends string>(
  statuses: readonly S[],
  label: S
): { status: number; statusLabel: S | typeof UNKNOWN_STATUS } {
  const status = statuses.indexOf(label)
  return status < 0 ? { status: 0, statusLabel: UNKNOWN_STATUS } : { status, statusLabel: label }
}

const instantsOf = ({ startedAt, finishedAt }: { startedAt?: number; finishedAt?: number }) => ({
  ...(startedAt === undefined ? {} : { startedAtMs: startedAt }),
  ...(finishedAt === undefined ? {} : { finishedAtMs: finishedAt })
})

const errorShape = (error = '') => (error === '' ? {} : { error })

/** @param awaited as `Engine.awaitedBy` */
export const runSummary = (run: RunRecord, time: TimeText, awaited?: Awaits): Shape<typeof RunSummary> => ({
  rootDAGRunName: run.caller?.root.name ?? run.name,
  rootDAGRunId: run.caller?.root.dagRunId ?? run.dagRunId,
  parentDAGRunName: run.caller?.parent.name ?? '',
  parentDAGRunId: run.caller?.parent.dagRunId ?? '',
  dagRunId: run.dagRunId,
  name: run.name,
  ...statusShape(RUN_STATUSES, run.status),
  ...awaitedShape(awaited, time),
  queuedAt: time(run.queuedAt),
  startedAt: time(run.startedAt),
  finishedAt: time(run.finishedAt),
  ...instantsOf(run),
  log: run.log,
  params: paramsText(run.params),
  workerId: run.startedAt === undefined ? '' : (run.placement?.id ?? 'local'),
  attempt: run.attempt,
  ...(run.notBefore === undefined ? {} : { at: time(run.notBefore) }),
  ...(run.priority === undefined ? {} : { priority: run.priority }),
  ...errorShape(run.error),
  ...triggerShape(run, time),
  ...stopperShape(run)
})

function triggerShape(
  { trigger, caller }: Pick<RunRecord, 'trigger' | 'caller'>,
  time: TimeText
): Pick<Shape<typeof RunSummary>, 'trigger'> {
  if (caller) return { trigger: { type: 'parent', of: caller.parent } }
  if (!trigger) return {}
  const { slot, requestId: _request, ...rest } = trigger
  return { trigger: { ...rest, ...(slot === undefined ? {} : { slot: time(slot) }) } }
}

function stopperShape({ stoppedBy }: Pick<RunRecord, 'stoppedBy'>): Pick<Shape<typeof RunSummary>, 'stoppedBy'> {
  if (!stoppedBy) return {}
  const { requestId: _request, ...shown } = stoppedBy
  return { stoppedBy: shown }
}

/** The `latestDAGRun` of a DAG that never ran. */
export const neverRunSummary = (name: string): Shape<typeof RunSummary> => ({
  rootDAGRunName: '',
  rootDAGRunId: '',
  parentDAGRunName: '',
  parentDAGRunId: '',
  dagRunId: '',
  name,
  ...statusShape(RUN_STATUSES, 'not_started'),
  queuedAt: '',
  startedAt: '',
  finishedAt: '',
  log: '',
  params: '',
  workerId: '',
  attempt: 0
})

export const runDetails = (
  { run, awaited, plan, nodes, handlers, preconditions, errors }: RunView,
  time: TimeText
): Shape<typeof RunDetails> => ({
  ...runSummary(run, time, awaited),
  error: run.error ?? '',
  ...(errors ? { errors } : {}),
  nodes: nodes.map((view) => nodeShape(view, time)),
  preconditions: preconditions.map(({ condition, matched, error }) => ({
    ...conditionShape(condition, error),
    ...(matched === undefined ? {} : { matched })
  })),
  onExit: handlerShape(handlers.onExit, time),
  onSuccess: handlerShape(handlers.onSuccess, time),
  onFailure: handlerShape(handlers.onFailure, time),
  onCancel: handlerShape(handlers.onCancel, time),
  ...(run.nodeLogs === '' ? {} : { nodeLogs: run.nodeLogs }),
  ...(plan.maxActiveSteps > 0 ? { maxActiveSteps: plan.maxActiveSteps } : {}),
  ...(run.warnings ? { warnings: run.warnings } : {})
})

/** The answer to a start. @param engine that has begun the run, or not, when it was a dry one */
export function startedShape(engine: Pick<Engine, 'record'>, { waitsFor, ...key }: Started) {
  const { warnings } = engine.record(key) ?? {}
  return { dagRunId: key.dagRunId, ...(warnings ? { warnings } : {}), ...(waitsFor ? { waitsFor } : {}) }
}

/** Run details of a DAG that never ran: its steps as nodes that have not started. */
export const neverRunDetails = (name: string, steps: readonly Step[]): Shape<typeof RunDetails> => ({
  ...neverRunSummary(name),
  error: '',
  nodes: steps.map((step) => {
    const node: NodeRecord = { step: step.name, status: 'not_started', retryCount: 0, doneCount: 0 }
    return nodeShape({ step, node }, () => '')
  }),
  preconditions: [],
  onExit: null,
  onSuccess: null,
  onFailure: null,
  onCancel: null
})

/** The two keys under which clients of different releases look for run details: rule A3. */
export const runAnswer = (view: RunView, time: TimeText): Shape<typeof RunAnswer> => {
  const dagRun = runDetails(view, time)
  return { dagRun, dagRunDetails: dagRun }
}

const HANDLER_ROWS = ['onSuccess', 'onFailure', 'onCancel', 'onExit'] as const

/**
 * One row for each step name in runs, rows by name, then one for each handler that any run has; `history[i]` belongs to
 * the run `views[i]`, 0 where it lacks the step. Source: api-semantics 3.5.
 */
export function gridShape(views: readonly RunView[]): Shape<typeof GridRow>[] {
  const rows = new Map<string, number[]>()
  const note = (name: string, at: number, { status }: NodeRecord) => {
    const history = rows.get(name) ?? views.map(() => 0)
    history[at] = statusShape(NODE_STATUSES, status).status
    rows.set(name, history)
  }
  for (const [at, { nodes }] of views.entries()) for (const { step, node } of nodes) note(step.name, at, node)
  const steps = [...rows].sort(([a], [b]) => (a < b ? -1 : 1))
  rows.clear()
  for (const kind of HANDLER_ROWS)
    for (const [at, { handlers }] of views.entries()) if (handlers[kind]) note(kind, at, handlers[kind].node)
  return [...steps, ...rows].map(([name, history]) => ({ name, history }))
}

/** Sub run timing entry. `finishedAt` is null, not empty, while it runs: the one exception to V2. */
export const timingShape = (
  { dagRunId, params, record }: SubRunView & { record: RunRecord },
  time: TimeText
): Shape<typeof SubRunTiming> => ({
  dagRunId,
  params,
  ...statusShape(RUN_STATUSES, record.status),
  startedAt: time(record.startedAt),
  finishedAt: record.finishedAt === undefined ? null : time(record.finishedAt)
})

/** A journal record. Status and label are those of a run, or of the node of `step`; absent for other actors. */
export const eventShape = (record: JournalRecord, time: TimeText): Shape<typeof JournalEvent> => ({
  name: record.run?.name ?? '',
  dagRunId: record.run?.dagRunId ?? '',
  seq: record.seq,
  at: time(record.at),
  atMs: record.at,
  actor: record.actor,
  event: record.event,
  from: record.from,
  to: record.to,
  ...(record.cause === undefined ? {} : { cause: record.cause }),
  ...(record.step === undefined ? {} : { step: record.step }),
  ...triggerShape(record, time),
  ...(record.status === undefined
    ? {}
    : statusShape<RunStatus | NodeStatus>(record.step === undefined ? RUN_STATUSES : NODE_STATUSES, record.status))
})

const handlerShape = (view: HandlerView | undefined, time: TimeText) => (view ? nodeShape(view, time) : null)

type Calls = NonNullable<HandlerView['calls']>

/** Sub DAG runs under the names of both releases: rule A2. The second ones only when there are any. */
const callsShape = ({ subRuns = [], subRunsRepeated = [] }: Partial<Calls> = {}, time: TimeText) => {
  const current = subRuns.map((run) => subRunShape(run, time))
  const repeated = subRunsRepeated.map((run) => subRunShape(run, time))
  return {
    subRuns: current,
    subRunsRepeated: repeated,
    ...(current.length > 0 ? { children: current } : {}),
    ...(repeated.length > 0 ? { childrenRepeated: repeated } : {})
  }
}

const subRunShape = (
  { name, dagRunId, params, record, awaited }: SubRunView,
  time: TimeText
): Shape<typeof SubRunRef> => ({
  dagRunId,
  params,
  name,
  ...statusShape(RUN_STATUSES, record?.status ?? 'not_started'),
  ...awaitedShape(awaited, time),
  ...instantsOf(record ?? {}),
  ...errorShape(record?.error)
})

const nodeShape = (view: HandlerView, time: TimeText): Shape<typeof Node> => ({
  ...plainNodeShape(view, time),
  ...waitShape(view, time)
})

const plainNodeShape = ({ step, node, calls }: HandlerView, time: TimeText): Shape<typeof Node> => ({
  step: stepShape(step, node.conditions ?? []),
  stdout: node.stdout ?? '',
  stderr: node.stderr ?? '',
  startedAt: time(node.startedAt),
  finishedAt: time(node.finishedAt),
  ...instantsOf(node),
  ...statusShape(NODE_STATUSES, node.status),
  retryCount: node.retryCount,
  doneCount: node.doneCount,
  ...(node.exitCode === undefined ? {} : { exitCode: node.exitCode }),
  ...callsShape(calls, time),
  error: node.error ?? '',
  ...(node.worker ? { workerId: node.worker.id, lease: node.worker.lease } : {}),
  ...(node.thrown ? { thrown: chainOf(node.thrown) } : {})
})

/** An error, then its causes. */
function chainOf(thrown: Thrown): Omit<Thrown, 'cause'>[] {
  const { cause, ...own } = thrown
  return cause ? [own, ...chainOf(cause)] : [own]
}
